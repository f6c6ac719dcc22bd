//! A merged tree into the shape of its type.

use json_tree::Value;
use schema::{FieldType, TypeId, Types};

/// Brings numbers into the form that their fields have, and refuses what Go's conversion from an untyped tree to
/// a struct refuses. It is laxer than decoding of JSON: whole floats are integers.
///
/// Texts of values with a decoder of their own (times, quantities, ...) are left for decoding, and so are unknown fields.
///
/// # Errors
/// The first value, in the order of the structs' fields, that its field cannot take.
pub fn convert(types: &Types, ty: TypeId, value: Value) -> Result<Value, String> {
    let converter = Converter { types };
    // The struct has them first, and its own description has not.
    for name in ["kind", "apiVersion"] {
        if let Some(value) = value.get(name).filter(|value| !value.is_null()) {
            converter.scalar(&FieldType::String, None, value.clone())?;
        }
    }
    converter.object(ty, value)
}

struct Converter<'t> {
    types: &'t Types,
}

impl Converter<'_> {
    fn object(&self, ty: TypeId, value: Value) -> Result<Value, String> {
        let Value::Object(mut map) = value else {
            return Err(format!("cannot restore struct from: {}", kind(&value)));
        };
        for field in &self.types.get(ty).fields {
            if let Some(slot) = map.get_mut(&field.name) {
                *slot = self.value(&field.ty, field.go_type.as_deref(), std::mem::take(slot))?;
            }
        }
        Ok(Value::Object(map))
    }

    fn value(&self, ty: &FieldType, go_type: Option<&str>, value: Value) -> Result<Value, String> {
        if value.is_null() {
            return Ok(value);
        }
        match ty {
            FieldType::Struct(id) => self.object(*id, value),
            FieldType::List(item) => self.list(item, go_type.and_then(|name| name.strip_prefix("[]")), value),
            FieldType::Strings => self.list(&FieldType::String, None, value),
            FieldType::Bytes if !matches!(value, Value::String(_) | Value::Array(_)) => {
                Err(format!("cannot restore slice from {}", kind(&value)))
            }
            FieldType::Map(entry) => {
                let Value::Object(mut map) = value else {
                    return Err(format!("cannot restore map from {}", kind(&value)));
                };
                let inner = go_type.and_then(|name| name.strip_prefix("map[string]"));
                for slot in map.values_mut() {
                    *slot = self.value(entry, inner, std::mem::take(slot))?;
                }
                Ok(Value::Object(map))
            }
            FieldType::Bool
            | FieldType::Int32
            | FieldType::Int64
            | FieldType::Float64
            | FieldType::String => self.scalar(ty, go_type, value),
            FieldType::Time | FieldType::MicroTime | FieldType::Duration => text(value),
            FieldType::IntOrString => int_or_string(value),
            _ => Ok(value),
        }
    }

    fn list(&self, item: &FieldType, go_type: Option<&str>, value: Value) -> Result<Value, String> {
        let Value::Array(items) = value else {
            return Err(format!("cannot restore slice from {}", kind(&value)));
        };
        let items: Result<Vec<Value>, String> =
            items.into_iter().map(|value| self.value(item, go_type, value)).collect();
        items.map(Value::Array)
    }

    fn scalar(&self, ty: &FieldType, go_type: Option<&str>, value: Value) -> Result<Value, String> {
        let go_kind = |ty: &FieldType| ty.go_type(self.types);
        let converted = match (ty, &value) {
            (FieldType::Bool, Value::Bool(_))
            | (FieldType::String, Value::String(_))
            | (FieldType::Float64, Value::Number(_)) => return Ok(value),
            (FieldType::Int32, Value::Number(number)) => {
                integer(number).map(|number| i64::from(number as i32))
            }
            (FieldType::Int64, Value::Number(number)) => integer(number),
            // Go could make a letter of an integer.
            (FieldType::String, Value::Number(number)) if !number.is_f64() => None,
            _ => return Err(format!("unrecognized type: {}", go_kind(ty))),
        };
        converted.map(Value::from).ok_or_else(|| {
            let target = go_type.map_or_else(|| go_kind(ty), str::to_owned);
            format!("cannot convert {} to {target}", kind(&value))
        })
    }
}

/// A value whose decoder wants a text.
fn text(value: Value) -> Result<Value, String> {
    if value.is_string() { Ok(value) } else { Err(unmarshal(&value, "string")) }
}

/// A value whose decoder wants a text or an integer.
fn int_or_string(value: Value) -> Result<Value, String> {
    match &value {
        Value::String(_) => Ok(value),
        Value::Number(number) => {
            let number = integer(number).and_then(|number| i32::try_from(number).ok());
            number.map(Value::from).ok_or_else(|| unmarshal(&value, "int32"))
        }
        _ => Err(unmarshal(&value, "int32")),
    }
}

/// The error of a decoder that does not know the field that it decodes for.
fn unmarshal(value: &Value, wanted: &str) -> String {
    let found = match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) if wanted == "string" => "number",
        Value::Number(number) => &format!("number {number}"),
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    format!("json: cannot unmarshal {found} into Go value of type {wanted}")
}

/// A number that is whole. Go cuts off what does not fit.
fn integer(number: &json_tree::Number) -> Option<i64> {
    let whole = |float: &f64| float.fract() == 0.0;
    number.as_i64().or_else(|| number.as_f64().filter(whole).map(truncated))
}

/// Returns a whole float as an integer, as Go does on amd64: the least integer, if it does not fit.
fn truncated(float: f64) -> i64 {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    if float < BEYOND { float as i64 } else { i64::MIN }
}

/// Returns Go's name for the kind of a value that was decoded without a schema.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "invalid",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "slice",
        Value::Object(_) => "map",
    }
}
