//! Fields of features that v1.36 leaves off, which go before anything else is made of an object.
//!
//! See <https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/>.

use json_tree::{Map, Value};

use crate::object::Object;

/// Drops them from the specs of pods: from the one at a JSON pointer into an object.
pub(super) fn drop_of_pods(object: &mut Object, pointer: &str) {
    let mut parts = pointer.split('/').skip(1);
    let first = parts.next().and_then(|part| object.get_mut(part));
    let spec = parts.fold(first, |value, part| value?.get_mut(part));
    if let Some(Value::Object(spec)) = spec {
        of_pod(spec);
    }
}

/// `GenericWorkload`, `ContainerStopSignals`, `ClusterTrustBundleProjection` and `PodCertificateRequest`.
pub(super) fn of_pod(spec: &mut Map<String, Value>) {
    spec.shift_remove("schedulingGroup");
    for list in ["containers", "initContainers", "ephemeralContainers"] {
        for container in objects(spec, list) {
            let Some(Value::Object(lifecycle)) = container.get_mut("lifecycle") else { continue };
            if lifecycle.shift_remove("stopSignal").is_some() && lifecycle.is_empty() {
                container.shift_remove("lifecycle");
            }
        }
    }
    for volume in objects(spec, "volumes") {
        let Some(Value::Object(projected)) = volume.get_mut("projected") else { continue };
        for source in objects(projected, "sources") {
            for kind in ["clusterTrustBundle", "podCertificate"] {
                source.shift_remove(kind);
            }
        }
    }
}

/// `DRANodeAllocatableResources`: what the status had before may stay.
pub(super) fn of_pod_status(pod: &mut Object, old: Option<&Object>) {
    const CLAIMS: &str = "nodeAllocatableResourceClaimStatuses";
    let had = old.and_then(|old| old.get("status")?.get(CLAIMS)).is_some();
    if let Some(Value::Object(status)) = pod.get_mut("status").filter(|_| !had) {
        status.shift_remove(CLAIMS);
    }
}

/// `DynamicKubeletConfig`, which is no more: what the node had before may stay.
pub(super) fn of_node(node: &mut Object, old: Option<&Object>) {
    for (part, field) in [("spec", "configSource"), ("status", "config")] {
        let had = old.and_then(|old| old.get(part)?.get(field)).is_some();
        if let Some(Value::Object(part)) = node.get_mut(part).filter(|_| !had) {
            part.shift_remove(field);
        }
    }
}

/// `MaxUnavailableStatefulSet`: what the set had before may stay.
pub(super) fn of_stateful_set(set: &mut Object, before: Option<&Value>) {
    const FIELD: &str = "maxUnavailable";
    let had = before.and_then(|spec| spec.pointer("/updateStrategy/rollingUpdate/maxUnavailable")).is_some();
    let rolling =
        set.get_mut("spec").and_then(|spec| spec.get_mut("updateStrategy")?.get_mut("rollingUpdate"));
    if let Some(Value::Object(rolling)) = rolling.filter(|_| !had) {
        rolling.shift_remove(FIELD);
    }
}

/// `CrossNamespaceVolumeDataSource`: data comes out of the claim's own namespace, unless it had a source before.
pub(super) fn foreign_source(claim: &mut Object, before: Option<&Value>) {
    let had_source = before.is_some_and(|spec| spec.get("dataSourceRef").is_some());
    let Some(Value::Object(spec)) = claim.get_mut("spec") else { return };
    let namespace = spec.get("dataSourceRef").and_then(|source| source.get("namespace"));
    let foreign = namespace.and_then(Value::as_str).is_some_and(|namespace| !namespace.is_empty());
    if foreign && !had_source {
        spec.shift_remove("dataSourceRef");
    }
}

/// `CoordinatedLeaderElection`: nobody coordinates who gets a lease. What the lease had before may stay.
pub(super) fn of_lease(lease: &mut Object, before: Option<&Value>) {
    let Some(Value::Object(spec)) = lease.get_mut("spec") else { return };
    for field in ["strategy", "preferredHolder"] {
        if before.is_none_or(|spec| spec.get(field).is_none()) {
            spec.shift_remove(field);
        }
    }
}

/// Attributes of devices with several values.
const LISTS: [&str; 4] = ["ints", "bools", "strings", "versions"];

/// `DRAListTypeAttributes` and `DRANodeAllocatableResources`: what some device of the slice had before may stay.
pub(super) fn of_slice(slice: &mut Object, before: Option<&Value>) {
    const MAPPINGS: &str = "nodeAllocatableResourceMappings";
    let had = |what: fn(&Value) -> bool| {
        let devices = before.and_then(|spec| spec.get("devices")).and_then(Value::as_array);
        devices.into_iter().flatten().any(what)
    };
    let (lists, mappings) = (had(has_lists), had(|device| device.get(MAPPINGS).is_some()));
    let Some(Value::Object(spec)) = slice.get_mut("spec") else { return };
    for device in objects(spec, "devices") {
        if !mappings {
            device.shift_remove(MAPPINGS);
        }
        let attributes = device.get_mut("attributes").and_then(Value::as_object_mut).filter(|_| !lists);
        for attribute in attributes.into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut) {
            for field in LISTS {
                attribute.shift_remove(field);
            }
        }
    }
}

