//! A value without some of its fields, or with nothing but them.

use json_tree::{Map, Value};
use schema::Types;

use super::{Kind, items};
use crate::path::PathElement;
use crate::set::Set;
use crate::shape::{Relation, Shape};

/// The value without the `fields`, or if `extract` says so with nothing but them. A list, or a built-in map, of
/// which nothing is left becomes null.
pub(super) fn remove(types: &Types, shape: Shape<'_>, value: &Value, fields: &Set, extract: bool) -> Value {
    let whole = || if extract { value.clone() } else { Value::Null };
    match (shape.resolve(types).deduce(Some(value)).kind(), value) {
        (Some(Kind::Map(map)), Value::Object(entries)) => {
            if map.atomic && !entries.is_empty() {
                return whole();
            }
            let mut kept = Map::new();
            for (key, value) in entries {
                let Some(shape) = map.child(key) else { continue };
                if let Some(value) = child(types, shape, (PathElement::field(key), value), fields, extract) {
                    kept.insert(key.clone(), value);
                }
            }
            if kept.is_empty() && !map.stays_empty() { Value::Null } else { Value::Object(kept) }
        }
        (Some(Kind::List(list)), Value::Array(entries)) => {
            if list.relation == Relation::Atomic && !entries.is_empty() {
                return whole();
            }
            let kept: Vec<Value> = entries
                .iter()
                .filter_map(|item| {
                    let element = items::element(types, &list, item).ok()?;
                    child(types, list.item, (element, item), fields, extract)
                })
                .collect();
            if kept.is_empty() { Value::Null } else { Value::Array(kept) }
        }
        (Some(Kind::Scalar(_)), value) => value.clone(),
        _ => Value::Null,
    }
}

/// Returns what is left of the value at the end of a step; `None` if nothing is.
fn child(
    types: &Types,
    shape: Shape<'_>,
    (element, value): (PathElement, &Value),
    fields: &Set,
    extract: bool,
) -> Option<Value> {
    let node = fields.get(&element);
    let member = node.is_some_and(|node| node.member);
    let inside = node.map(|node| &node.children).filter(|inside| !inside.is_empty());
    match (extract, member, inside) {
        (false, true, _) | (true, false, None) => None,
        (false, false, None) | (true, true, None) => Some(value.clone()),
        (_, _, Some(inside)) => Some(remove(types, shape, value, inside, extract)),
    }
}
