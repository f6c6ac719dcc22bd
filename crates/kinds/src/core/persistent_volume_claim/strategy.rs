//! Claims: new ones wait to be bound, and where the data comes from stays the same.
//!
//! <https://kubernetes.io/docs/concepts/storage/persistent-volumes/#phase>

use json_tree::Value;

use crate::defaults::{align_sources, drop_other_source};
use crate::kind::{ANSWERS_OBJECT, Strategy};
use apimachinery::object::Object;
use apimachinery::typed_object::TypedObject;

pub(super) const STRATEGY: Strategy = Strategy { read_back, prepare_for_update, ..ANSWERS_OBJECT };

/// A new claim has no status. Its phase is a default.
fn read_back(claim: &mut Object) -> bool {
    let mut claim = TypedObject::builtin("k8s.io/api/core/v1", "PersistentVolumeClaim", claim);
    let status = claim.as_mut().and_then(|claim| claim.ensure("status"));
    let Some(mut status) = status.filter(|status| status.text("phase").is_empty()) else { return false };
    status.set("phase", "Pending");
    true
}

/// The fields for where the data comes from stay the same, whichever of them was sent.
fn prepare_for_update(claim: &mut Object, old: &Object) {
    let was = old.get("spec").unwrap_or(&Value::Null);
    let had_source = ["dataSource", "dataSourceRef"].iter().any(|field| was.get(field).is_some());
    if let Some(mut claim) = TypedObject::builtin("k8s.io/api/core/v1", "PersistentVolumeClaim", claim)
        && let Some(mut spec) = claim.child("spec")
    {
        if !had_source {
            drop_other_source(&mut spec);
        }
        align_sources(&mut spec);
    }
}
