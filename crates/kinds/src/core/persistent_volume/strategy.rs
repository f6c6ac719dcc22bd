//! Volumes: new ones wait to be bound, and each says since when it is in its phase.
//!
//! <https://kubernetes.io/docs/concepts/storage/persistent-volumes/#phase>

use std::time::Duration;

use crate::kind::{ANSWERS_OBJECT, Strategy};
use apimachinery::object::{Object, metadata_text};
use apimachinery::time;
use apimachinery::typed_object::TypedObject;

pub(super) const STRATEGY: Strategy =
    Strategy { prepare_for_create, prepare_for_status_update, ..ANSWERS_OBJECT };

/// A volume says since when it is in its phase; for a new one that is when it was created.
fn prepare_for_create(volume: &mut Object) {
    let now = metadata_text(volume, "creationTimestamp").to_owned();
    if let Some(mut volume) = TypedObject::builtin("k8s.io/api/core/v1", "PersistentVolume", volume)
        && let Some(mut status) = volume.ensure("status")
    {
        status.set("phase", "Pending");
        status.set("lastPhaseTransitionTime", now);
    }
}

/// Sets since when a volume is in the phase that its status has, unless the writer of the status does.
fn prepare_for_status_update(volume: &mut Object, old: &Object, now: Duration) {
    const SINCE: &str = "lastPhaseTransitionTime";
    let field = |object: &Object, field| object.get("status").and_then(|status| status.get(field)).cloned();
    let (since, before) = (field(volume, SINCE), field(old, SINCE));
    let same = field(volume, "phase") == field(old, "phase");
    let kept = match since {
        None if same => before,
        since if !same && (since.is_none() || since == before) => Some(time::rfc3339(now).into()),
        _ => return,
    };
    if let Some(mut volume) = TypedObject::builtin("k8s.io/api/core/v1", "PersistentVolume", volume)
        && let Some(mut status) = volume.child("status")
        && let Some(kept) = kept
    {
        status.set(SINCE, kept);
    }
}
