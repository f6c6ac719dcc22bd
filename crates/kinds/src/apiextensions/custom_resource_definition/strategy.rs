//! CustomResourceDefinitions: they say in which versions their objects may be stored.
//!
//! <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#upgrade-existing-objects-to-a-new-stored-version>

use json_tree::{Value, json};

use crate::kind::{ADMISSION, Strategy};
use apimachinery::finalizers;
use apimachinery::object::{Object, set_in_order};

use super::status::{FINALIZER, mark};

pub(super) const STRATEGY: Strategy = Strategy {
    complete,
    prepare_for_create,
    prepare_for_update,
    first_deletion: Some(|definition, _| finalizers::add_finalizer(definition, FINALIZER)),
    prepare_for_deletion: mark,
    ..ADMISSION
};

/// Keys of a status, in the order of Go's struct.
const STATUS_ORDER: &[&str] = &["conditions", "acceptedNames", "storedVersions", "observedGeneration"];

/// A webhook of which nothing is said is none.
fn complete(definition: &mut Object) {
    let conversion = definition.get_mut("spec").and_then(|spec| spec.get_mut("conversion"));
    let Some(conversion) = conversion.and_then(Value::as_object_mut) else { return };
    let says = |field: &str| {
        conversion.get("webhook").and_then(|webhook| webhook.get(field)).is_some_and(|value| !value.is_null())
    };
    if !says("clientConfig") && !says("conversionReviewVersions") {
        conversion.shift_remove("webhook");
    }
}

fn prepare_for_create(definition: &mut Object) {
    let stored = storage_version(definition).map_or(Value::Null, |version| json!([version]));
    definition.shift_remove("status");
    definition.insert(
        "status".to_owned(),
        json!({"conditions": null, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": stored}),
    );
}

/// From now on, objects may be stored in the storage version too.
fn prepare_for_update(definition: &mut Object, _: &Object) {
    let Some(version) = storage_version(definition) else { return };
    let Some(status) = definition.get_mut("status").and_then(Value::as_object_mut) else { return };
    let mut stored = status.get("storedVersions").and_then(Value::as_array).cloned().unwrap_or_default();
    if !stored.contains(&version) {
        stored.push(version);
        set_in_order(status, "storedVersions", stored.into(), STATUS_ORDER);
    }
}

/// The name of the first version that is marked as the one to store objects in.
fn storage_version(definition: &Object) -> Option<Value> {
    let versions = definition.get("spec")?.get("versions")?.as_array()?;
    let marked = versions.iter().find(|version| version["storage"] == true)?;
    marked.get("name").cloned()
}
