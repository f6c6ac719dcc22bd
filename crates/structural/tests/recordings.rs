//! Recorded conversations about custom resources: what their schema makes of each body is compared with what
//! kube-apiserver answered.

use std::path::Path;

use field::Error;
use serde_json::{Value, json};
use structural::{
    Malformed, Structural, coerce_metadata, default, drop_nulls, prune, validate, validate_lists,
    validate_metadata,
};

/// The schema of the definition, if there is exactly one version and it is never changed.
fn schema_of(scenario: &Value) -> Option<(String, Value)> {
    let about_definitions = |step: &&Value| {
        step["request"]["path"].as_str().is_some_and(|path| path.contains("/customresourcedefinitions"))
            && step["request"]["method"] != "GET"
    };
    let steps: Vec<&Value> = scenario["steps"].as_array()?.iter().filter(about_definitions).collect();
    let [definition] = steps.as_slice() else { return None };
    let spec = &definition["request"]["body"]["spec"];
    let versions = spec["versions"].as_array()?;
    let [version] = versions.as_slice() else { return None };
    if version.get("subresources").is_some() {
        return None;
    }
    let plural = spec["names"]["plural"].as_str()?;
    Some((plural.to_owned(), version["schema"]["openAPIV3Schema"].clone()))
}

/// The causes as (reason, message, field), but for those about metadata.
fn causes(answer: &Value) -> Vec<(String, String, String)> {
    let text = |cause: &Value, key: &str| cause[key].as_str().unwrap_or_default().to_owned();
    let causes = answer["details"]["causes"].as_array().into_iter().flatten();
    causes
        .map(|cause| (text(cause, "reason"), text(cause, "message"), text(cause, "field")))
        .filter(|(_, _, field)| {
            !field.starts_with("metadata") && !matches!(field.as_str(), "kind" | "fieldValidation")
        })
        .collect()
}

/// Whether a value is the recorded one, in which times have been replaced and numbers may be written otherwise.
fn is_same(found: &Value, recorded: &Value) -> bool {
    match (found, recorded) {
        (Value::Number(found), Value::Number(recorded)) => found.as_f64() == recorded.as_f64(),
        (Value::Array(found), Value::Array(recorded)) => {
            found.len() == recorded.len() && found.iter().zip(recorded).all(|(a, b)| is_same(a, b))
        }
        (Value::Object(found), Value::Object(recorded)) => {
            found.len() == recorded.len()
                && found.iter().zip(recorded).all(|(a, b)| a.0 == b.0 && is_same(a.1, b.1))
        }
        _ => found == recorded || recorded == "<time>",
    }
}

fn without_metadata(object: &Value) -> Value {
    let mut fields = object.as_object().cloned().unwrap_or_default();
    for name in ["apiVersion", "kind", "metadata"] {
        fields.shift_remove(name);
    }
    Value::Object(fields)
}

/// Replays one POST. None if its answer has nothing to do with the schema.
fn differs(step: &Value, schema: &Structural) -> Option<Option<String>> {
    let answer = &step["expect"]["body"];
    let status = step["expect"]["status"].as_u64()?;
    let mut object = step["request"].get("body").cloned().or_else(|| {
        let text = step["request"]["text"].as_str()?;
        codec::json::parse(text.as_bytes()).ok().and_then(|node| schema::decode::to_value(&node).ok())
    })?;
    if !object.is_object()
        || !matches!(status, 201 | 422)
        || answer["details"].get("causes").is_none() && status == 422
    {
        return None;
    }
    object.sort_all_objects();
    let mut unknown = prune(&mut object, schema, true);
    drop_nulls(&mut object, schema);
    let coerced = coerce_metadata(&mut object, schema, Malformed::Refuse).ok()?;
    unknown.extend(coerced);
    default(&mut object, schema);
    let mut errors = validate_metadata(&object, schema, &|_| Vec::new(), &|_, _| Vec::new());
    errors.extend(validate(&object, None, schema));
    errors.extend(validate_lists(&object, schema));
    let found: Vec<(String, String, String)> = errors
        .iter()
        .map(|error: &Error| (error.reason().to_owned(), error.message(), error.field.clone()))
        .collect();
    let expected = causes(answer);
    if found != expected {
        return Some(Some(format!("{found:#?}\ninstead of {expected:#?}")));
    }
    if status == 201 && !is_same(&without_metadata(&object), &without_metadata(answer)) {
        return Some(Some(format!("{object:#}\ninstead of {answer:#}")));
    }
    let warnings = step["expect"]["headers"]["warning"].as_array().cloned().unwrap_or_default();
    let expected: Vec<&Value> = warnings
        .iter()
        .filter(|warning| {
            warning
                .as_str()
                .is_some_and(|text| text.contains("unknown field \\\"") && !text.contains("\"metadata."))
        })
        .collect();
    let found: Vec<Value> =
        unknown.iter().map(|path| json!(format!("299 - \"unknown field \\\"{path}\\\"\""))).collect();
    if status == 201
        && !step["request"]["path"].as_str()?.contains("fieldValidation")
        && expected != found.iter().collect::<Vec<_>>()
    {
        return Some(Some(format!("{unknown:?}\ninstead of {expected:?}")));
    }
    Some(None)
}

#[test]
fn what_a_schema_makes_of_an_object_is_what_was_recorded() {
    let recordings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/recordings");
    let (mut replayed, mut wrong) = (0, Vec::new());
    let areas = std::fs::read_dir(&recordings).into_iter().flatten().flatten();
    for area in areas {
        for file in std::fs::read_dir(area.path()).into_iter().flatten().flatten() {
            let text = std::fs::read_to_string(file.path()).unwrap_or_default();
            let scenario: Value = serde_json::from_str(&text).unwrap_or_default();
            let Some((plural, schema)) = schema_of(&scenario) else { continue };
            if schema.to_string().contains("x-kubernetes-validations") {
                continue;
            }
            let schema = Structural::parse(&schema);
            for step in scenario["steps"].as_array().into_iter().flatten() {
                let request = &step["request"];
                let path = request["path"].as_str().unwrap_or_default();
                let path = path.split('?').next().unwrap_or_default();
                if request["method"] != "POST" || !path.ends_with(&format!("/{plural}")) {
                    continue;
                }
                match differs(step, &schema) {
                    None => {}
                    Some(None) => replayed += 1,
                    Some(Some(how)) => {
                        wrong.push(format!("{} {}: {how}", file.path().display(), step["id"]));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{} wrong, {replayed} right", wrong.join("\n"), wrong.len());
    println!("{replayed} right");
}
