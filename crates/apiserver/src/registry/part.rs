//! Subresources that are a part of their object: what a write of each may change.

use std::time::Duration;

use schema::Resource;

use super::{certificate, keep_all_but_status, namespace, pod, storage};
use crate::object::Object;
use crate::subresource::Part;

/// Keeps everything in the object that was sent (the first) as the stored one has it, but the part. The time is now,
/// since the Unix epoch.
pub(crate) type Keep = fn(&Resource, &mut Object, &Object, Duration);

impl Part {
    /// Returns what a write of it keeps.
    pub(crate) fn keep(self) -> Keep {
        match self {
            Self::Approval => certificate::keep_all_but_conditions,
            Self::EphemeralContainers => pod::keep_all_but_ephemeral_containers,
            Self::Finalizers => namespace::keep_all_but_finalizers,
            Self::Resources => pod::keep_all_but_resources,
            Self::Status => |resource, object, old, _| keep_all_but_status(resource, object, old),
            Self::StatusOfRequest => certificate::keep_all_but_status,
            Self::StatusOfVolume => storage::keep_all_but_status_of_volume,
        }
    }
}
