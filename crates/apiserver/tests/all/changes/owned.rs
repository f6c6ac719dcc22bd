//! The fields of an object that managers own, and the values that are there.

use json_tree::{Value, json};

use super::generate::key_of;

/// The steps to a field: `f:spec`, `k:{"name":"a"}`, `v:1`.
pub(crate) type Path = Vec<String>;

/// A field that somebody owns, and what it holds, if it is there. Of what is owned part by part it is only told that it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    pub(crate) path: Path,
    pub(crate) value: Option<Value>,
}

/// An entry of `managedFields`, less its time.
pub(crate) struct Entry {
    pub(crate) manager: String,
    pub(crate) operation: String,
    pub(crate) fields: Vec<Field>,
}

/// All who own fields of an object of this schema.
pub(crate) fn owners(schema: &Value, object: &Value) -> Vec<Entry> {
    let text = |entry: &Value, key: &str| entry[key].as_str().unwrap_or_default().to_owned();
    let entries = object["metadata"]["managedFields"].as_array().into_iter().flatten();
    entries
        .map(|entry| Entry {
            manager: text(entry, "manager"),
            operation: text(entry, "operation"),
            fields: fields_of(schema, object, &entry["fieldsV1"]),
        })
        .collect()
}

/// The fields of a set, as they are in another state of the object.
pub(crate) fn fields_of(schema: &Value, object: &Value, set: &Value) -> Vec<Field> {
    let mut fields = Vec::new();
    walk(schema, Some(object), set, &mut Vec::new(), &mut fields);
    fields
}

/// The value at the end of a path.
pub(crate) fn look(schema: &Value, object: &Value, path: &[String]) -> Option<Value> {
    let mut set = json!({});
    for step in path.iter().rev() {
        set = json!({ step.as_str(): set });
    }
    fields_of(schema, object, &set).pop().and_then(|field| field.value)
}

fn walk(schema: &Value, value: Option<&Value>, set: &Value, path: &mut Path, out: &mut Vec<Field>) {
    for (step, inside) in set.as_object().into_iter().flatten() {
        if step == "." {
            out.push(Field { path: path.clone(), value: value.map(|_| json!("there")) });
            continue;
        }
        path.push(step.clone());
        let (schema, value) = child(schema, value, step);
        if inside.as_object().is_some_and(json_tree::Map::is_empty) {
            let there = |value: &Value| if in_parts(schema, value) { json!("there") } else { value.clone() };
            out.push(Field { path: path.clone(), value: value.map(there) });
        } else {
            walk(schema, value, inside, path, out);
        }
        path.pop();
    }
}

fn child<'a>(schema: &'a Value, value: Option<&'a Value>, step: &str) -> (&'a Value, Option<&'a Value>) {
    let (kind, rest) = step.split_once(':').expect("a step");
    let items = value.and_then(Value::as_array).into_iter().flatten();
    let read = || serde_json::from_str::<Value>(rest).expect("JSON");
    match kind {
        "f" => {
            let schema = match schema["properties"].get(rest) {
                Some(schema) => schema,
                None => &schema["additionalProperties"],
            };
            (schema, value.and_then(|value| value.get(rest)))
        }
        "v" => (&schema["items"], items.into_iter().find(|item| **item == read())),
        _ => {
            let key = read();
            let fits = |item: &Value| {
                key.as_object().into_iter().flatten().all(|(key, value)| item.get(key) == Some(value))
            };
            (&schema["items"], items.into_iter().find(|item| fits(item)))
        }
    }
}

/// Returns whether a value is owned part by part.
fn in_parts(schema: &Value, value: &Value) -> bool {
    match value {
        Value::Object(_) => schema["x-kubernetes-map-type"] != "atomic",
        Value::Array(_) => {
            ["set", "map"].contains(&schema["x-kubernetes-list-type"].as_str().unwrap_or_default())
        }
        _ => false,
    }
}

/// Returns whether an object has what was applied to it.
pub(crate) fn has(schema: &Value, object: Option<&Value>, config: &Value) -> bool {
    let nothing = match config {
        Value::Object(entries) => entries.is_empty(),
        Value::Array(items) => items.is_empty(),
        scalar => *scalar == false,
    };
    let Some(object) = object else { return nothing };
    match (config, object) {
        (Value::Object(config), Value::Object(_)) if in_parts(schema, object) => {
            config.iter().all(|(key, value)| {
                let (schema, object) = child(schema, Some(object), &format!("f:{key}"));
                has(schema, object, value)
            })
        }
        (Value::Array(config), Value::Array(items)) if in_parts(schema, object) => {
            config.iter().all(|wanted| {
                if schema["x-kubernetes-list-type"] == "set" {
                    return items.contains(wanted);
                }
                let key = key_of(schema, wanted);
                let found = items.iter().find(|item| key_of(schema, item) == key);
                found.is_some() && has(&schema["items"], found, wanted)
            })
        }
        // What is nothing may be there as another nothing.
        _ => nothing || without_defaults(object, config),
    }
}

/// Returns whether two values are the same, except for what the server adds to items of lists.
fn without_defaults(object: &Value, config: &Value) -> bool {
    match (object, config) {
        (Value::Object(object), Value::Object(config)) => {
            config.iter().all(|(key, value)| object.get(key).is_some_and(|own| without_defaults(own, value)))
        }
        (Value::Array(object), Value::Array(config)) => {
            object.len() == config.len() && object.iter().zip(config).all(|(a, b)| without_defaults(a, b))
        }
        _ => object == config,
    }
}
