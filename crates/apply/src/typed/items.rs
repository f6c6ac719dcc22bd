//! The identity of a list's items: the keys or values that tell them apart.

use golang::strconv::quote;
use json_tree::Value;
use schema::Types;

use crate::path::PathElement;
use crate::shape::{List, Relation};

/// The step from a list to one of its items.
///
/// # Errors
/// Why there is none, in the words of Go.
pub(super) fn element(types: &Types, list: &List<'_>, item: &Value) -> Result<PathElement, String> {
    match list.relation {
        Relation::Atomic => Err("invalid indexing of non-associative list".to_owned()),
        Relation::Set => match item {
            Value::Object(_) => {
                Err("associative list without keys has an element that's a map type".to_owned())
            }
            Value::Array(_) => Err("not supported: associative list with lists as elements".to_owned()),
            Value::Null => {
                Err("associative list without keys has an element that's an explicit null".to_owned())
            }
            scalar => Ok(PathElement::Value(scalar.clone())),
        },
        Relation::Map(keys) => keyed(types, list, keys, item),
    }
}

fn keyed(types: &Types, list: &List<'_>, keys: &[String], item: &Value) -> Result<PathElement, String> {
    let fields = match item {
        Value::Null => return Err("associative list with keys may not have a null element".to_owned()),
        Value::Object(fields) => fields,
        _ => return Err("associative list with keys may not have non-map elements".to_owned()),
    };
    let shape = list.item.resolve(types).map;
    let mut key = Vec::with_capacity(keys.len());
    for name in keys {
        let default = || shape.and_then(|map| map.default_of(types, name));
        if let Some(value) = fields.get(name).cloned().or_else(default) {
            key.push((name.clone(), value));
        }
    }
    if key.is_empty() {
        let mut quoted = String::new();
        for (index, name) in keys.iter().enumerate() {
            quoted.push_str(if index == 0 { "" } else { " " });
            quoted.push_str(&quote(name));
        }
        return Err([
            "associative list with keys has an element that omits all key fields [",
            &quoted,
            "] (and doesn't have default values for any key fields)",
        ]
        .concat());
    }
    if !key.is_sorted_by(|a, b| a.0 <= b.0) {
        schema::sort_by(&mut key, |a, b| a.0.cmp(&b.0));
    }
    Ok(PathElement::Key(key))
}
