//! `binding` of a pod, and the `bindings` of a namespace: what a scheduler tells of the node that it has chosen.
//!
//! <https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/binding-v1/>

use admission::Plugin;
use json_tree::Value;

use crate::answer::{Answer, Outcome};
use crate::context::RequestContext;
use crate::document::Document;
use crate::stored::{Stored, shown_key};
use apimachinery::object::{METADATA_ORDER, Object, metadata_mut, metadata_text, set_in_order};
use apimachinery::status::{Status, Subject};
use apimachinery::typed_object::{TypedObject, extend_sorted};
use field::Path;
use kinds::core::pod::strategy::{Condition, set_condition};

/// Assigns the pod to the node, which may not be there.
pub(super) async fn bind(context: &RequestContext<'_>) -> Outcome {
    let mut asked = context.question().await?;
    let bound = assign(context, &asked.object, asked.options.dry_run, &mut asked.warnings).await;
    match bound {
        Ok(()) => {
            let done = Document::untyped(&Status::done(201));
            Ok(Answer::document(201, done, context.output)?.warn(asked.warnings))
        }
        Err(status) => Err(status.warned(asked.warnings)),
    }
}

async fn assign(
    context: &RequestContext<'_>,
    binding: &Object,
    dry_run: bool,
    warnings: &mut Vec<String>,
) -> Result<(), Box<Status>> {
    let name = metadata_text(binding, "name");
    if !context.target.name.is_empty() && name != context.target.name {
        return Err(Status::bad_request("name in URL does not match name in Binding object"));
    }
    let errors = validate(binding);
    if !errors.is_empty() {
        return Err(Status::unclassified(field::aggregate(&errors)));
    }
    if name.is_empty() {
        return Err(Status::bad_request("Name parameter required."));
    }
    let mut binding = binding.clone();
    // What a binding of the namespace's collection says is left as it is.
    if !context.target.subresource.is_empty() && context.runs(Plugin::PodTopologyLabels) {
        admission::label_binding(&**context.shared, &mut binding);
    }
    let binding = &binding;
    context.review_question(binding, dry_run, warnings).await?;
    let target = context.pod(name)?;
    let pods = RequestContext { target: &target, ..*context };
    pods.change(|current| bound(&pods, current, binding, dry_run))
}

/// The pod as it is with the node that a binding names; nothing, if that is only tried out.
fn bound(
    pods: &RequestContext<'_>,
    current: &Stored,
    binding: &Object,
    dry_run: bool,
) -> Result<Option<Object>, Box<Status>> {
    let (key, name) = (pods.key(), pods.target.name.as_str());
    let shown = shown_key(&key, dry_run);
    pods.check_uid(binding, &current.uid, shown)?;
    let (version, revision) = (metadata_text(binding, "resourceVersion"), current.revision().to_string());
    if !version.is_empty() && version != revision {
        return Err(pods.precondition_failed("ResourceVersion", version, &revision, shown));
    }
    let mut pod = current.tree();
    if let Some(why) = obstacle(&pod, name) {
        let subject = Subject { group: "", resource: "pods/binding", name };
        return Err(Status::conflict(subject, &why));
    }
    apply(binding, &mut pod);
    let scheduled = Condition { ty: "PodScheduled", status: "True", reason: "", message: "" };
    set_condition(&mut pod, &scheduled, pods.shared.config.clock.now());
    Ok(Some(pod).filter(|_| !dry_run))
}

fn node(binding: &Object) -> &Value {
    binding.get("target").unwrap_or(&Value::Null)
}

fn validate(binding: &Object) -> Vec<field::Error> {
    let (kind, path) = (node(binding).text("kind"), Path::new("target"));
    let mut errors = Vec::new();
    if !["", "Node"].contains(&kind) {
        errors.push(field::Error::not_supported(path.child("kind"), kind, &["Node", "<empty>"]));
    }
    if node(binding).text("name").is_empty() {
        errors.push(field::Error::required(path.child("name"), ""));
    }
    errors
}

/// Why the pod cannot be assigned.
fn obstacle(pod: &Object, name: &str) -> Option<String> {
    let spec = pod.get("spec").unwrap_or(&Value::Null);
    let gated = spec.get("schedulingGates").and_then(Value::as_array).is_some_and(|gates| !gates.is_empty());
    if !metadata_text(pod, "deletionTimestamp").is_empty() {
        Some(format!("pod {name} is being deleted, cannot be assigned to a host"))
    } else if !spec.text("nodeName").is_empty() {
        let node = field::quote(spec.text("nodeName"));
        Some(format!("pod {name} is already assigned to node {node}"))
    } else if gated {
        Some(format!("pod {name} has non-empty .spec.schedulingGates"))
    } else {
        None
    }
}

/// Sets the node, and takes over labels and annotations.
fn apply(binding: &Object, pod: &mut Object) {
    if let Some(mut pod) = TypedObject::builtin("k8s.io/api/core/v1", "Pod", pod) {
        if let Some(mut spec) = pod.ensure("spec") {
            spec.set("nodeName", node(binding).text("name"));
        }
        if let Some(mut status) = pod.ensure("status") {
            status.remove("nominatedNodeName");
        }
    }
    let sent = |key: &str| binding.get("metadata").and_then(|metadata| metadata.get(key)?.as_object());
    for key in ["labels", "annotations"] {
        let Some(sent) = sent(key).filter(|sent| !sent.is_empty()) else { continue };
        let metadata = metadata_mut(pod);
        let mut all = metadata.get(key).and_then(Value::as_object).cloned().unwrap_or_default();
        extend_sorted(&mut all, sent.iter().map(|(key, value)| (key.clone(), value.clone())));
        set_in_order(metadata, key, Value::Object(all), METADATA_ORDER);
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    fn object(value: Value) -> Object {
        match value {
            Value::Object(object) => object,
            _ => Object::new(),
        }
    }

    #[track_caller]
    fn check(pod: Value, expected: Option<&str>) {
        assert_eq!(obstacle(&object(pod), "a").as_deref(), expected);
    }

    #[test]
    fn what_is_in_the_way() {
        check(json!({"spec": {}}), None);
        check(json!({"spec": {"schedulingGates": []}}), None);
        check(json!({"spec": {"nodeName": "n"}}), Some("pod a is already assigned to node \"n\""));
        check(
            json!({"spec": {"schedulingGates": [{"name": "g"}]}}),
            Some("pod a has non-empty .spec.schedulingGates"),
        );
        check(
            json!({"metadata": {"deletionTimestamp": "t"}, "spec": {"nodeName": "n"}}),
            Some("pod a is being deleted, cannot be assigned to a host"),
        );
    }

    #[test]
    fn a_binding_brings_labels_and_annotations() {
        let binding = object(json!({"metadata": {"labels": {"b": "new"}}, "target": {"name": "n"}}));
        let mut pod = object(json!({
            "metadata": {"name": "a", "labels": {"a": "1", "b": "old", "c": "3"}},
            "spec": {"containers": [], "schedulerName": "s"},
            "status": {"phase": "Pending", "nominatedNodeName": "m"},
        }));
        apply(&binding, &mut pod);
        assert_eq!(
            Value::Object(pod).to_string(),
            r#"{"metadata":{"name":"a","labels":{"a":"1","b":"new","c":"3"}},"spec":{"containers":[],"nodeName":"n","schedulerName":"s"},"status":{"phase":"Pending"}}"#
        );
    }
}
