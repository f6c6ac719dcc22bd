//! Parameters that stand once in a document of OpenAPI v2, and are referred to.

use json_tree::{Map, Value, json};

/// Replaces the parameters in `paths` by references, and returns what these lead to, in the order of their names.
///
/// Those that are about one kind stay, and those that kubectl before 1.27 looks for.
pub(super) fn take_out(paths: &mut Value) -> Value {
    let mut shared: Vec<(String, Value)> = Vec::new();
    for path in paths.as_object_mut().into_iter().flat_map(Map::values_mut) {
        for (key, value) in path.as_object_mut().into_iter().flat_map(Map::iter_mut) {
            let list = if key.as_str() == "parameters" { Some(value) } else { value.get_mut("parameters") };
            for parameter in list.and_then(Value::as_array_mut).into_iter().flatten().filter(is_shared) {
                let name = name(parameter);
                let reference = json!({ "$ref": (["#/parameters/", &name].concat()) });
                let parameter = std::mem::replace(parameter, reference);
                if !shared.iter().any(|(known, _)| *known == name) {
                    shared.push((name, parameter));
                }
            }
        }
    }
    schema::sort_by(&mut shared, |a, b| a.0.cmp(&b.0));
    Value::Object(shared.into_iter().collect())
}

fn is_shared(parameter: &&mut Value) -> bool {
    let reference = &parameter["schema"]["$ref"];
    match (parameter["in"].as_str(), parameter["name"].as_str()) {
        (Some("query" | "path"), Some("name")) | (Some("query"), Some("fieldValidation" | "dryRun")) => false,
        (Some("body"), _) => {
            reference.as_str().is_some_and(|name| name.starts_with("#/definitions/io.k8s.apimachinery"))
        }
        _ => true,
    }
}

/// Returns the name of a shared parameter: its own, and a hash of it as JSON.
fn name(parameter: &Value) -> String {
    let hash = fnv(&codec::json::to_vec(parameter)).to_be_bytes();
    let name = parameter["name"].as_str().unwrap_or_default();
    [name, "-", &golang::base64::encode_url(&hash[..6])].concat()
}

/// FNV-1 of 64 bits.
fn fnv(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| hash.wrapping_mul(0x0000_0100_0000_01b3) ^ u64::from(*byte);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}