fn has_lists(device: &Value) -> bool {
    let attributes = device.get("attributes").and_then(Value::as_object);
    let mut attributes = attributes.into_iter().flat_map(|attributes| attributes.iter());
    attributes.any(|(_, attribute)| LISTS.iter().any(|field| attribute.get(field).is_some()))
}

fn objects<'a>(
    holder: &'a mut Map<String, Value>,
    field: &str,
) -> impl Iterator<Item = &'a mut Map<String, Value>> {
    let items = holder.get_mut(field).and_then(Value::as_array_mut).into_iter().flatten();
    items.filter_map(Value::as_object_mut)
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check(name: &str, object: Value, old: Option<Value>, expected: &str) {
        let resource = schema::resources().iter().find(|row| row.name == name).expect("there is such a kind");
        let object_of = |value: Value| value.as_object().cloned().expect("an object");
        let (mut object, old) = (object_of(object), old.map(object_of));
        crate::registry::drop_disabled_fields(resource, &mut object, old.as_ref());
        assert_eq!(Value::Object(object).to_string(), expected);
    }

    #[test]
    fn pods_and_their_templates() {
        let spec = || {
            json!({
                "schedulingGroup": {"podGroupName": "g"},
                "containers": [
                    {"name": "a", "lifecycle": {"stopSignal": "SIGTERM"}},
                    {"name": "b", "lifecycle": {"stopSignal": "SIGTERM", "preStop": {"sleep": {"seconds": 1}}}},
                    {"name": "c", "lifecycle": {}},
                ],
                "ephemeralContainers": [{"name": "d", "lifecycle": {"stopSignal": "SIGTERM"}}],
                "volumes": [{"name": "v", "projected": {"sources": [{"clusterTrustBundle": {"path": "p"}}, {"secret": {"name": "s"}}]}}],
            })
        };
        let left = r#"{"containers":[{"name":"a"},{"name":"b","lifecycle":{"preStop":{"sleep":{"seconds":1}}}},{"name":"c","lifecycle":{}}],"ephemeralContainers":[{"name":"d"}],"volumes":[{"name":"v","projected":{"sources":[{},{"secret":{"name":"s"}}]}}]}"#;
        check("pods", json!({"spec": spec()}), None, &format!(r#"{{"spec":{left}}}"#));
        check(
            "cronjobs",
            json!({"spec": {"jobTemplate": {"spec": {"template": {"spec": spec()}}}}}),
            None,
            &format!(r#"{{"spec":{{"jobTemplate":{{"spec":{{"template":{{"spec":{left}}}}}}}}}}}"#),
        );
        check("deployments", json!({"spec": null}), None, r#"{"spec":null}"#);
    }

    #[test]
    fn statuses_of_pods() {
        let pod = json!({"status": {"nodeAllocatableResourceClaimStatuses": [{"resourceClaimName": "a"}]}});
        check("pods", pod.clone(), None, r#"{"status":{}}"#);
        check("pods", pod.clone(), Some(pod.clone()), &pod.to_string());
    }

    #[test]
    fn nodes() {
        let node = json!({"spec": {"configSource": {}}, "status": {"config": {}}});
        check("nodes", node.clone(), None, r#"{"spec":{},"status":{}}"#);
        check("nodes", node.clone(), Some(node.clone()), &node.to_string());
    }

    #[test]
    fn stateful_sets() {
        let set =
            json!({"spec": {"updateStrategy": {"rollingUpdate": {"maxUnavailable": 2, "partition": 0}}}});
        let left = r#"{"spec":{"updateStrategy":{"rollingUpdate":{"partition":0}}}}"#;
        check("statefulsets", set.clone(), None, left);
        check("statefulsets", set.clone(), Some(set.clone()), &set.to_string());
    }

    #[test]
    fn leases() {
        let lease = json!({"spec": {"holderIdentity": "a", "strategy": "s", "preferredHolder": "b"}});
        check("leases", lease.clone(), None, r#"{"spec":{"holderIdentity":"a"}}"#);
        let kept = r#"{"spec":{"holderIdentity":"a","strategy":"s"}}"#;
        check("leases", lease, Some(json!({"spec": {"strategy": "s"}})), kept);
    }

    #[test]
    fn slices() {
        let attributes = json!({"a": {"ints": [1]}, "b": {"int": 1}});
        let device =
            json!({"name": "a", "attributes": attributes, "nodeAllocatableResourceMappings": {"cpu": {}}});
        let slice = json!({"spec": {"devices": [device]}});
        let left = r#"{"spec":{"devices":[{"name":"a","attributes":{"a":{},"b":{"int":1}}}]}}"#;
        check("resourceslices", slice.clone(), None, left);
        check("resourceslices", slice.clone(), Some(slice.clone()), &slice.to_string());
    }

    #[test]
    fn claims() {
        let claim = |namespace: &str| json!({"spec": {"dataSourceRef": {"kind": "X", "name": "x", "namespace": namespace}}});
        let kept = r#"{"spec":{"dataSourceRef":{"kind":"X","name":"x","namespace":"other"}}}"#;
        check("persistentvolumeclaims", claim("other"), None, r#"{"spec":{}}"#);
        check("persistentvolumeclaims", claim("other"), Some(claim("")), kept);
        check(
            "persistentvolumeclaims",
            claim(""),
            None,
            r#"{"spec":{"dataSourceRef":{"kind":"X","name":"x","namespace":""}}}"#,
        );
    }
}
