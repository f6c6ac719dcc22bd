//! Subresources that are a part of their object: what a write of each may change.

use std::time::Duration;

use schema::Resource;

use super::{certificate, keep_all_but_status, namespace, pod, storage};
use crate::storage::Object;

/// Keeps everything in the object that was sent (the first) as the stored one has it, but the part. The time is now,
/// since the Unix epoch.
pub(crate) type Keep = fn(&Resource, &mut Object, &Object, Duration);

/// Group, resource, subresource, and what a write of it keeps.
const PARTS: &[(&str, &str, &str, Keep)] = &[
    ("", "namespaces", "finalize", namespace::keep_all_but_finalizers),
    ("", "persistentvolumes", "status", storage::keep_all_but_status_of_volume),
    ("", "pods", "ephemeralcontainers", pod::keep_all_but_ephemeral_containers),
    ("", "pods", "resize", pod::keep_all_but_resources),
    ("certificates.k8s.io", "certificatesigningrequests", "approval", certificate::keep_all_but_conditions),
    ("certificates.k8s.io", "certificatesigningrequests", "status", certificate::keep_all_but_status),
];

/// What a write of the subresource keeps; `None` if it is not a part of the object.
pub(crate) fn keep(resource: &Resource, subresource: &str) -> Option<Keep> {
    let row = find(&resource.group, &resource.name, subresource);
    let status: Keep = |resource, object, old, _| keep_all_but_status(resource, object, old);
    row.or_else(|| (subresource == "status").then_some(status))
}

/// Whether the subresource is a part of its object.
pub(crate) fn is_part(group: &str, resource: &str, subresource: &str) -> bool {
    subresource == "status" || find(group, resource, subresource).is_some()
}

fn find(group: &str, resource: &str, subresource: &str) -> Option<Keep> {
    PARTS.iter().find(|row| (row.0, row.1, row.2) == (group, resource, subresource)).map(|row| row.3)
}
