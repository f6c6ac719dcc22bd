//! Lists of the types `set` and `map`: none of their items may stand twice.
//!
//! See <https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy>.

use field::{AddError, Error, Path};
use json_tree::{Map, Value};

use crate::{ListType, Structural};

/// The items of sets and maps that stand twice. Each is said once, where it stands the second time.
pub fn validate_lists(object: &Value, schema: &Structural) -> Vec<Error> {
    let mut errors = Vec::new();
    walk(object, schema, &Path::default(), &mut errors);
    errors
}

fn walk(value: &Value, schema: &Structural, path: &Path, errors: &mut Vec<Error>) {
    match value {
        Value::Object(fields) => {
            if let Some(additional) = schema.additional() {
                for (name, value) in fields {
                    if holds_lists(value) {
                        walk(value, additional, &path.key(name), errors);
                    }
                }
            }
            for (name, value) in fields {
                if holds_lists(value)
                    && let Some(property) = schema.property(name)
                {
                    walk(value, property, &path.named(name), errors);
                }
            }
        }
        Value::Array(items) => {
            match schema.list_type {
                Some(ListType::Set) => {
                    for index in repeated(items) {
                        errors.duplicate(path.index(index), items[index].clone());
                    }
                }
                Some(ListType::Map) => map(items, schema, path, errors),
                _ => {}
            }
            let Some(schema) = &schema.items else { return };
            for (index, item) in items.iter().enumerate() {
                if holds_lists(item) {
                    walk(item, schema, &path.index(index), errors);
                }
            }
        }
        _ => {}
    }
}

fn holds_lists(value: &Value) -> bool {
    matches!(value, Value::Object(_) | Value::Array(_))
}

fn map(items: &[Value], schema: &Structural, path: &Path, errors: &mut Vec<Error>) {
    if let Some(index) = items.iter().position(|item| !item.is_object() && !item.is_null()) {
        errors.invalid(
            path.index(index),
            items[index].clone(),
            "must be an object for an array of list-type map",
        );
        return;
    }
    let keys: Vec<Value> = items.iter().map(|item| Value::Object(key(item, schema))).collect();
    for index in repeated(&keys) {
        errors.duplicate(path.index(index), keys[index].clone());
    }
}

/// Returns the keys that tell an item of a map from the others: those that it has, in the order in which Go prints them.
fn key(item: &Value, schema: &Structural) -> Map<String, Value> {
    let mut names: Vec<&String> = schema.list_map_keys.iter().collect();
    schema::sort_by(&mut names, |a, b| a.cmp(b));
    names.into_iter().filter_map(|name| Some((name.clone(), item.get(name)?.clone()))).collect()
}

/// Returns the indices at which items stand for the second time.
fn repeated(items: &[Value]) -> Vec<usize> {
    let mut sorted: Vec<(Vec<u8>, usize)> =
        items.iter().enumerate().map(|(index, item)| (identity(item), index)).collect();
    schema::sort(&mut sorted);
    let mut found: Vec<usize> = Vec::new();
    let mut times = 1;
    for pair in sorted.windows(2) {
        times = if pair[0].0 == pair[1].0 { times + 1 } else { 1 };
        if times == 2 {
            found.push(pair[1].1);
        }
    }
    schema::sort(&mut found);
    found
}

/// Returns bytes that are equal for two items that count as the same: a float is never an integer.
fn identity(item: &Value) -> Vec<u8> {
    let mut text = codec::json::to_vec(item);
    if item.is_f64() {
        text.push(b'f');
    }
    text
}

#[cfg(test)]
#[expect(clippy::needless_pass_by_value, reason = "data is written where it is used")]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check(schema: Value, object: Value, expected: &[&str]) {
        let errors: Vec<String> =
            validate_lists(&object, &Structural::parse(&schema)).iter().map(Error::to_string).collect();
        assert_eq!(errors, expected);
    }

    #[test]
    fn sets() {
        let schema = json!({"properties": {"s": {"items": {}, "x-kubernetes-list-type": "set"}}});
        check(schema.clone(), json!({"s": ["a", "b", "c"]}), &[]);
        check(schema.clone(), json!({"s": [1, 1.0, "1"]}), &[]);
        check(
            schema.clone(),
            json!({"s": ["a", "b", "a", "b", "a"]}),
            &[r#"s[2]: Duplicate value: "a""#, r#"s[3]: Duplicate value: "b""#],
        );
        check(
            schema,
            json!({"s": [{"a": 1}, [1], null, {"a": 1}, [1], null]}),
            &[
                r#"s[3]: Duplicate value: {"a":1}"#,
                "s[4]: Duplicate value: [1]",
                "s[5]: Duplicate value: null",
            ],
        );
    }

    #[test]
    fn maps() {
        let schema = json!({"properties": {"m": {"additionalProperties": {
            "items": {}, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["b", "a"],
        }}}});
        check(
            schema.clone(),
            json!({"m": {"k": [{"a": 1, "b": 2}, {"a": 1}, {"a": 1, "b": 2, "c": 3}, {"a": 1}, {}, null]}}),
            &[
                r#"m[k][2]: Duplicate value: {"a":1,"b":2}"#,
                r#"m[k][3]: Duplicate value: {"a":1}"#,
                "m[k][5]: Duplicate value: {}",
            ],
        );
        check(
            schema,
            json!({"m": {"k": [{"a": 1}, {"a": 1}, 1]}}),
            &["m[k][2]: Invalid value: 1: must be an object for an array of list-type map"],
        );
    }

    #[test]
    fn lists_in_lists() {
        let schema = json!({"properties": {"l": {"items": {"items": {}, "x-kubernetes-list-type": "set"}}}});
        check(schema, json!({"l": [[1], [1, 1]]}), &["l[1][1]: Duplicate value: 1"]);
    }
}
