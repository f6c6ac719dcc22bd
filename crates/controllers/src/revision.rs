//! ControllerRevisions: what templates of pods were, for DaemonSets and StatefulSets.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/controller-revision-v1/>.

use json_tree::{Value, json};

use crate::controller::Context;
use crate::error::Error;
use crate::object;
use crate::resource::{CONTROLLER_REVISIONS, Resource};

/// The label of pods that tells their revision; of the ControllerRevisions of DaemonSets, too.
pub(crate) const HASH_LABEL: &str = "controller-revision-hash";

/// Returns the patch that brings back the template of an owner.
pub(crate) fn data(owner: &Value) -> Value {
    let mut template = owner.pointer("/spec/template").cloned().unwrap_or_else(|| json!({}));
    object::set(&mut template, "$patch", "replace".into());
    let mut data = json!({"spec": {"template": template}});
    data.sort_all_objects();
    data
}

/// Returns the number of a ControllerRevision. Those of one owner count up.
pub(crate) fn number(revision: &Value) -> i64 {
    object::int(revision, "/revision")
}

/// Makes a ControllerRevision of an owner, which is not stored yet. Its labels are those of the template, and one more.
pub(crate) fn new(
    owner: &Value,
    owners: &Resource,
    (name, number): (String, i64),
    (label, hash): (&str, &str),
    data: &Value,
) -> Value {
    let mut labels = owner.pointer("/spec/template/metadata/labels").cloned().unwrap_or_else(|| json!({}));
    object::set(&mut labels, label, hash.into());
    let reference = object::controller_reference(owner, &owners.api_version(), &owners.kind);
    let mut metadata = json!({"name": name, "labels": labels, "ownerReferences": [reference]});
    let annotations = object::meta(owner, "annotations");
    if !annotations.is_null() {
        object::set(&mut metadata, "annotations", annotations.clone());
    }
    json!({"metadata": metadata, "data": data.clone(), "revision": number})
}

/// Gives a ControllerRevision another number, and returns it as it is then.
pub(crate) async fn renumber(revision: &Value, number: i64, context: &Context<'_>) -> Result<Value, Error> {
    let mut new = revision.clone();
    object::set(&mut new, "revision", number.into());
    context.client.update(&CONTROLLER_REVISIONS, &new, "").await
}

/// Deletes a ControllerRevision.
pub(crate) async fn delete(revision: &Value, context: &Context<'_>) -> Result<(), Error> {
    let (namespace, name) = (object::namespace(revision), object::name(revision));
    context.client.delete(&CONTROLLER_REVISIONS, namespace, name, &Value::Null).await
}

/// Returns the template of pods that a ControllerRevision brings back.
pub(crate) fn template(revision: &Value) -> Option<Value> {
    let mut template = revision.pointer("/data/spec/template")?.clone();
    template.as_object_mut()?.shift_remove("$patch");
    Some(template)
}
