//! Objects in the version that a client speaks and in the one that they are stored in, where a kind has two that differ.
//!
//! <https://kubernetes.io/docs/reference/using-api/#api-versioning>

use apimachinery::object::Object;
use schema::Resource;

use crate::autoscaling::horizontal_pod_autoscaler::conversion as autoscaler;
use crate::core::node;
use crate::events::event::conversion as event;

pub use crate::apps::read_number;

/// Group, version and resource.
fn key(resource: &Resource) -> (&str, &str, &str) {
    (&resource.group, &resource.version, &resource.name)
}

/// Reports whether objects of a resource are shown in another form than the stored one, which [`from_storage`] makes.
pub fn is_shown_otherwise(resource: &Resource) -> bool {
    let shown = [("autoscaling", "v1", "horizontalpodautoscalers"), ("events.k8s.io", "v1", "events")];
    shown.contains(&key(resource))
}

/// Makes of an object in the resource's version one in its storage version.
pub fn to_storage(resource: &Resource, object: &mut Object) {
    match key(resource) {
        ("", "v1", "nodes") => node::align_ranges(object),
        ("autoscaling", "v1", "horizontalpodautoscalers") => autoscaler::to_storage(object),
        ("events.k8s.io", "v1", "events") => event::to_storage(object),
        _ => {}
    }
}

/// Makes of a stored object the one to show, of a resource that [`is_shown_otherwise`].
pub fn from_storage(resource: &Resource, object: &mut Object) {
    match key(resource) {
        ("autoscaling", ..) => autoscaler::from_storage(object),
        _ => event::from_storage(object),
    }
}

#[cfg(test)]
mod tests;
