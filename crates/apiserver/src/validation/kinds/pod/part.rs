//! What is wrong with a write of one of a pod's subresources.

use serde_json::Value;

use super::{container, create};
use crate::field::{Error, Path};
use crate::registry::quality_of_service;
use crate::validation::{
    kinds::read::{at, get, list, text},
    name,
};

/// What an ephemeral container has in no case.
const NOT_EPHEMERAL: [&str; 8] = [
    "ports",
    "resources",
    "resizePolicy",
    "restartPolicy",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "lifecycle",
];

/// The conditions that Kubernetes itself names; the names of others are qualified.
const CONDITIONS: [&str; 3] = ["PodScheduled", "Ready", "Initialized"];

/// Checks the ephemeral containers of a spec; `names` are those of the other containers.
pub(super) fn ephemeral_containers(spec: &Value, names: &[&str], path: &Path) -> Vec<Error> {
    let at = path.child("ephemeralContainers");
    let (mut errors, mut all) = (Vec::new(), names.to_vec());
    let volumes = list(spec, "volumes").iter().map(|volume| text(volume, "name")).collect();
    for (index, one) in list(spec, "ephemeralContainers").iter().enumerate() {
        let (at, own) = (at.index(index), text(one, "name"));
        errors.extend(container::validate(one, &volumes, &at));
        if !own.is_empty() {
            if all.contains(&own) {
                errors.push(Error::duplicate(&at.child("name"), own));
            }
            all.push(own);
        }
        let target = text(one, "targetContainerName");
        if !target.is_empty() && !names.contains(&target) {
            errors.push(Error::not_found(&at.child("targetContainerName"), target));
        }
        let set = |field: &&str| get(one, field).is_some_and(|value| !is_empty(value));
        for field in NOT_EPHEMERAL.into_iter().filter(set) {
            errors.push(Error::forbidden(&at.child(field), "cannot be set for an Ephemeral Container"));
        }
    }
    errors
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(serde_json::Map::is_empty) || value.as_array().is_some_and(Vec::is_empty)
}

/// `ephemeralcontainers`: those that are there stay as they are.
pub(in crate::validation::kinds) fn update_ephemeral(object: &Value, old: &Value) -> Vec<Error> {
    let mut errors = create(object);
    let path = Path::new("spec").child("ephemeralContainers");
    let new = list(at(object, "/spec"), "ephemeralContainers");
    for old in list(at(old, "/spec"), "ephemeralContainers") {
        let what = match new.iter().find(|new| new["name"] == old["name"]) {
            Some(new) if new == old => continue,
            Some(_) => "changed",
            None => "removed",
        };
        let name = crate::field::quote(text(old, "name"));
        let why = format!("existing ephemeral containers {name} may not be {what}\n");
        errors.push(Error::forbidden(&path, why));
    }
    errors
}

/// `resize`: the class of service stays what it is.
pub(in crate::validation::kinds) fn update_resize(object: &Value, old: &Value) -> Vec<Error> {
    let mut errors = create(object);
    let class = quality_of_service(at(object, "/spec"));
    if class != quality_of_service(at(old, "/spec")) {
        let why = "Pod QOS Class may not change as a result of resizing";
        errors.push(Error::invalid(&Path::new("spec"), class, why));
    }
    errors
}

