//! Pod templates as Go prints their structs, with types.
//!
//! See <https://pkg.go.dev/k8s.io/utils/dump#ForHash>.

use json_tree::Value;

use super::types::{Field, Type, fields};

const NIL: &str = "<nil>";

/// Returns the text of a pod template, of which its hash is made.
pub(super) fn pod_template(template: &Value) -> String {
    let mut text = String::from("(v1.PodTemplateSpec)");
    put_struct("v1.PodTemplateSpec", Some(template), &mut text);
    text
}

/// Writes the fields of a struct; absent ones have Go's zero values.
fn put_struct(name: &str, value: Option<&Value>, text: &mut String) {
    match name {
        "resource.Quantity" => return put_quantity(value.map_or("0", Value::as_text), text),
        "v1.Time" => {
            return text
                .push_str("{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}");
        }
        "intstr.IntOrString" => return put_int_or_string(value, text),
        _ => {}
    }
    text.push('{');
    for (index, Field { name, key, kind }) in fields(name).iter().enumerate() {
        if index > 0 {
            text.push(' ');
        }
        text.push_str(name);
        text.push(':');
        let field = key.map_or(value, |key| value?.get(key)).filter(|field| !field.is_null());
        put_typed(kind, field, text);
    }
    text.push('}');
}

/// Writes a type in parentheses, and a value of it.
fn put_typed(kind: &Type, value: Option<&Value>, text: &mut String) {
    text.push('(');
    text.push_str(&kind.name());
    text.push(')');
    put(kind, value, text);
}

/// Writes a value without its type.
fn put(kind: &Type, value: Option<&Value>, text: &mut String) {
    match kind {
        Type::Struct(name) => put_struct(name, value, text),
        Type::Text(_) => text.push_str(value.map_or("", Value::as_text)),
        Type::Bool => text.push_str(if value == Some(&Value::Bool(true)) { "true" } else { "false" }),
        Type::Number(_) => text.push_str(&value.and_then(Value::as_i64).unwrap_or_default().to_string()),
        Type::Pointer(inside) => match value {
            None => text.push_str(NIL),
            Some(_) => put(inside, value, text),
        },
        Type::List(inside) => {
            let items = value.and_then(Value::as_array).filter(|items| !items.is_empty());
            let Some(items) = items else { return text.push_str(NIL) };
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(' ');
                }
                put(inside, Some(item), text);
            }
            text.push(']');
        }
        Type::Map(_, inside) => {
            let entries = value.and_then(Value::as_object).filter(|entries| !entries.is_empty());
            let Some(entries) = entries else { return text.push_str(NIL) };
            let mut entries: Vec<_> = entries.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| *key);
            text.push_str("map[");
            for (index, (key, item)) in entries.into_iter().enumerate() {
                if index > 0 {
                    text.push(' ');
                }
                text.push_str(key);
                text.push(':');
                put(inside, Some(item), text);
            }
            text.push(']');
        }
    }
}

fn put_int_or_string(value: Option<&Value>, text: &mut String) {
    let (kind, number, string) = match value {
        Some(Value::String(string)) => (1, 0, string.as_str()),
        Some(other) => (0, other.as_i64().unwrap_or_default(), ""),
        None => (0, 0, ""),
    };
    let parts = format!("{{Type:(intstr.Type){kind} IntVal:(int32){number} StrVal:(string){string}}}");
    text.push_str(&parts);
}

/// Writes a quantity as a client reads it: what it is sent has canonical form.
fn put_quantity(value: &str, text: &mut String) {
    let canonical = schema::quantity::canonical(value);
    text.push_str(&schema::quantity::dump(canonical.as_deref().unwrap_or(value)));
}
