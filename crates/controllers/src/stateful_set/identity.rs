//! The identity of the pods of a StatefulSet: ordinals, names, and the volumes that belong to them.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#pod-identity>.

use json_tree::{Value, json};

use crate::object::{self, list};
use crate::pods::Keeper;
use crate::resource::STATEFUL_SETS;
use crate::revision::{self, HASH_LABEL};

const NAME_LABEL: &str = "statefulset.kubernetes.io/pod-name";
const INDEX_LABEL: &str = "apps.kubernetes.io/pod-index";

/// Returns what stands before the last dash of a name, and the ordinal behind it, if it is one. `None` if there are not digits alone.
fn split(name: &str) -> Option<(&str, Option<i64>)> {
    let (parent, digits) = name.rsplit_once('-')?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| (parent, digits.parse::<i32>().ok().map(i64::from)))
}

/// Returns the ordinal of a pod, if its name has one.
pub(super) fn ordinal(pod: &Value) -> Option<i64> {
    split(object::name(pod))?.1
}

/// Reports whether the name of a pod is one that a StatefulSet gives.
pub(super) fn is_member(owner: &Value, pod: &Value) -> bool {
    split(object::name(pod)).is_some_and(|(parent, _)| parent == object::name(owner))
}

/// Returns the name of a pod.
pub(super) fn pod_name(owner: &Value, ordinal: i64) -> String {
    [object::name(owner), "-", &ordinal.to_string()].concat()
}

/// Returns the templates of claims.
pub(super) fn claim_templates(owner: &Value) -> &[Value] {
    list(owner, "/spec/volumeClaimTemplates")
}

/// Returns the name of the claim that a pod has of a template.
pub(super) fn claim_name(owner: &Value, template: &Value, ordinal: i64) -> String {
    [object::name(template), "-", object::name(owner), "-", &ordinal.to_string()].concat()
}

/// Reports whether a pod has the name and the label of its ordinal.
pub(super) fn has_identity(owner: &Value, pod: &Value, ordinal: i64) -> bool {
    let name = object::name(pod);
    name == pod_name(owner, ordinal) && object::meta(pod, "labels").text(NAME_LABEL) == name
}

/// Gives a pod the name and the labels of its ordinal.
pub(super) fn set_identity(owner: &Value, pod: &mut Value, ordinal: i64) {
    let name = pod_name(owner, ordinal);
    let metadata = object::child(pod, "metadata");
    object::set(metadata, "namespace", object::namespace(owner).into());
    let labels = object::child(metadata, "labels");
    object::set(labels, NAME_LABEL, name.as_str().into());
    object::set(labels, INDEX_LABEL, ordinal.to_string().into());
    object::set(metadata, "name", name.into());
}

/// Reports whether a pod has the volumes of its claims.
pub(super) fn has_storage(owner: &Value, pod: &Value, ordinal: i64) -> bool {
    let volumes = list(pod, "/spec/volumes");
    claim_templates(owner).iter().all(|template| {
        let own = volumes.iter().rfind(|volume| volume.text("name") == object::name(template));
        let name = own.map_or("", |volume| volume.text_at("/persistentVolumeClaim/claimName"));
        name == claim_name(owner, template, ordinal)
    })
}

/// Gives a pod the volumes of its claims. Others of their names go.
pub(super) fn set_storage(owner: &Value, pod: &mut Value, ordinal: i64) {
    let templates = claim_templates(owner);
    if templates.is_empty() {
        return;
    }
    let mut volumes: Vec<Value> = Vec::new();
    for template in templates {
        let source = json!({"claimName": claim_name(owner, template, ordinal)});
        volumes.push(json!({"name": object::name(template), "persistentVolumeClaim": source}));
    }
    let is_other =
        |volume: &&Value| !templates.iter().any(|template| object::name(template) == volume.text("name"));
    volumes.extend(list(pod, "/spec/volumes").iter().filter(is_other).cloned());
    object::set(object::child(pod, "spec"), "volumes", Value::Array(volumes));
}

/// Makes a pod of a revision, which is not stored yet.
pub(super) fn new_pod(owner: &Value, revision: &Value, ordinal: i64) -> Value {
    let known = revision::template(revision).unwrap_or_default();
    let mut pod = Keeper { owner, owners: &STATEFUL_SETS }.pod_of(&known);
    set_identity(owner, &mut pod, ordinal);
    let spec = object::child(&mut pod, "spec");
    object::set(spec, "hostname", pod_name(owner, ordinal).into());
    object::set(spec, "subdomain", owner.text_at("/spec/serviceName").into());
    set_storage(owner, &mut pod, ordinal);
    let labels = object::child(object::child(&mut pod, "metadata"), "labels");
    object::set(labels, HASH_LABEL, object::name(revision).into());
    pod
}

/// Returns the name of the revision that a pod is of; empty if it has none.
pub(super) fn pod_revision(pod: &Value) -> &str {
    object::meta(pod, "labels").text(HASH_LABEL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_parents_and_ordinals() {
        let names = ["web-0", "web-a-12", "web-", "web", "web-x", "web-2147483648", "-1", "web-01"];
        let expected = [
            Some(("web", Some(0))),
            Some(("web-a", Some(12))),
            None,
            None,
            None,
            Some(("web", None)),
            Some(("", Some(1))),
            Some(("web", Some(1))),
        ];
        assert_eq!(names.map(split), expected);
    }
}
