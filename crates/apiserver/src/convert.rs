//! From the version that a client speaks to the one that objects are stored in, and back.
//!
//! <https://kubernetes.io/docs/reference/using-api/#api-versioning>

mod annotation;
mod event;
mod hpa;
mod node;

use std::borrow::Cow;

use json_tree::Value;
use schema::{Resource, Types};

use crate::chunk::{self, Chunk, Late};
use crate::custom;
use crate::defaults::object::Object as Fields;
use crate::object::Object;
use crate::stored::Stored;

pub(crate) use annotation::read_number;

/// Group, version and resource.
fn key(resource: &Resource) -> (&str, &str, &str) {
    (&resource.group, &resource.version, &resource.name)
}

/// The function that turns a stored object into the one to show, of resources that [`is_shown_otherwise`].
pub(crate) static SHOW: Late<fn(&Resource, &mut Object)> = Late::new(Chunk::Writes);

/// Reports whether objects of a resource are shown in another form than the stored one: reads need the code of [`SHOW`].
pub(crate) fn is_shown_otherwise(resource: &Resource) -> bool {
    let shown = [("autoscaling", "v1", "horizontalpodautoscalers"), ("events.k8s.io", "v1", "events")];
    shown.contains(&key(resource))
}

/// Puts the code of [`SHOW`] where it is looked for.
pub(crate) fn provide() {
    SHOW.provide(|| {
        chunk::address(|resource, object| match key(resource) {
            ("autoscaling", ..) => hpa::from_storage(object),
            _ => event::from_storage(object),
        })
    });
}

/// Returns the function that turns a stored object into the one to show, where they differ.
fn shown(resource: &Resource) -> Option<fn(&Resource, &mut Object)> {
    // Nobody who lacks this code gets as far as showing objects.
    if is_shown_otherwise(resource) { SHOW.get().ok().copied() } else { None }
}

/// Makes of an object in the resource's version one in its storage version.
pub(crate) fn to_storage(resource: &Resource, object: &mut Object) {
    match key(resource) {
        ("", "v1", "nodes") => node::align(object),
        ("autoscaling", "v1", "horizontalpodautoscalers") => hpa::to_storage(object),
        ("events.k8s.io", "v1", "events") => event::to_storage(object),
        _ => {}
    }
}

/// Makes of stored JSON that of the resource's version. Nothing is copied where they are the same.
pub(crate) fn from_storage<'a>(resource: &Resource, json: &'a [u8]) -> Cow<'a, [u8]> {
    if let Some(custom) = custom::of(resource) {
        return custom::from_storage(resource, custom, json);
    }
    let Some(shown) = shown(resource) else { return Cow::Borrowed(json) };
    let Ok(Value::Object(mut object)) = serde_json::from_slice(json) else { return Cow::Borrowed(json) };
    shown(resource, &mut object);
    Cow::Owned(codec::json::to_vec(&Value::Object(object)))
}

/// A stored object as handlers change it: a built-in one in its storage version, a custom one in the resource's.
pub(crate) fn tree_of(resource: &Resource, stored: &Stored) -> Object {
    match custom::of(resource) {
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

/// A struct of a type with what `pairs` (own field, other's field) takes from `other`; the rest is as in an empty
/// one.
fn renamed(
    package: &str,
    name: &str,
    other: &Object,
    pairs: impl Iterator<Item = (&'static str, &'static str)>,
) -> Object {
    let types = Types::builtin();
    let zero = types.find(package, name).map(|ty| schema::zero(types, ty));
    let mut object = match zero {
        Some(Value::Object(zero)) => zero,
        _ => Object::new(),
    };
    if let Some(mut fields) = Fields::builtin(package, name, &mut object) {
        for (own, others) in pairs {
            if let Some(value) = other.get(others) {
                fields.set(own, value.clone());
                // What one version writes although it is empty, the other may leave out.
                if !fields.is_set(own) && fields.is_left_out(own) {
                    fields.remove(own);
                }
            }
        }
    }
    object
}

#[cfg(test)]
mod tests;
