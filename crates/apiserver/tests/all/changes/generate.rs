//! Schemas, and objects by a schema: OpenAPI's, in which every scalar has an `enum`.

use json_tree::{Map, Value, json};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

/// The keys of maps.
const KEYS: &[&str] = &["a", "b", "c"];

/// Values of a schema. If they are whole, they have all that is required, else only what tells items apart, and no
/// empty list of which items are owned: nobody can own that. Nor have they another empty list or an empty map then: it is
/// owned, but not stored, so that whoever applies it again adds what another owns.
pub(crate) fn values(schema: &Value, whole: bool) -> BoxedStrategy<Value> {
    let inside = |name: &str| values(&schema[name], whole);
    if let Some(choices) = schema["enum"].as_array() {
        return select(choices.clone()).boxed();
    }
    if schema["type"] == "array" {
        return match schema["x-kubernetes-list-type"].as_str() {
            Some("set") => {
                let all = schema["items"]["enum"].as_array().cloned().unwrap_or_default();
                let (least, most) = (usize::from(!whole), all.len());
                subsequence(all, least..=most).prop_shuffle().prop_map(Value::from).boxed()
            }
            Some("map") => {
                let schema = schema.clone();
                let items = structs(&schema["items"], whole, &keys_of(&schema));
                vec(items, 1..=3).prop_map(move |items| Value::from(told_apart(&schema, items))).boxed()
            }
            _ => vec(inside("items"), usize::from(!whole)..=2).prop_map(Value::from).boxed(),
        };
    }
    if schema["additionalProperties"].is_object() {
        let entries = btree_map(select(KEYS), inside("additionalProperties"), usize::from(!whole)..=2);
        return entries.prop_map(|entries| json!(entries)).boxed();
    }
    if schema["properties"].is_object() {
        return structs(schema, whole, &[]);
    }
    btree_map(select(KEYS), free(), 0..=2).prop_map(|entries| json!(entries)).boxed()
}

/// Any value, of two levels at most.
fn free() -> impl Strategy<Value = Value> {
    let leaf = select(vec![json!(1), json!("x"), json!(true), json!({}), json!([])]);
    leaf.prop_recursive(1, 4, 2, |inner| {
        prop_oneof![
            2 => btree_map(select(KEYS), inner.clone(), 0..=2).prop_map(|entries| json!(entries)),
            1 => vec(inner, 0..=2).prop_map(Value::from),
        ]
    })
    .boxed()
}

fn structs(schema: &Value, whole: bool, keys: &[String]) -> BoxedStrategy<Value> {
    let required = |name: &String| {
        let properties = &schema["properties"];
        let required = schema["required"].as_array().is_some_and(|names| names.iter().any(|own| own == name));
        whole && required || keys.contains(name) && properties[name].get("default").is_none()
    };
    let mut fields = Vec::new();
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        let (name, always) = (name.clone(), required(name));
        let field = (values(schema, whole), proptest::bool::weighted(0.6));
        fields.push(field.prop_map(move |(value, there)| (there || always).then(|| (name.clone(), value))));
    }
    fields.prop_map(|fields| Value::Object(fields.into_iter().flatten().collect())).boxed()
}

fn keys_of(schema: &Value) -> Vec<String> {
    let keys = schema["x-kubernetes-list-map-keys"].as_array().into_iter().flatten();
    keys.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns the key of an item: the values by which it is told apart.
pub(crate) fn key_of(schema: &Value, item: &Value) -> Vec<Value> {
    let default = |key: &String| schema["items"]["properties"][key]["default"].clone();
    keys_of(schema).iter().map(|key| item.get(key).cloned().unwrap_or_else(|| default(key))).collect()
}

/// The items whose keys, and names if they have any, no other has.
fn told_apart(schema: &Value, items: Vec<Value>) -> Vec<Value> {
    let (mut keys, mut names) = (Vec::new(), Vec::new());
    let mut new = |item: &Value| {
        let (key, name) = (key_of(schema, item), item["name"].clone());
        let new = !keys.contains(&key) && (name.is_null() || !names.contains(&name));
        if new {
            keys.push(key);
            names.push(name);
        }
        new
    };
    items.into_iter().filter(|item| new(item)).collect()
}

/// Text, numbers, or either, that have values to choose from.
fn scalar() -> impl Strategy<Value = Value> {
    select(vec![
        json!({ "type": "string", "enum": ["x", "y"] }),
        json!({ "type": "integer", "enum": [1, 2] }),
        json!({ "type": "boolean", "enum": [true, false] }),
        json!({ "x-kubernetes-int-or-string": true, "enum": [1, "x"] }),
        json!({ "type": "string", "enum": ["x", "y"], "default": "x" }),
    ])
}

fn with(mut schema: Value, key: &str, value: Option<&str>) -> Value {
    if let (Some(text), Value::Object(schema)) = (value, &mut schema) {
        schema.insert(key.to_owned(), text.into());
    }
    schema
}

/// A list whose items are told apart by one or two keys, one of which may have a default.
fn associative(item: Map<String, Value>, keys: usize, default: bool) -> Value {
    let mut properties = item;
    properties.insert("k".to_owned(), json!({ "type": "string", "enum": ["x", "y", "z"] }));
    let (mut names, mut required) = (vec!["k"], vec!["k"]);
    if keys == 2 {
        let mut schema = json!({ "type": "integer", "enum": [1, 2] });
        names.push("l");
        if default {
            schema["default"] = json!(1);
        } else {
            required.push("l");
        }
        properties.insert("l".to_owned(), schema);
    }
    json!({
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": names,
        "items": { "type": "object", "properties": properties, "required": required },
    })
}

/// Any schema of a definition.
fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        4 => scalar(),
        1 => Just(json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true })),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let map_type = select(vec![None, Some("granular"), Some("atomic")]);
        let fields = || btree_map(select(KEYS), inner.clone(), 1..=3);
        let text = json!({ "type": "string", "enum": ["x", "y", "z"] });
        prop_oneof![
            (fields(), map_type.clone()).prop_map(|(fields, map_type)| {
                with(json!({ "type": "object", "properties": fields }), "x-kubernetes-map-type", map_type)
            }),
            (inner.clone(), map_type).prop_map(|(value, map_type)| {
                with(
                    json!({ "type": "object", "additionalProperties": value }),
                    "x-kubernetes-map-type",
                    map_type,
                )
            }),
            (inner.clone(), select(vec![None, Some("atomic")])).prop_map(|(item, list_type)| {
                with(json!({ "type": "array", "items": item }), "x-kubernetes-list-type", list_type)
            }),
            Just(json!({ "type": "array", "items": text, "x-kubernetes-list-type": "set" })),
            (fields(), 1..=2_usize, any::<bool>()).prop_map(|(fields, keys, default)| {
                let fields = fields.into_iter().map(|(name, schema)| (name.to_owned(), schema));
                associative(fields.collect(), keys, default)
            }),
        ]
    })
}

/// Any schema of a definition: an object with some fields in `spec`.
pub(crate) fn schemas() -> impl Strategy<Value = Value> {
    btree_map(select(KEYS), schema(), 1..=3).prop_map(|fields| {
        json!({ "type": "object", "properties": { "spec": { "type": "object", "properties": fields } } })
    })
}
