//! Stored objects in the version that a client speaks. [`kinds::conversion`] has what differs between versions.
//!
//! <https://kubernetes.io/docs/reference/using-api/#api-versioning>

use std::borrow::Cow;

use json_tree::Value;
use kinds::conversion;

use crate::chunk::{self, Chunk, Late};
use crate::custom;
use crate::resource::Resource;
use crate::stored::Stored;
use apimachinery::object::Object;

/// The function that turns a stored object into the one to show, of resources that are [shown otherwise](conversion::is_shown_otherwise).
pub(crate) static SHOW: Late<fn(&schema::Resource, &mut Object)> = Late::new(Chunk::Writes);

/// Puts the code of [`SHOW`] where it is looked for.
pub(crate) fn provide() {
    SHOW.provide(|| chunk::address(conversion::from_storage));
}

/// Returns the function that turns a stored object into the one to show, where they differ.
fn shown(resource: &Resource) -> Option<fn(&schema::Resource, &mut Object)> {
    // Nobody who lacks this code gets as far as showing objects.
    if conversion::is_shown_otherwise(resource) { SHOW.get().ok().copied() } else { None }
}

/// Makes of stored JSON that of the resource's version. Nothing is copied where they are the same.
pub(crate) fn from_storage<'a>(resource: &Resource, json: &'a [u8]) -> Cow<'a, [u8]> {
    if let Some(custom) = resource.custom() {
        return custom::from_storage(resource, custom, json);
    }
    let Some(shown) = shown(resource) else { return Cow::Borrowed(json) };
    let Ok(Value::Object(mut object)) = serde_json::from_slice(json) else { return Cow::Borrowed(json) };
    shown(resource, &mut object);
    Cow::Owned(codec::json::to_vec(&Value::Object(object)))
}

/// A stored object as handlers change it: a built-in one in its storage version, a custom one in the resource's.
pub(crate) fn tree_of(resource: &Resource, stored: &Stored) -> Object {
    match resource.custom() {
        Some(custom) => custom::tree(resource, custom, &stored.json),
        None => stored.tree(),
    }
}

/// Makes of an object in the storage version one in the resource's.
pub(crate) fn tree_from_storage(resource: &Resource, object: &mut Object) {
    if let Some(shown) = shown(resource) {
        shown(resource, object);
    }
}
