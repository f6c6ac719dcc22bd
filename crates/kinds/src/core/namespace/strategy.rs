//! Namespaces: a name label, the `kubernetes` finalizer in their spec, and a phase.
//!
//! <https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/>

use std::time::Duration;

use json_tree::{Value, json};

use crate::kind::{DEFAULT, Strategy};
use apimachinery::DeleteOptions;
use apimachinery::finalizers;
use apimachinery::finalizers::{FOREGROUND, ORPHAN};
use apimachinery::object::{METADATA_ORDER, Object, metadata_mut, set_in_order};

/// The finalizer that keeps a namespace until its contents are gone.
const FINALIZER: &str = "kubernetes";

/// The label that every namespace has, with its name as the value.
const NAME_LABEL: &str = "kubernetes.io/metadata.name";

pub(super) const STRATEGY: Strategy = Strategy {
    delete_answers_object: true,
    prepare_for_create,
    prepare_for_update,
    spec_finalizers: true,
    first_deletion: Some(set_finalizers),
    prepare_for_deletion,
    keep_all_but_part: &[("finalize", keep_all_but_finalizers)],
    ..DEFAULT
};

fn prepare_for_create(namespace: &mut Object) {
    namespace.insert("status".to_owned(), json!({ "phase": "Active" }));
    let spec = namespace.entry("spec").or_insert_with(|| json!({}));
    let finalizers = spec.get_mut("finalizers").and_then(Value::as_array_mut);
    match finalizers {
        Some(finalizers) if finalizers.iter().any(|name| name == FINALIZER) => {}
        Some(finalizers) => finalizers.push(FINALIZER.into()),
        None => *spec = json!({ "finalizers": [FINALIZER] }),
    }
    order(namespace);
    label(namespace);
}

/// `spec.finalizers` changes by the `finalize` subresource alone, `status` by its own.
fn prepare_for_update(namespace: &mut Object, old: &Object) {
    for key in ["spec", "status"] {
        if let Some(value) = old.get(key) {
            namespace.insert(key.to_owned(), value.clone());
        }
    }
    order(namespace);
    label(namespace);
}

/// A write of `finalize` sets `spec.finalizers`, and metadata as any other write; the status stays.
fn keep_all_but_finalizers(namespace: &mut Object, old: &Object, _: Duration) {
    if let Some(status) = old.get("status") {
        namespace.insert("status".to_owned(), status.clone());
    }
    order(namespace);
    label(namespace);
}

fn order(namespace: &mut Object) {
    if let Some(status) = namespace.shift_remove("status") {
        namespace.insert("status".to_owned(), status);
    }
}

fn label(namespace: &mut Object) {
    let metadata = metadata_mut(namespace);
    let Some(name) = metadata.get("name").cloned() else { return };
    let mut labels = match metadata.get("labels") {
        Some(Value::Object(labels)) => labels.clone(),
        _ => Object::new(),
    };
    labels.insert(NAME_LABEL.to_owned(), name);
    labels.sort_keys();
    set_in_order(metadata, "labels", Value::Object(labels), METADATA_ORDER);
}

/// Unlike elsewhere, not to orphan dependents means to wait for them.
fn set_finalizers(namespace: &mut Object, options: &DeleteOptions) {
    let (orphan, policy) = (options.orphan_dependents, options.propagation_policy.as_deref());
    if orphan.is_none() && policy.is_none() {
        return;
    }
    let wanted = match (orphan, policy) {
        (Some(true), _) | (None, Some("Orphan")) => Some(ORPHAN),
        (Some(false), _) | (None, Some("Foreground")) => Some(FOREGROUND),
        _ => None,
    };
    finalizers::keep_of_collection(namespace, wanted);
}

fn prepare_for_deletion(namespace: &mut Object) {
    let status = namespace.entry("status").or_insert_with(|| json!({}));
    if let Value::Object(status) = status {
        set_in_order(status, "phase", "Terminating".into(), &["phase", "conditions"]);
    }
}
