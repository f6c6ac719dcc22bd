//! The kind Secret.
//!
//! See <https://kubernetes.io/docs/concepts/configuration/secret/>.

mod printer;
mod warnings;

use json_tree::{Map, Value};
use schema::Node;

use crate::core::config_map::{MAX_SIZE, decoded_length, key_errors, size, unchanged};
use crate::kind::{Checks, Kind, Pass, Printer, passes};
use crate::validation::metadata::immutable;
use crate::validation::read::{at, map, text};
use apimachinery::selector::field::{SelectableFields, Source};
use field::{AddError, Error, Path};
use golang::base64;

/// The kind Secret.
pub(crate) struct Secret;

impl Kind for Secret {
    const GROUP: &'static str = "";
    const RESOURCE: &'static str = "secrets";
    const SELECTABLE_FIELDS: Option<&'static SelectableFields> =
        Some(&SelectableFields::of(true, &[("type", Source::At("/type", ""))]));
    const UPDATE_PASSES: &'static [Pass] = passes::UPDATE_CREATE;

    fn checks() -> Checks {
        Checks::none().validate(create).validate_update(update).warn(warnings::warn)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

/// The text that messages show in place of a secret.
const REDACTED: &str = "<secret contents redacted>";

fn create(object: &Value) -> Vec<Error> {
    let data = map(object, "data");
    let path = Path::new("data");
    let mut errors: Vec<Error> = Vec::new();
    for key in data.into_iter().flat_map(Map::keys) {
        errors.extend(key_errors(key, &path.key(key)));
    }
    if size(data, decoded_length) > MAX_SIZE {
        errors.too_long(&path, MAX_SIZE);
    }
    let has = |key: &str| data.is_some_and(|data| data.contains_key(key));
    let missing =
        |keys: &[&str]| keys.iter().map(|key| Error::required(path.key(key), "")).collect::<Vec<_>>();
    errors.extend(match text(object, "type") {
        "kubernetes.io/service-account-token" => {
            const NAME: &str = "kubernetes.io/service-account.name";
            if text(at(object, "/metadata/annotations"), NAME).is_empty() {
                vec![Error::required(Path::new("metadata").child("annotations").key(NAME), "")]
            } else {
                Vec::new()
            }
        }
        "kubernetes.io/dockercfg" => registry_logins(data, ".dockercfg"),
        "kubernetes.io/dockerconfigjson" => registry_logins(data, ".dockerconfigjson"),
        "kubernetes.io/basic-auth" if !has("username") && !has("password") => {
            missing(&["username", "password"])
        }
        "kubernetes.io/ssh-auth" if text(at(object, "/data"), "ssh-privatekey").is_empty() => {
            missing(&["ssh-privatekey"])
        }
        "kubernetes.io/tls" => {
            let keys: Vec<&str> = ["tls.crt", "tls.key"].into_iter().filter(|key| !has(key)).collect();
            missing(&keys)
        }
        _ => Vec::new(),
    });
    errors
}

/// Validates the logins to registries under `key`: they are a JSON object.
fn registry_logins(data: Option<&Map<String, Value>>, key: &str) -> Vec<Error> {
    let path = Path::new("data").key(key);
    let Some(text) = data.and_then(|data| data.get(key)) else {
        return vec![Error::required(&path, "")];
    };
    let bytes = base64::decode(text.as_str().unwrap_or_default()).unwrap_or_default();
    let kind = match codec::json::parse(&bytes) {
        Ok(Node::Map(_) | Node::Null) => return Vec::new(),
        Ok(Node::List(_)) => "array",
        Ok(Node::String(_)) => "string",
        Ok(Node::Bool(_)) => "bool",
        Ok(Node::Number(_)) => "number",
        Err(error) => return vec![Error::invalid(&path, REDACTED, error.to_string())],
    };
    let why = format!("json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}");
    vec![Error::invalid(&path, REDACTED, why)]
}

fn update(object: &Value, old: &Value) -> Vec<Error> {
    let kind = text(object, "type");
    let mut errors = Vec::new();
    if kind != text(old, "type") {
        errors.push(immutable(&Path::new("type"), kind.into()));
    }
    errors.extend(unchanged(object, old, &["data"]));
    errors
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::core::config_map::tests::KEY;
    use crate::validation::check;

    #[test]
    fn secrets() {
        check(&create(&json!({"type": "Opaque", "data": {"a": "eA=="}})), "");
        check(
            &create(&json!({"data": {"a b": "eA=="}})),
            &format!("data[a b]: Invalid value: \"a b\": {KEY}"),
        );
        check(
            &create(&json!({"type": "kubernetes.io/tls"})),
            "[data[tls.crt]: Required value, data[tls.key]: Required value]",
        );
        let login = |text: &str| {
            create(&json!({"type": "kubernetes.io/dockercfg", "data": {".dockercfg": base64::encode(text)}}))
        };
        check(&login("{}"), "");
        check(
            &login("x"),
            "data[.dockercfg]: Invalid value: \"<secret contents redacted>\": invalid character 'x' looking for beginning of value",
        );
        check(
            &login("[]"),
            "data[.dockercfg]: Invalid value: \"<secret contents redacted>\": json: cannot unmarshal array into Go value of type map[string]interface {}",
        );
        check(
            &create(&json!({"type": "kubernetes.io/service-account-token", "metadata": {}})),
            "metadata.annotations[kubernetes.io/service-account.name]: Required value",
        );
        check(
            &update(&json!({"type": "example.com/other"}), &json!({"type": "Opaque"})),
            "type: Invalid value: \"example.com/other\": field is immutable",
        );
    }
}