/// `status`: what the pod was found fit for stays, and names and addresses are such.
pub(in crate::validation::kinds) fn update_status(object: &Value, old: &Value) -> Vec<Error> {
    let (status, before, path) = (at(object, "/status"), at(old, "/status"), Path::new("status"));
    let mut errors = Vec::new();
    // kube-apiserver looks for the conditions in the metadata.
    let conditions = Path::new("metadata").child("conditions");
    for (index, condition) in list(status, "conditions").iter().enumerate() {
        let ty = text(condition, "type");
        if !CONDITIONS.contains(&ty) {
            let path = conditions.index(index).child("Type");
            errors.extend(name::qualified_name(ty).into_iter().map(|why| Error::invalid(&path, ty, why)));
        }
    }
    let node = text(status, "nominatedNodeName");
    if node != text(before, "nominatedNodeName") && !node.is_empty() {
        let path = path.child("nominatedNodeName");
        errors.extend(name::subdomain(node).into_iter().map(|why| Error::invalid(&path, node, why)));
    }
    let (class, was) = (text(status, "qosClass"), text(before, "qosClass"));
    if !was.is_empty() && class != was {
        errors.push(Error::invalid(&path.child("qosClass"), class, "field is immutable"));
    }
    for field in ["podIPs", "hostIPs"] {
        for (index, address) in list(status, field).iter().enumerate() {
            let ip = text(address, "ip");
            if ip.parse::<std::net::IpAddr>().is_err() {
                let why = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
                errors.push(Error::invalid(&path.child(field).index(index), ip, why));
            }
        }
    }
    errors
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::validation::kinds::check;

    fn pod(ephemeral: &Value) -> Value {
        json!({"spec": {
            "containers": [{"name": "c", "image": "i"}],
            "ephemeralContainers": ephemeral,
            "restartPolicy": "Always",
            "dnsPolicy": "ClusterFirst",
        }})
    }

    #[track_caller]
    fn check_ephemeral(ephemeral: &Value, expected: &str) {
        let old = pod(&json!([{"name": "e", "image": "i"}]));
        check(&update_ephemeral(&pod(ephemeral), &old), expected);
    }

    #[test]
    fn ephemeral_containers_only_come() {
        let e = json!({"name": "e", "image": "i"});
        check_ephemeral(&json!([{"name": "f", "image": "i", "targetContainerName": "c"}, e]), "");
        check_ephemeral(
            &json!([]),
            "spec.ephemeralContainers: Forbidden: existing ephemeral containers \"e\" may not be removed\n",
        );
        check_ephemeral(
            &json!([e, {"name": "c", "image": "i"}]),
            "spec.ephemeralContainers[1].name: Duplicate value: \"c\"",
        );
        check_ephemeral(
            &json!([e, {"name": "f", "image": "i", "targetContainerName": "x"}]),
            "spec.ephemeralContainers[1].targetContainerName: Not found: \"x\"",
        );
        check_ephemeral(
            &json!([e, {"name": "f", "image": "i", "lifecycle": {"preStop": {}}, "resources": {}}]),
            "spec.ephemeralContainers[1].lifecycle: Forbidden: cannot be set for an Ephemeral Container",
        );
    }

    #[test]
    fn a_resize_keeps_the_class() {
        let pod = |resources: Value| {
            json!({"spec": {
                "containers": [{"name": "c", "image": "i", "resources": resources}],
                "restartPolicy": "Always",
                "dnsPolicy": "ClusterFirst",
            }})
        };
        let (none, some) = (pod(json!({})), pod(json!({"requests": {"cpu": "1"}})));
        check(&update_resize(&some, &pod(json!({"requests": {"cpu": "2"}}))), "");
        check(
            &update_resize(&some, &none),
            "spec: Invalid value: \"Burstable\": Pod QOS Class may not change as a result of resizing",
        );
    }

    #[test]
    fn a_status_names_what_there_can_be() {
        let old = json!({"status": {"qosClass": "BestEffort"}});
        let checked = |status: Value, expected: &str| {
            check(&update_status(&json!({ "status": status }), &old), expected);
        };
        checked(json!({"qosClass": "BestEffort", "podIPs": [{"ip": "1.2.3.4"}]}), "");
        checked(
            json!({"qosClass": "Burstable"}),
            "status.qosClass: Invalid value: \"Burstable\": field is immutable",
        );
        checked(
            json!({"qosClass": "BestEffort", "podIPs": [{"ip": "x"}]}),
            "status.podIPs[0]: Invalid value: \"x\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
        );
    }
}
