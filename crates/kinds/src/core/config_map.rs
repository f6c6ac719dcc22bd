//! The kind ConfigMap, and the keys and sizes that Secrets share with it.
//!
//! See <https://kubernetes.io/docs/concepts/configuration/configmap/>.

mod printer;

use json_tree::{Map, Value};

use crate::kind::{Checks, Kind, Pass, Printer, passes};
use crate::validation::name;
use crate::validation::read::{get, is_true, map, same};
use field::{AddError, Error, Path};

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
pub(super) const MAX_SIZE: usize = 1024 * 1024;

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

/// Returns the errors for fields that changed though the old object is `immutable`.
pub(super) fn unchanged(object: &Value, old: &Value, fields: &[&str]) -> Vec<Error> {
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

pub(super) fn key_errors(key: &str, path: &Path) -> Vec<Error> {
    name::config_key(key).into_iter().map(|why| Error::invalid(path, key, why)).collect()
}

pub(super) fn size(entries: Option<&Map<String, Value>>, length: fn(&str) -> usize) -> usize {
    entries.into_iter().flat_map(Map::values).map(|value| value.as_str().map_or(0, length)).sum()
}

/// Returns how many bytes a base64 text stands for.
pub(super) fn decoded_length(base64: &str) -> usize {
    base64.bytes().filter(|b| !matches!(b, b'=' | b'\n' | b'\r')).count() * 3 / 4
}

#[cfg(test)]
pub(super) mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check;

    /// The error of a key that is none.
    pub(crate) const KEY: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

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
}
