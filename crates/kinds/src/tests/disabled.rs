//! Fields of features that v1.36 leaves off.

use json_tree::{Value, json};

use crate::drop_disabled_fields;

#[track_caller]
fn check(name: &str, object: Value, old: Option<Value>, expected: &str) {
    let resource = schema::resources().iter().find(|row| row.name == name).expect("there is such a kind");
    let object_of = |value: Value| value.as_object().cloned().expect("an object");
    let (mut object, old) = (object_of(object), old.map(object_of));
    drop_disabled_fields(&resource.group, &resource.name, &mut object, old.as_ref());
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
    let set = json!({"spec": {"updateStrategy": {"rollingUpdate": {"maxUnavailable": 2, "partition": 0}}}});
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
