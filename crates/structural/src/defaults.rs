//! Defaulting, and nulls where none may be.
//!
//! See <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting-and-nullable>.

use json_tree::{Map, Value};

use crate::Structural;

/// Fills in the defaults of `schema`: where a field is absent, and where it is `null` but may not be. A default gets
/// the defaults of its own fields. New keys stand where the alphabet has them.
pub fn default(value: &mut Value, schema: &Structural) {
    match value {
        Value::Object(fields) => {
            let mut absent = Vec::new();
            for (name, property) in &schema.properties {
                let Some(default) = &property.default else { continue };
                match fields.get_mut(name) {
                    Some(value) if value.is_null() && !property.nullable => *value = default.clone(),
                    Some(_) => {}
                    None => absent.push((name.clone(), default.clone())),
                }
            }
            insert_sorted(fields, absent);
            for (name, value) in fields {
                if let Some(property) = schema.property(name) {
                    default(value, property);
                } else if let Some(additional) = schema.additional() {
                    fill(value, additional);
                }
            }
        }
        Value::Array(items) => {
            if let Some(schema) = &schema.items {
                items.iter_mut().for_each(|item| fill(item, schema));
            }
        }
        _ => {}
    }
}

/// Defaults a value of a map or list, which has no place to be absent from.
fn fill(value: &mut Value, schema: &Structural) {
    if value.is_null()
        && !schema.nullable
        && let Some(default) = &schema.default
    {
        *value = default.clone();
    }
    default(value, schema);
}

/// Puts each new field before the first whose name is greater.
fn insert_sorted(fields: &mut Map<String, Value>, new: Vec<(String, Value)>) {
    if fields.keys().is_sorted() {
        fields.extend(new);
        fields.sort_keys();
        return;
    }
    for (name, value) in new {
        let index = fields.keys().position(|key| *key > name).unwrap_or(fields.len());
        fields.shift_insert(index, name, value);
    }
}

/// Drops the fields that are `null` though their schema neither allows that nor has a default to put there.
pub fn drop_nulls(value: &mut Value, schema: &Structural) {
    match value {
        Value::Object(fields) => fields.retain(|name, value| {
            let Some(schema) = schema.field(name) else { return true };
            if value.is_null() {
                return schema.nullable || schema.default.is_some();
            }
            drop_nulls(value, schema);
            true
        }),
        Value::Array(items) => {
            if let Some(schema) = &schema.items {
                items.iter_mut().for_each(|item| drop_nulls(item, schema));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
#[expect(clippy::needless_pass_by_value, reason = "data is written where it is used")]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check(schema: Value, mut object: Value, expected: Value) {
        let schema = Structural::parse(&schema);
        drop_nulls(&mut object, &schema);
        default(&mut object, &schema);
        assert_eq!(object.to_string(), expected.to_string());
    }

    #[test]
    fn absent_fields_get_their_default() {
        let schema = json!({"properties": {
            "b": {"default": 1},
            "a": {"default": {"z": 1}, "properties": {"y": {"default": "y"}, "x": {"properties": {"w": {"default": 1}}}}},
            "c": {"properties": {"d": {"default": 2}}},
        }});
        check(schema.clone(), json!({}), json!({"a": {"y": "y", "z": 1}, "b": 1}));
        check(schema.clone(), json!({"c": {}}), json!({"a": {"y": "y", "z": 1}, "b": 1, "c": {"d": 2}}));
        check(schema, json!({"a": {}, "b": 2, "c": 3}), json!({"a": {"y": "y"}, "b": 2, "c": 3}));
    }

    #[test]
    fn nulls_go_or_stay_or_become_the_default() {
        let schema = json!({"properties": {
            "a": {}, "d": {"default": 1}, "n": {"nullable": true}, "nd": {"nullable": true, "default": 1},
            "m": {"additionalProperties": {}}, "md": {"additionalProperties": {"default": 3}},
            "l": {"items": {}}, "ld": {"items": {"default": 4}}, "any": {},
        }});
        check(
            schema,
            json!({
                "a": null, "any": {"x": null}, "d": null, "l": [null, {}], "ld": [null],
                "m": {"k": null}, "md": {"k": null}, "n": null, "nd": null, "unknown": null,
            }),
            json!({
                "any": {"x": null}, "d": 1, "l": [null, {}], "ld": [4], "m": {}, "md": {"k": 3},
                "n": null, "nd": null, "unknown": null,
            }),
        );
    }
}
