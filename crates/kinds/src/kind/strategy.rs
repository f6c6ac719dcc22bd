//! The strategy of a kind: how its objects are created, changed and deleted, as flags and, where flags do not do, functions.

use std::time::Duration;

use json_tree::Value;
use schema::Resource;

use super::Objects;
use crate::validation::Change;
use crate::validation::read::{is_nil, same_but};
use apimachinery::DeleteOptions;
use apimachinery::User;
use apimachinery::object::{self, METADATA_ORDER, Object, metadata_mut, set_in_order};
use apimachinery::status::Status;

/// The changes by which `metadata.generation` grows, if it does.
///
/// <https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions> says what it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    /// The server leaves it alone.
    Untracked,
    /// 1 at first, and one more whenever something other than metadata and status changes.
    Spec,
    /// As `Spec`, but to which an empty list is something else than none.
    ExactSpec,
    /// As `ExactSpec`, and when the status changes, which is no less a part of the object.
    All,
    /// As `Spec`, and when annotations change.
    SpecOrAnnotations,
    /// As `Spec`, and when labels change.
    SpecOrLabels,
    /// 1 at first, and so it stays.
    Fixed,
}

/// Allocates for an object out of what the stored ones leave; with the one that it replaces, if it does, and whether
/// it is a dry run.
type Allocate = fn(&dyn Objects, &mut Object, Option<&Object>, bool) -> Result<(), Box<Status>>;

/// Validates what other objects decide on; returns the error that comes before all others.
type ValidateWithOthers = fn(&dyn Objects, &Resource, &Change<'_>) -> Option<field::Error>;

/// Keeps everything in an object (the first) as the stored one has it, but a part; at a time since the Unix epoch.
type KeepAllButPart = fn(&mut Object, &Object, Duration);

/// The objects that the server makes before an object of another kind, and deletes after it.
#[derive(Clone, Copy)]
pub struct GoesWith {
    /// Their resource: its group, and its name.
    pub resource: (&'static str, &'static str),
    /// Makes them, from the object as it is to be stored.
    pub objects: fn(&Object) -> Vec<Object>,
}

/// How a kind differs from others.
#[derive(Clone, Copy)]
pub struct Strategy {
    /// PUT of an object that is not there creates it.
    pub create_on_update: bool,
    /// PUT must say which version it replaces.
    pub requires_version: bool,
    /// DELETE answers with the object, not with a `Status`.
    pub delete_answers_object: bool,
    /// How `metadata.generation` goes.
    pub generation: Generation,
    /// Fills in what an object has in every version, whether it was sent or not.
    pub complete: fn(&mut Object),
    /// A new object that has neither a name nor a prefix for one is named by a UID.
    pub named_by_uid: bool,
    /// Sets the server's fields in an object to create.
    pub prepare_for_create: fn(&mut Object),
    /// Sets the server's fields in an object to create that depend on the user who creates it.
    pub prepare_for_create_by: fn(&mut Object, &User),
    /// Sets the server's fields in an object that replaces another.
    pub prepare_for_update: fn(&mut Object, &Object),
    /// Finalizers in the spec keep an object too.
    pub spec_finalizers: bool,
    /// The first request to delete an object does no more than mark it: with what finalizers, which say what it waits for.
    pub first_deletion: Option<fn(&mut Object, &DeleteOptions)>,
    /// Sets the server's fields in an object whose deletion begins.
    pub prepare_for_deletion: fn(&mut Object),
    /// Changes an object as kube-apiserver does when it reads it from etcd, and reports whether something was added.
    pub read_back: fn(&mut Object) -> bool,
    /// Whoever creates an object may give it a status.
    pub status_at_creation: bool,
    /// Labels do not change through `status`, as the rest of metadata does.
    pub status_keeps_labels: bool,
    /// Keeps or sets the server's fields in an object whose status is written at a time since the Unix epoch.
    pub prepare_for_status_update: fn(&mut Object, &Object, Duration),
    /// The functions for writes of a part, by subresource, for those other than `status`.
    pub keep_all_but_part: &'static [(&'static str, KeepAllButPart)],
    /// Allocates what an object to create, or one that replaces another, shares with no other, before the rest is prepared.
    pub allocate: Option<Allocate>,
    /// How many seconds an object's end may take, by what the request asks for. `None`: it ends at once.
    pub grace_period: Option<fn(&Object, Option<i64>) -> i64>,
    /// The default treatment of an object's dependents.
    pub dependents: Dependents,
    /// Validates what other objects decide on.
    pub validate_with_others: Option<ValidateWithOthers>,
    /// Sets the times that a writer leaves out, in an object to create or to update.
    pub stamp: Option<fn(&mut Object, Duration)>,
    /// The objects that the server makes before an object, and deletes after it.
    pub goes_with: Option<GoesWith>,
    /// Makes the key of what is deleted with the object of a namespace and name, unless it has finalizers.
    pub deleted_with: Option<fn(&str, &str) -> String>,
    /// The warning for requests to delete that do not say what becomes of the dependents.
    pub deletion_warning: Option<&'static str>,
}

