//! An object to begin with: what its kind requires, its defaults, and the first of what may be chosen from.

use json_tree::{Map, Value, json};
use schema::FieldType;

use crate::model::explore::fields::{Look, fields, properties, requires};
use crate::model::explore::served::Kind;

/// How deep an example goes at most.
const DEEPEST: usize = 10;

/// An object of a kind.
pub(crate) fn object(kind: &Kind, look: &Look) -> Value {
    let mut object = Map::new();
    object.insert("apiVersion".to_owned(), kind.api_version().into());
    object.insert("kind".to_owned(), kind.kind.as_str().into());
    let prefix = kind.kind.to_ascii_lowercase() + "-";
    object.insert("metadata".to_owned(), json!({"generateName": prefix}));
    let own = match look {
        Look::Object(schema) => {
            let status = kind.parts.iter().any(|part| part.name == "status");
            properties(schema)
                .iter()
                .filter(|(name, _)| !(status && *name == "status"))
                .filter(|(name, of)| *name == "spec" || is_told(schema, name, of))
                .map(|(name, of)| (name.clone(), of_schema(of, name, DEEPEST)))
                .collect()
        }
        look => fields(look)
            .into_iter()
            .filter(|field| field.required || field.name == "spec")
            .map(|field| (field.name.clone(), of_field(&field.look, &field.name, DEEPEST)))
            .collect::<Vec<_>>(),
    };
    for (name, value) in own {
        object.entry(name).or_insert(value);
    }
    Value::Object(object)
}

/// Reports whether an example has a property: if it is required, or has a default.
fn is_told(owner: &Value, name: &str, schema: &Value) -> bool {
    requires(owner, name) || schema.get("default").is_some()
}

/// A value of a built-in type.
fn of_field(look: &Look, name: &str, depth: usize) -> Value {
    let Look::Of(ty) = look else { return Value::Null };
    match ty {
        FieldType::Bool => true.into(),
        FieldType::Int32 | FieldType::Int64 | FieldType::Float64 | FieldType::IntOrString => 1.into(),
        FieldType::Time => "2030-01-01T00:00:00Z".into(),
        FieldType::MicroTime => "2030-01-01T00:00:00.000000Z".into(),
        FieldType::Duration => "1m0s".into(),
        FieldType::Quantity => "1".into(),
        FieldType::Bytes => "".into(),
        FieldType::String => name.into(),
        FieldType::Strings => json!([]),
        FieldType::List(_) if depth == 0 => json!([]),
        FieldType::List(inner) => json!([of_field(&Look::Of(inner), name, depth - 1)]),
        FieldType::Map(_) | FieldType::Any | FieldType::FieldsV1 => json!({}),
        _ if depth == 0 => json!({}),
        _ => {
            let required = fields(look).into_iter().filter(|field| field.required);
            required
                .map(|field| (field.name.clone(), of_field(&field.look, &field.name, depth - 1)))
                .collect()
        }
    }
}

/// A value that a schema takes, as far as its words tell. A pattern does not; its `example` may.
pub(crate) fn of_schema(schema: &Value, name: &str, depth: usize) -> Value {
    let first = schema.get("enum").and_then(|values| values.get(0));
    let told = ["default", "example"].into_iter().find_map(|word| schema.get(word)).or(first);
    if let Some(told) = told {
        return told.clone();
    }
    let number = |word: &str| schema.get(word).and_then(Value::as_f64);
    let least = |word: &str| schema.get(word).and_then(Value::as_u64).unwrap_or_default();
    match schema.get("type").and_then(Value::as_str) {
        Some("boolean") => true.into(),
        Some("integer" | "number") => {
            let step = number("multipleOf").unwrap_or(1.0);
            let mut value = number("minimum").map_or(step, |least| (least / step).ceil() * step);
            if schema.get("exclusiveMinimum") == Some(&Value::Bool(true)) && Some(value) == number("minimum")
            {
                value += step;
            }
            let value = number("maximum").map_or(value, |most| value.min(most));
            if value.fract() == 0.0 { Value::from(value as i64) } else { Value::from(value) }
        }
        Some("string") => {
            let text = schema.get("format").and_then(Value::as_str).map_or(name, of_format);
            let most = schema.get("maxLength").and_then(Value::as_u64).unwrap_or(u64::MAX);
            let mut text: String = text.chars().take(most.min(1 << 10) as usize).collect();
            while (text.chars().count() as u64) < least("minLength").min(1 << 10) {
                text.push('x');
            }
            text.into()
        }
        Some("array") if depth > 0 => {
            let item = schema.get("items").map(|items| of_schema(items, name, depth - 1));
            Value::Array(item.into_iter().cycle().take(least("minItems").clamp(1, 8) as usize).collect())
        }
        Some("array") => json!([]),
        Some("object") if schema.get("x-kubernetes-embedded-resource").is_some() => {
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}})
        }
        Some("object") if depth > 0 => properties(schema)
            .iter()
            .filter(|(name, of)| is_told(schema, name, of))
            .map(|(name, of)| (name.clone(), of_schema(of, name, depth - 1)))
            .collect(),
        _ if schema.get("x-kubernetes-int-or-string").is_some() => 1.into(),
        _ => json!({}),
    }
}

