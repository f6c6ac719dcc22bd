//! The part of an object that a manager owns, as the configuration that it would apply.
//! See <https://kubernetes.io/docs/reference/using-api/server-side-apply/#transferring-ownership>.

use json_tree::{Map, Value, json};

use crate::model::timeline::ownership::{entries, means};

/// The configuration by which `manager` has come to own what it owns of `object`, by applying or else by updating it;
/// `None` if it owns nothing. The names of the object are in it.
pub(crate) fn configuration(object: &Value, manager: &str, subresource: &str) -> Option<Value> {
    let by = |operation: &str| {
        entries(object).iter().find(|entry| {
            let is =
                |key: &str, value: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default() == value;
            is("manager", manager) && is("operation", operation) && is("subresource", subresource)
        })
    };
    let fields = by("Apply").or_else(|| by("Update"))?.get("fieldsV1")?.as_object()?;
    let owned = part(object, fields)?;
    let mut configuration = identity(object);
    let map = configuration.as_object_mut()?;
    for (key, value) in owned.as_object()? {
        match (key.as_str(), map.get_mut(key), value) {
            ("metadata", Some(Value::Object(metadata)), Value::Object(owned)) => {
                let owned = owned.iter().map(|(key, value)| (key.clone(), value.clone()));
                metadata.extend(owned);
            }
            _ => drop(map.insert(key.clone(), value.clone())),
        }
    }
    Some(configuration)
}

/// Returns the part of a configuration that identifies `object`.
pub(crate) fn identity(object: &Value) -> Value {
    let name = object.pointer("/metadata/name").cloned().unwrap_or_default();
    let of = |key: &str| object.get(key).cloned().unwrap_or_default();
    json!({"apiVersion": of("apiVersion"), "kind": of("kind"), "metadata": {"name": name}})
}

/// Returns the part of `value` that `fields` covers.
fn part(value: &Value, fields: &Map<String, Value>) -> Option<Value> {
    let below = |own: &Value, inside: &Value| -> Option<Value> {
        match inside.as_object().filter(|inside| !inside.is_empty()) {
            Some(inside) if own.is_object() || own.is_array() => part(own, inside),
            _ => Some(own.clone()),
        }
    };
    match value {
        Value::Object(map) => {
            let mut owned = Map::new();
            for (key, own) in map {
                let inside = fields.iter().find(|(element, _)| element.strip_prefix("f:") == Some(key));
                if let Some(own) = inside.and_then(|(_, inside)| below(own, inside)) {
                    owned.insert(key.clone(), own);
                }
            }
            (!owned.is_empty() || fields.contains_key(".")).then_some(Value::Object(owned))
        }
        Value::Array(items) => {
            let mut owned = Vec::new();
            for (at, item) in items.iter().enumerate() {
                let Some((element, inside)) = fields.iter().find(|(element, _)| means(element, at, item))
                else {
                    continue;
                };
                owned.extend(below(item, inside).map(|own| with_keys(own, element)));
            }
            (!owned.is_empty() || fields.contains_key(".")).then_some(Value::Array(owned))
        }
        value => Some(value.clone()),
    }
}

/// An item of a list with the keys that tell it apart: without them it could not be applied.
fn with_keys(mut item: Value, element: &str) -> Value {
    let keys = element.strip_prefix("k:").and_then(|keys| serde_json::from_str(keys).ok());
    if let (Some(Value::Object(keys)), Some(item)) = (keys, item.as_object_mut()) {
        for (key, value) in keys {
            item.entry(key).or_insert(value);
        }
    }
    item
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "for the sake of json!")]
    fn check(manager: &str, subresource: &str, expected: Value) {
        let object = json!({
            "kind": "Thing",
            "apiVersion": "v1",
            "metadata": {
                "name": "a", "uid": "1", "labels": {"x": "1", "y": "2"}, "finalizers": ["a/b", "c/d"],
                "managedFields": [
                    {"manager": "alice", "operation": "Update", "fieldsV1": {"f:data": {"f:n": {}}}},
                    {"manager": "alice", "operation": "Apply", "fieldsV1": {
                        "f:metadata": {"f:labels": {"f:y": {}}, "f:finalizers": {"v:\"c/d\"": {}}},
                        "f:list": {"k:{\"name\":\"b\",\"p\":1}": {".": {}, "f:name": {}, "f:v": {}}},
                    }},
                    {"manager": "bob", "operation": "Update", "fieldsV1": {"f:data": {".": {}, "f:gone": {}}}},
                    {"manager": "bob", "operation": "Update", "subresource": "status", "fieldsV1": {"f:whole": {}}},
                ],
            },
            "list": [{"name": "a", "p": 1, "v": 1}, {"name": "b", "p": 1, "v": 2, "w": 3}],
            "data": {"n": 1},
            "whole": {"a": [1]},
        });
        let got = configuration(&object, manager, subresource).unwrap_or_default();
        assert_eq!(got, expected);
    }

    #[test]
    fn takes_what_is_owned() {
        check(
            "alice",
            "",
            json!({
                "apiVersion": "v1", "kind": "Thing",
                "metadata": {"name": "a", "labels": {"y": "2"}, "finalizers": ["c/d"]},
                "list": [{"name": "b", "v": 2, "p": 1}],
            }),
        );
        let named = |more: Value| {
            let mut all = json!({"apiVersion": "v1", "kind": "Thing", "metadata": {"name": "a"}});
            all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            all
        };
        check("bob", "", named(json!({"data": {}})));
        check("bob", "status", named(json!({"whole": {"a": [1]}})));
        check("carol", "", Value::Null);
    }
}
