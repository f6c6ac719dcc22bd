//! CustomResourceDefinitions: a new one says in which version its objects are stored, and nothing else yet.
//!
//! <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/>

use serde_json::{Value, json};

use super::{ADMISSION, Strategy};
use crate::custom;
use crate::storage::Object;

pub(super) const STRATEGY: Strategy = Strategy {
    prepare_for_create,
    finalizer: Some(custom::FINALIZER),
    prepare_for_deletion: custom::mark,
    ..ADMISSION
};

fn prepare_for_create(definition: &mut Object) {
    let versions = definition.get("spec").and_then(|spec| spec.get("versions")).and_then(Value::as_array);
    let stored: Vec<Value> = versions
        .into_iter()
        .flatten()
        .filter(|version| version["storage"] == true)
        .map(|version| version["name"].clone())
        .collect();
    let stored = if stored.is_empty() { Value::Null } else { stored.into() };
    definition.shift_remove("status");
    definition.insert(
        "status".to_owned(),
        json!({"conditions": null, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": stored}),
    );
}