/// The treatment of the dependents of an object that is deleted, if the request does not say.
///
/// <https://kubernetes.io/docs/concepts/architecture/garbage-collection/#cascading-deletion>
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependents {
    /// They are deleted when it is gone.
    Background,
    /// They lose their owner.
    Orphan,
    /// It has none, and what the request says of them means nothing.
    Unsupported,
}

/// The strategy of most kinds.
pub const DEFAULT: Strategy = Strategy {
    create_on_update: false,
    requires_version: false,
    delete_answers_object: false,
    generation: Generation::Untracked,
    complete: |_| {},
    named_by_uid: false,
    prepare_for_create: |_| {},
    prepare_for_create_by: |_, _| {},
    prepare_for_update: |_, _| {},
    spec_finalizers: false,
    first_deletion: None,
    prepare_for_deletion: |_| {},
    read_back: |_| false,
    status_at_creation: false,
    status_keeps_labels: false,
    prepare_for_status_update: |_, _, _| {},
    keep_all_but_part: &[],
    allocate: None,
    grace_period: None,
    dependents: Dependents::Background,
    validate_with_others: None,
    stamp: None,
    goes_with: None,
    deleted_with: None,
    deletion_warning: None,
};

/// Of kinds whose objects have a generation.
pub(crate) const TRACKED: Strategy = Strategy { generation: Generation::Spec, ..DEFAULT };
/// Of kinds whose deletion is answered with the object.
pub(crate) const ANSWERS_OBJECT: Strategy = Strategy { delete_answers_object: true, ..DEFAULT };
/// Of kinds that a PUT creates.
pub(crate) const CREATES_ON_UPDATE: Strategy = Strategy { create_on_update: true, ..DEFAULT };
/// Of kinds that a PUT replaces by their version only.
pub(crate) const REQUIRES_VERSION: Strategy = Strategy { requires_version: true, ..DEFAULT };
/// Of the configurations of admission.
pub(crate) const ADMISSION: Strategy = Strategy { generation: Generation::Spec, ..REQUIRES_VERSION };
/// Of custom resources.
pub const CUSTOM: Strategy = Strategy { generation: Generation::ExactSpec, ..REQUIRES_VERSION };
/// Of custom resources without a subresource for the status.
pub const CUSTOM_WITHOUT_STATUS: Strategy = Strategy { generation: Generation::All, ..REQUIRES_VERSION };

impl Generation {
    /// Sets the generation of an object to create.
    pub fn begin(self) -> Option<i64> {
        (self != Self::Untracked).then_some(1)
    }

    /// Reports whether the change from `old` to `new` makes a new generation.
    pub fn grows(self, old: &Object, new: &Object) -> bool {
        let metadata = |key: &str| !means_same(object::metadata(old, key), object::metadata(new, key));
        let spec = || differ_outside(old, new, &["metadata", "status"], means_same);
        match self {
            Self::Untracked | Self::Fixed => false,
            Self::Spec => spec(),
            Self::ExactSpec => differ_outside(old, new, &["metadata", "status"], |a, b| a == b),
            Self::All => differ_outside(old, new, &["metadata"], |a, b| a == b),
            Self::SpecOrAnnotations => spec() || metadata("annotations"),
            Self::SpecOrLabels => spec() || metadata("labels"),
        }
    }
}

