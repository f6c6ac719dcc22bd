//! Subresources that are a part of their object: what a write of each may change.

use std::time::Duration;

use schema::Resource;

use super::{certificate, keep_all_but_status, namespace, pod, storage};
use crate::storage::Object;

/// Keeps everything in the object that was sent (the first) as the stored one has it, but the part. The time is now,
/// since the Unix epoch.
pub(crate) type Keep = fn(&Resource, &mut Object, &Object, Duration);

/// A part, by what a write of it keeps. It names no functions: what names them is in every program, and leads to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Approval,
    EphemeralContainers,
    Finalizers,
    Resources,
    Status,
    StatusOfRequest,
    StatusOfVolume,
}

/// Group, resource, subresource, and its part.
const PARTS: &[(&str, &str, &str, Part)] = &[
    ("", "namespaces", "finalize", Part::Finalizers),
    ("", "persistentvolumes", "status", Part::StatusOfVolume),
    ("", "pods", "ephemeralcontainers", Part::EphemeralContainers),
    ("", "pods", "resize", Part::Resources),
    ("certificates.k8s.io", "certificatesigningrequests", "approval", Part::Approval),
    ("certificates.k8s.io", "certificatesigningrequests", "status", Part::StatusOfRequest),
];

/// Returns the part that a subresource is; `None` if it is not a part of its object.
pub(crate) fn of(group: &str, resource: &str, subresource: &str) -> Option<Part> {
    let row = PARTS.iter().find(|row| (row.0, row.1, row.2) == (group, resource, subresource));
    row.map(|row| row.3).or_else(|| (subresource == "status").then_some(Part::Status))
}

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
