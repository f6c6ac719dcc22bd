//! The scaling behavior, whose annotation has the names of Go's fields and says what is unset.

use json_tree::{Map, Value};

/// A struct's fields: in v2, in the annotation, and the fields of what they hold.
struct Field {
    v2: &'static str,
    go: &'static str,
    of: &'static [Self],
}

const fn field(v2: &'static str, go: &'static str, of: &'static [Field]) -> Field {
    Field { v2, go, of }
}

const POLICY: &[Field] =
    &[field("type", "Type", &[]), field("value", "Value", &[]), field("periodSeconds", "PeriodSeconds", &[])];

const RULES: &[Field] = &[
    field("stabilizationWindowSeconds", "StabilizationWindowSeconds", &[]),
    field("selectPolicy", "SelectPolicy", &[]),
    field("policies", "Policies", POLICY),
    field("tolerance", "Tolerance", &[]),
];

const BEHAVIOR: &[Field] = &[field("scaleUp", "ScaleUp", RULES), field("scaleDown", "ScaleDown", RULES)];

pub(super) fn to_v1(behavior: &Value) -> Value {
    encode(behavior, BEHAVIOR)
}

pub(super) fn to_v2(annotation: &Value) -> Value {
    decode(annotation, BEHAVIOR)
}

fn encode(value: &Value, fields: &[Field]) -> Value {
    match value {
        Value::Object(map) if !fields.is_empty() => {
            let one = |field: &Field| {
                let value = map.get(field.v2).map_or(Value::Null, |value| encode(value, field.of));
                (field.go.to_owned(), value)
            };
            Value::Object(fields.iter().map(one).collect::<Map<_, _>>())
        }
        Value::Array(items) => items.iter().map(|item| encode(item, fields)).collect(),
        other => other.clone(),
    }
}

/// Go finds fields whatever the case of their letters.
fn decode(value: &Value, fields: &[Field]) -> Value {
    match value {
        Value::Object(map) if !fields.is_empty() => {
            let one = |field: &Field| {
                let (_, value) = map.iter().find(|(key, _)| key.eq_ignore_ascii_case(field.go))?;
                (!value.is_null()).then(|| (field.v2.to_owned(), decode(value, field.of)))
            };
            Value::Object(fields.iter().filter_map(one).collect::<Map<_, _>>())
        }
        Value::Array(items) => items.iter().map(|item| decode(item, fields)).collect(),
        other => other.clone(),
    }
}