/// Compares two values, either of which may be missing.
type Same = fn(Option<&Value>, Option<&Value>) -> bool;

/// Returns whether two values of a typed object are the same: an empty list and null are the same as a missing value, for in Go they are.
/// (An empty struct is not.)
fn means_same(one: Option<&Value>, other: Option<&Value>) -> bool {
    same_but(one, other, is_nil)
}

/// Returns whether two objects differ in other fields than these.
fn differ_outside(old: &Object, new: &Object, keys: &[&str], same: Same) -> bool {
    let is_outside = |key: &String| !keys.contains(&key.as_str());
    old.iter().any(|(key, value)| is_outside(key) && !same(Some(value), new.get(key)))
        || new
            .iter()
            .any(|(key, value)| is_outside(key) && !old.contains_key(key) && !same(None, Some(value)))
}

impl Strategy {
    /// Keeps everything as stored but the status and, of metadata, what a write of the status may change.
    pub fn keep_all_but_status(&self, is_custom: bool, object: &mut Object, old: &Object, now: Duration) {
        let mut kept = old.clone();
        match object.shift_remove("status") {
            Some(status) => {
                kept.shift_remove("status");
                kept.insert("status".to_owned(), status);
            }
            None => {
                kept.shift_remove("status");
            }
        }
        // Of a custom object, nothing but the status changes.
        let metadata = object.remove("metadata").filter(|_| !is_custom);
        if let Some(Value::Object(mut metadata)) = metadata {
            if self.status_keeps_labels {
                metadata.shift_remove("labels");
                if let Some(labels) = object::metadata(old, "labels") {
                    set_in_order(&mut metadata, "labels", labels.clone(), METADATA_ORDER);
                }
            }
            kept.insert("metadata".to_owned(), Value::Object(metadata));
        }
        *object = kept;
        (self.prepare_for_status_update)(object, old, now);
    }
}

/// Keeps what a writer of the status could have changed in metadata beside.
pub(crate) fn keep_metadata(object: &mut Object, old: &Object, _: Duration) {
    const KEPT: [&str; 6] =
        ["deletionTimestamp", "generation", "labels", "annotations", "finalizers", "ownerReferences"];
    let metadata = metadata_mut(object);
    for field in KEPT {
        metadata.shift_remove(field);
        if let Some(value) = object::metadata(old, field) {
            set_in_order(metadata, field, value.clone(), METADATA_ORDER);
        }
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[test]
    fn generations() {
        let check = |generation: Generation, old: Value, new: Value, expected: bool| {
            let grows = generation.grows(old.as_object().unwrap(), new.as_object().unwrap());
            assert_eq!(grows, expected, "{generation:?} {old} {new}");
        };
        let spec = |ports: Value| json!({ "spec": { "ports": ports } });
        check(Generation::Spec, spec(json!([1])), spec(json!([2])), true);
        check(Generation::Spec, spec(json!([])), spec(Value::Null), false);
        check(Generation::Spec, json!({ "endpoints": [] }), json!({}), false);
        check(Generation::Spec, json!({ "endpoints": [{}] }), json!({}), true);
        check(Generation::ExactSpec, spec(json!([])), spec(Value::Null), true);
        check(Generation::ExactSpec, json!({ "a": null }), json!({}), true);
        check(Generation::Spec, json!({ "status": 1 }), json!({}), false);
        check(Generation::All, json!({ "status": 1 }), json!({}), true);
        let labels = |labels: Value| json!({ "metadata": { "labels": labels } });
        check(Generation::SpecOrLabels, labels(json!({ "a": "b" })), labels(Value::Null), true);
        check(Generation::Spec, json!({ "spec": { "a": {} } }), json!({ "spec": {} }), true);
        check(Generation::Spec, json!({ "spec": { "a": [], "b": 1 } }), json!({ "spec": { "b": 1 } }), false);
        check(Generation::Untracked, spec(json!([1])), spec(json!([2])), false);
    }
}
