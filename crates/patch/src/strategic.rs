//! Strategic Merge Patch: objects merge member by member, and lists by a key of their items where the schema has one.
//!
//! <https://kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch/>, and for the
//! directives
//! <https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md>

mod convert;
mod keys;
mod list;
mod lookup;
mod map;
mod order;
mod set_order;
mod show;

use std::mem::discriminant;

use json_tree::{Map, Value};
use schema::{TypeId, Types, go};

use crate::Error;

pub use convert::convert;
pub use schema::go::show;

/// `replace`, `merge` or `delete`, in the map that it is about.
const DIRECTIVE: &str = "$patch";
/// Names the keys of its map that stay.
const RETAIN_KEYS: &str = "$retainKeys";
/// Before the name of a list of scalars: those that go.
const DELETE_FROM: &str = "$deleteFromPrimitiveList";
/// Before the name of a list: the order of its items.
const SET_ORDER: &str = "$setElementOrder";

/// Puts `patch` over `original`, an object of type `ty`. Of `patch`, the directives that were carried out are
/// taken out, as kube-apiserver has it where it prints the patch.
///
/// # Errors
/// A patch that is neither an object nor `null`, directives that do not exist or are malformed, lists that cannot
/// be merged.
///
/// ```
/// # use json_tree::json;
/// let types = schema::Types::builtin();
/// let ty = types.find("k8s.io/api/core/v1", "PodSpec").unwrap();
/// let original = json!({"containers": [{"name": "a", "image": "x"}, {"name": "b", "image": "y"}]});
/// let mut patch = json!({"containers": [{"name": "b", "image": "z"}, {"name": "a", "$patch": "delete"}]});
/// let patched = patch::strategic::apply(types, ty, original, &mut patch).unwrap();
/// assert_eq!(patched, json!({"containers": [{"name": "b", "image": "z"}]}));
/// ```
pub fn apply(types: &Types, ty: TypeId, original: Value, patch: &mut Value) -> Result<Value, Error> {
    let original = match original {
        Value::Object(map) => map,
        _ => Map::new(),
    };
    let mut nothing = Map::new();
    let patch = match patch {
        Value::Object(map) => map,
        Value::Null => &mut nothing,
        other => return Err(bad_argument("map[string]interface {}", other)),
    };
    let schema = lookup::Schema::new(types, ty);
    merge_map(schema, original, patch).map(Value::Object)
}

/// Merges maps: an item of a list may be one, and a member of a map a list.
fn merge_map(
    schema: lookup::Schema<'_>,
    original: Map<String, Value>,
    patch: &mut Map<String, Value>,
) -> Result<Map<String, Value>, Error> {
    map::merge(schema, original, patch)
}

/// Reports whether Go holds both in values of the same type.
fn same_type(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.is_f64() == other.is_f64(),
        _ => discriminant(one) == discriminant(other),
    }
}

fn bad_argument(expected: &str, value: &Value) -> Error {
    Error::unclassified(format!("expected a {expected}, but received a {}", show::show_type(value)))
}

fn no_merge_key(map: &Map<String, Value>, key: &str) -> Error {
    let map = go::show_map(map);
    Error::unclassified(format!("map: {map} does not contain declared merge key: {key}"))
}

/// The item as a map, of which the merge key is wanted.
fn keyed<'v>(item: &'v Value, key: &str) -> Result<(&'v Map<String, Value>, &'v Value), Error> {
    let Value::Object(map) = item else { return Err(bad_argument("map[string]interface {}", item)) };
    let value = map.get(key).ok_or_else(|| no_merge_key(map, key))?;
    Ok((map, value))
}

fn is_directive(map: &Map<String, Value>, word: &str) -> bool {
    map.get(DIRECTIVE).and_then(Value::as_str) == Some(word)
}

/// Takes out all maps that have a directive. `false`: the value is one itself.
fn without_directives(value: &mut Value) -> bool {
    match value {
        Value::Object(map) if map.contains_key(DIRECTIVE) => false,
        Value::Object(map) => {
            map.retain(|_, value| without_directives(value));
            true
        }
        Value::Array(items) => {
            items.retain_mut(without_directives);
            true
        }
        _ => true,
    }
}

fn unknown_directive(map: &Map<String, Value>) -> Error {
    let directive = map.get(DIRECTIVE).unwrap_or(&Value::Null);
    let map = go::show_map(map);
    Error::unclassified(format!("unknown patch type: {} in map: {map}", show::show_as_text(directive)))
}

#[cfg(test)]
mod tests;
