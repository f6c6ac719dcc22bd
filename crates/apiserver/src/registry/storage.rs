//! Claims, volumes and what they are made from: new ones wait to be bound.
//!
//! <https://kubernetes.io/docs/concepts/storage/persistent-volumes/#phase>

use std::time::Duration;

use json_tree::Value;
use schema::Resource;

use super::{ANSWERS_OBJECT, Strategy, keep_all_but_status, keep_metadata};
use crate::defaults::object::Object as Fields;
use crate::defaults::{align_sources, drop_other_source};
use crate::object::{METADATA_ORDER, Object, metadata_mut, metadata_text, set_in_order};
use crate::time;

pub(super) const CLAIM: Strategy =
    Strategy { prepare_for_create: prepare_claim, prepare_for_update: update_claim, ..ANSWERS_OBJECT };

pub(super) const DRIVER: Strategy =
    Strategy { requires_version: true, prepare_for_update: update_driver, ..ANSWERS_OBJECT };

pub(super) const ATTACHMENT: Strategy =
    Strategy { requires_version: true, prepare_for_status_update: keep_metadata, ..ANSWERS_OBJECT };

pub(super) const VOLUME: Strategy = Strategy { prepare_for_create: prepare_volume, ..ANSWERS_OBJECT };

fn prepare_claim(claim: &mut Object) {
    if let Some(mut claim) = Fields::builtin("k8s.io/api/core/v1", "PersistentVolumeClaim", claim)
        && let Some(mut status) = claim.ensure("status")
    {
        status.set("phase", "Pending");
    }
}

/// The fields for where the data comes from stay the same, whichever of them was sent.
fn update_claim(claim: &mut Object, old: &Object) {
    let was = old.get("spec").unwrap_or(&Value::Null);
    let had_source = ["dataSource", "dataSourceRef"].iter().any(|field| was.get(field).is_some());
    if let Some(mut claim) = Fields::builtin("k8s.io/api/core/v1", "PersistentVolumeClaim", claim)
        && let Some(mut spec) = claim.child("spec")
    {
        if !had_source {
            drop_other_source(&mut spec);
        }
        align_sources(&mut spec);
    }
}

/// A driver of which something changes is another generation of it; the first has no number.
fn update_driver(driver: &mut Object, old: &Object) {
    if driver.get("spec") == old.get("spec") {
        return;
    }
    let metadata = metadata_mut(driver);
    let generation = metadata.get("generation").and_then(Value::as_i64).unwrap_or_default();
    set_in_order(metadata, "generation", (generation + 1).into(), METADATA_ORDER);
}

/// Keeps all but the status of a volume, which says since when it is in its phase, unless its writer does.
pub(super) fn keep_all_but_status_of_volume(
    resource: &Resource,
    volume: &mut Object,
    old: &Object,
    now: Duration,
) {
    const SINCE: &str = "lastPhaseTransitionTime";
    keep_all_but_status(resource, volume, old);
    let field = |object: &Object, field| object.get("status").and_then(|status| status.get(field)).cloned();
    let (since, before) = (field(volume, SINCE), field(old, SINCE));
    let same = field(volume, "phase") == field(old, "phase");
    let kept = match since {
        None if same => before,
        since if !same && (since.is_none() || since == before) => Some(time::rfc3339(now).into()),
        _ => return,
    };
    if let Some(mut volume) = Fields::builtin("k8s.io/api/core/v1", "PersistentVolume", volume)
        && let Some(mut status) = volume.child("status")
        && let Some(kept) = kept
    {
        status.set(SINCE, kept);
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
