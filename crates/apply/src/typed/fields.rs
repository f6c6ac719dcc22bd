//! Which fields a value has.

use json_tree::Value;
use schema::Types;

use super::{Kind, items};
use crate::path::PathElement;
use crate::set::Node;
use crate::shape::{Relation, Shape};

/// Adds to `out` what the value has.
pub(super) fn collect(types: &Types, shape: Shape<'_>, value: &Value, out: &mut Node) {
    match shape.resolve(types).deduce(Some(value)).kind() {
        Some(Kind::Scalar(_)) => out.member = true,
        Some(Kind::Map(map)) if map.atomic => out.member = true,
        Some(Kind::List(list)) if list.relation == Relation::Atomic => out.member = true,
        Some(Kind::Map(map)) => {
            out.children.reserve(value.as_object().map_or(0, json_tree::Map::len));
            for (key, value) in value.as_object().into_iter().flatten() {
                let Some(shape) = map.child(key) else { continue };
                let mut node = Node::default();
                collect(types, shape, value, &mut node);
                let empty = value.is_null() || value.as_object().is_some_and(json_tree::Map::is_empty);
                node.member |= empty || !map.names(key);
                out.children.insert(PathElement::field(key), node);
            }
        }
        Some(Kind::List(list)) => {
            for item in value.as_array().into_iter().flatten() {
                let Ok(element) = items::element(types, &list, item) else { continue };
                let mut node = Node::leaf();
                // Of an item that stands there twice, the fields are nobody's.
                if out.children.get(&element).is_none() {
                    collect(types, list.item, item, &mut node);
                }
                out.children.insert(element, node);
            }
        }
        None => {}
    }
}