/// A text of a format; any other text of one that is not known.
fn of_format(format: &str) -> &str {
    match format {
        "date-time" | "datetime" => "2030-01-01T00:00:00Z",
        "date" => "2030-01-01",
        "duration" => "1m",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "cidr" => "192.0.2.0/24",
        "mac" => "00:00:5e:00:53:01",
        "email" => "someone@example.com",
        "uri" => "https://example.com/",
        "hostname" => "example.com",
        "uuid" | "uuid3" | "uuid4" | "uuid5" => "6fa459ea-ee8a-4ca4-894e-db77e160355e",
        "byte" => "",
        "int32" | "int64" => "1",
        _ => "text",
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::explore::fields::of_built_in;

    #[track_caller]
    fn check(schema: &Value, expected: &Value) {
        assert_eq!(of_schema(schema, "name", 3), *expected, "{schema}");
    }

    #[test]
    fn values_fit_their_schema() {
        check(&json!({"type": "string"}), &json!("name"));
        check(&json!({"type": "string", "maxLength": 2}), &json!("na"));
        check(&json!({"type": "string", "minLength": 6}), &json!("namexx"));
        check(&json!({"type": "string", "enum": ["b", "a"]}), &json!("b"));
        check(&json!({"type": "string", "enum": ["b", "a"], "default": "a"}), &json!("a"));
        check(&json!({"type": "string", "pattern": "^x+$", "example": "xx"}), &json!("xx"));
        check(&json!({"type": "string", "format": "date"}), &json!("2030-01-01"));
        check(&json!({"type": "integer"}), &json!(1));
        check(&json!({"type": "integer", "minimum": 3}), &json!(3));
        check(&json!({"type": "integer", "minimum": 3, "exclusiveMinimum": true}), &json!(4));
        check(&json!({"type": "integer", "maximum": -2}), &json!(-2));
        check(&json!({"type": "number", "minimum": 0.5, "multipleOf": 0.5}), &json!(0.5));
        check(&json!({"type": "boolean"}), &json!(true));
        check(&json!({"x-kubernetes-int-or-string": true}), &json!(1));
        check(
            &json!({"type": "array", "minItems": 2, "items": {"type": "string"}}),
            &json!(["name", "name"]),
        );
        check(&json!({"type": "array"}), &json!([]));
        check(
            &json!({"type": "object", "required": ["a"], "properties": {
                "a": {"type": "object", "required": ["b"], "properties": {"b": {"type": "boolean"}}},
                "c": {"type": "string", "default": "d"}, "e": {"type": "string"},
            }}),
            &json!({"a": {"b": true}, "c": "d"}),
        );
    }

    #[test]
    fn a_custom_object_has_what_is_required() {
        let schema = json!({"properties": {
            "spec": {"type": "object", "required": ["image"], "properties": {"image": {"type": "string"}}},
            "other": {"type": "object"}, "mode": {"type": "string", "default": "calm"},
            "status": {"type": "object", "default": {}},
        }});
        let kind = crate::model::explore::served::tests::kinds().remove(2);
        let mut kind = Kind::clone(&kind);
        kind.parts[0].name = "status".to_owned();
        assert_eq!(
            object(&kind, &Look::Object(Arc::new(schema))),
            json!({
                "apiVersion": "stable.example.com/v1", "kind": "CronTab", "metadata": {"generateName": "crontab-"},
                "spec": {"image": "image"}, "mode": "calm",
            })
        );
    }

    #[test]
    fn a_built_in_object_has_what_is_required() {
        let kind = |group: &str, resource: &str, name: &str| Kind {
            group: group.to_owned(),
            version: "v1".to_owned(),
            resource: resource.to_owned(),
            kind: name.to_owned(),
            ..Kind::default()
        };
        let of_built_in = |kind: Kind| {
            let look = of_built_in(kind.built_in()?)?;
            Some(object(&kind, &look))
        };
        let pod = of_built_in(kind("", "pods", "Pod")).unwrap();
        assert_eq!(pod.pointer("/spec/containers"), Some(&json!([{"name": "name"}])));
        let role = of_built_in(kind("rbac.authorization.k8s.io", "rolebindings", "RoleBinding")).unwrap();
        assert!(role.pointer("/roleRef/kind").is_some());
        assert_eq!(of_built_in(kind("example.com", "things", "Thing")), None);
    }
}
