//! From the version that a client speaks to the one that objects are stored in, and back.
//!
//! <https://kubernetes.io/docs/reference/using-api/#api-versioning>

mod event;
mod hpa;
mod node;

use std::borrow::Cow;

use json_tree::Value;
use schema::{Resource, Types};

use crate::custom;
use crate::defaults::object::Object as Fields;
use crate::object::Object;
use crate::stored::Stored;

/// How the objects of a resource in one version become those of its storage version, and back.
struct Conversion {
    group: &'static str,
    version: &'static str,
    resource: &'static str,
    to_storage: fn(&mut Object),
    /// `None`: what is stored is as it is shown.
    from_storage: Option<fn(&mut Object)>,
}

/// Versions that are not stored as they are.
const CONVERSIONS: &[Conversion] = &[
    Conversion { group: "", version: "v1", resource: "nodes", to_storage: node::align, from_storage: None },
    Conversion {
        group: "autoscaling",
        version: "v1",
        resource: "horizontalpodautoscalers",
        to_storage: hpa::to_storage,
        from_storage: Some(hpa::from_storage),
    },
    Conversion {
        group: "events.k8s.io",
        version: "v1",
        resource: "events",
        to_storage: event::to_storage,
        from_storage: Some(event::from_storage),
    },
];

fn conversion(resource: &Resource) -> Option<&'static Conversion> {
    CONVERSIONS.iter().find(|row| {
        row.group == resource.group && row.version == resource.version && row.resource == resource.name
    })
}

/// Returns the function that turns a stored object into the one to show, where they differ.
fn shown(resource: &Resource) -> Option<fn(&mut Object)> {
    conversion(resource).and_then(|row| row.from_storage)
}

/// Makes of an object in the resource's version one in its storage version.
pub(crate) fn to_storage(resource: &Resource, object: &mut Object) {
    if let Some(conversion) = conversion(resource) {
        (conversion.to_storage)(object);
    }
}

/// Makes of stored JSON that of the resource's version. Nothing is copied where they are the same.
pub(crate) fn from_storage<'a>(resource: &Resource, json: &'a [u8]) -> Cow<'a, [u8]> {
    if let Some(custom) = custom::of(resource) {
        return custom::from_storage(resource, custom, json);
    }
    let Some(shown) = shown(resource) else { return Cow::Borrowed(json) };
    let Ok(Value::Object(mut object)) = serde_json::from_slice(json) else { return Cow::Borrowed(json) };
    shown(&mut object);
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
        shown(object);
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
