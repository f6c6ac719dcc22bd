//! ConfigMap and Secret.
//!
//! See <https://kubernetes.io/docs/concepts/configuration/configmap/> and
//! <https://kubernetes.io/docs/concepts/configuration/secret/>.

mod printer;

use json_tree::{Map, Value};
use schema::Node;

use crate::kind::{Checks, Kind, Pass, Printer, passes};
use crate::validation::metadata::immutable;
use crate::validation::name;
use crate::validation::read::{at, get, is_true, map, same, text};
use field::{AddError, Error, Path};
use golang::base64;

/// The kind ConfigMap.
pub(crate) struct ConfigMap;

impl Kind for ConfigMap {
    const GROUP: &'static str = "";
    const RESOURCE: &'static str = "configmaps";
    const UPDATE_PASSES: &'static [Pass] = passes::UPDATE_CREATE;

    fn checks() -> Checks {
        Checks::none().validate(create_config_map).validate_update(update_config_map)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

/// All values of one object together, in bytes.
const MAX_SIZE: usize = 1024 * 1024;
/// The text that messages show in place of a secret.
const REDACTED: &str = "<secret contents redacted>";

fn create_config_map(object: &Value) -> Vec<Error> {
    let (data, binary) = (map(object, "data"), map(object, "binaryData"));
    let mut errors = Vec::new();
    for (field, entries) in [("data", data), ("binaryData", binary)] {
        for key in entries.into_iter().flat_map(Map::keys) {
            let path = Path::new(field).key(key);
            errors.extend(key_errors(key, &path));
            if field == "data" && binary.is_some_and(|binary| binary.contains_key(key)) {
                let why = "duplicate of key present in binaryData";
                errors.invalid(&path, key.as_str(), why);
            }
        }
    }
    if size(data, str::len) + size(binary, decoded_length) > MAX_SIZE {
        // The whole object is meant, whose path prints as that of a field without a name.
        errors.too_long(Path::new("[]"), MAX_SIZE);
    }
    errors
}

fn update_config_map(object: &Value, old: &Value) -> Vec<Error> {
    unchanged(object, old, &["data", "binaryData"])
}

pub(crate) fn create_secret(object: &Value) -> Vec<Error> {
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

pub(crate) fn update_secret(object: &Value, old: &Value) -> Vec<Error> {
    let kind = text(object, "type");
    let mut errors = Vec::new();
    if kind != text(old, "type") {
        errors.push(immutable(&Path::new("type"), kind.into()));
    }
    errors.extend(unchanged(object, old, &["data"]));
    errors
}

/// Returns the errors for fields that changed though the old object is `immutable`.
fn unchanged(object: &Value, old: &Value, fields: &[&str]) -> Vec<Error> {
    if !is_true(old, "immutable") {
        return Vec::new();
    }
    let forbidden =
        |field: &str| Error::forbidden(Path::new(field), "field is immutable when `immutable` is set");
    let mut errors = Vec::new();
    if !is_true(object, "immutable") {
        errors.push(forbidden("immutable"));
    }
    errors.extend(
        fields
            .iter()
            .filter(|field| !same(get(object, field), get(old, field)))
            .map(|field| forbidden(field)),
    );
    errors
}

fn key_errors(key: &str, path: &Path) -> Vec<Error> {
    name::config_key(key).into_iter().map(|why| Error::invalid(path, key, why)).collect()
}

fn size(entries: Option<&Map<String, Value>>, length: fn(&str) -> usize) -> usize {
    entries.into_iter().flat_map(Map::values).map(|value| value.as_str().map_or(0, length)).sum()
}

/// How many bytes a base64 text stands for.
fn decoded_length(base64: &str) -> usize {
    base64.bytes().filter(|b| !matches!(b, b'=' | b'\n' | b'\r')).count() * 3 / 4
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check;

    const KEY: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

    #[test]
    fn config_maps() {
        check(&create_config_map(&json!({"data": {"a": "x"}, "binaryData": {"b": "AA=="}})), "");
        check(
            &create_config_map(&json!({"data": {"bad key": "x"}})),
            &format!("data[bad key]: Invalid value: \"bad key\": {KEY}"),
        );
        check(&create_config_map(&json!({"data": {"k": "x".repeat(MAX_SIZE)}})), "");
        check(
            &create_config_map(&json!({"data": {"k": "x".repeat(MAX_SIZE), "l": "x"}})),
            "[]: Too long: may not be more than 1048576 bytes",
        );
        let frozen = json!({"immutable": true, "data": {"a": "1"}});
        check(&update_config_map(&frozen, &frozen), "");
        check(
            &update_config_map(&json!({"immutable": false, "data": {"a": "2"}}), &json!({"data": null})),
            "",
        );
        check(
            &update_config_map(&json!({"immutable": true, "data": {"a": "2"}}), &frozen),
            "data: Forbidden: field is immutable when `immutable` is set",
        );
        check(
            &update_config_map(&json!({"data": {"a": "1"}}), &frozen),
            "immutable: Forbidden: field is immutable when `immutable` is set",
        );
    }

    #[test]
    fn a_key_may_stand_in_one_map_only() {
        let errors = create_config_map(&json!({"data": {"k": "x"}, "binaryData": {"k": "AA=="}}));
        check(&errors, "data[k]: Invalid value: \"k\": duplicate of key present in binaryData");
    }

    #[test]
    fn secrets() {
        check(&create_secret(&json!({"type": "Opaque", "data": {"a": "eA=="}})), "");
        check(
            &create_secret(&json!({"data": {"a b": "eA=="}})),
            &format!("data[a b]: Invalid value: \"a b\": {KEY}"),
        );
        check(
            &create_secret(&json!({"type": "kubernetes.io/tls"})),
            "[data[tls.crt]: Required value, data[tls.key]: Required value]",
        );
        let login = |text: &str| {
            create_secret(
                &json!({"type": "kubernetes.io/dockercfg", "data": {".dockercfg": base64::encode(text)}}),
            )
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
            &create_secret(&json!({"type": "kubernetes.io/service-account-token", "metadata": {}})),
            "metadata.annotations[kubernetes.io/service-account.name]: Required value",
        );
        check(
            &update_secret(&json!({"type": "example.com/other"}), &json!({"type": "Opaque"})),
            "type: Invalid value: \"example.com/other\": field is immutable",
        );
    }
}
