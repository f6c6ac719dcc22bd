//! Claims, volumes and what they are made from: new ones wait to be bound.
//!
//! <https://kubernetes.io/docs/concepts/storage/persistent-volumes/#phase>

use super::{ANSWERS_OBJECT, Strategy};
use crate::defaults::object::Object as Fields;
use crate::handlers::metadata_text;
use crate::storage::Object;

pub(super) const CLAIM: Strategy = Strategy { prepare_for_create: prepare_claim, ..ANSWERS_OBJECT };

pub(super) const VOLUME: Strategy = Strategy { prepare_for_create: prepare_volume, ..ANSWERS_OBJECT };

fn prepare_claim(claim: &mut Object) {
    if let Some(mut claim) = Fields::builtin("k8s.io/api/core/v1", "PersistentVolumeClaim", claim)
        && let Some(mut status) = claim.ensure("status")
    {
        status.set("phase", "Pending");
    }
}

/// A volume says since when it is in its phase; for a new one that is when it was created.
fn prepare_volume(volume: &mut Object) {
    let now = metadata_text(volume, "creationTimestamp").to_owned();
    if let Some(mut volume) = Fields::builtin("k8s.io/api/core/v1", "PersistentVolume", volume)
        && let Some(mut status) = volume.ensure("status")
    {
        status.set("phase", "Pending");
        status.set("lastPhaseTransitionTime", now);
    }
}
