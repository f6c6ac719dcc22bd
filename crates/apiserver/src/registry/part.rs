//! Subresources that are a part of their object: what a write of each may change.

use schema::Resource;

use super::{keep_all_but_status, namespace};
use crate::storage::Object;

/// Keeps everything in the object that was sent (the first) as the stored one has it, but the part.
pub(crate) type Keep = fn(&Resource, &mut Object, &Object);

/// Group, resource, subresource, and what a write of it keeps.
const PARTS: &[(&str, &str, &str, Keep)] =
    &[("", "namespaces", "finalize", namespace::keep_all_but_finalizers)];

/// What a write of the subresource keeps; `None` if it is not a part of the object.
pub(crate) fn keep(resource: &Resource, subresource: &str) -> Option<Keep> {
    if subresource == "status" {
        return Some(keep_all_but_status);
    }
    let key = (resource.group.as_str(), resource.name.as_str(), subresource);
    PARTS.iter().find(|row| (row.0, row.1, row.2) == key).map(|row| row.3)
}
