//! The fields by which objects of each kind can be selected.

use json_tree::{Value, json};

use crate::facts;
use apimachinery::selector::field::{FieldSelector, selectable};

#[track_caller]
fn check(group: &str, resource: &str, selector: &str, expected: Result<&str, &str>) {
    let parsed = FieldSelector::parse(selector)
        .and_then(|parsed| parsed.for_kind(facts(group, resource).selectable_fields));
    assert_eq!(parsed.map(|parsed| parsed.to_string()), expected.map(str::to_owned).map_err(str::to_owned));
}

#[track_caller]
fn check_configmaps(selector: &str, expected: Result<&str, &str>) {
    check("", "configmaps", selector, expected);
}

#[test]
fn labels_that_are_not_known() {
    const ONLY: &str = r#" is not a known field selector: only "metadata.name", "metadata.namespace""#;
    for label in ["data.k", "metadata.labels.x", "metadata.uid", "metadata.name "] {
        check_configmaps(&format!("{label}=v"), Err(&format!("\"{label}\"{ONLY}")));
    }
    check("apps", "deployments", "spec.replicas=1", Err(&format!("\"spec.replicas\"{ONLY}")));
    check("coordination.k8s.io", "leases", "metadata.name=a,x=y", Err(&format!("\"x\"{ONLY}")));
    check("", "secrets", "metadata.labels=x", Err("field label not supported: metadata.labels"));
    check("", "pods", "spec.foo=1", Err("field label not supported: spec.foo"));
    check("", "nodes", "metadata.namespace=1", Err("field label not supported: metadata.namespace"));
    check(
        "events.k8s.io",
        "events",
        "involvedObject.name=a",
        Err("field label not supported: involvedObject.name"),
    );
}

#[test]
fn labels_of_single_resources() {
    check("", "pods", "status.phase!=Running,spec.nodeName=", Ok("spec.nodeName=,status.phase!=Running"));
    check("", "pods", "spec.host=n", Ok("spec.nodeName=n"));
    check("", "nodes", "spec.unschedulable=true", Ok("spec.unschedulable=true"));
    check("events.k8s.io", "events", "regarding.name=a", Ok("involvedObject.name=a"));
}

#[track_caller]
fn selects(group: &str, resource: &str, object: &Value, selector: &str, expected: bool) {
    let fields = selectable(facts(group, resource).selectable_fields, object);
    let get = |label: &str| fields.iter().find(|(name, _)| *name == label).map(|(_, value)| value.as_str());
    let selector = FieldSelector::parse(selector)
        .and_then(|parsed| parsed.for_kind(facts(group, resource).selectable_fields))
        .unwrap_or_default();
    assert_eq!(selector.matches(get), expected, "{selector} of {fields:?}");
}

#[test]
fn selection() {
    let pod = json!({"metadata": {"name": "a", "namespace": "b"}, "spec": {"restartPolicy": "Always"},
        "status": {"phase": "Pending", "podIP": "1.2.3.4", "podIPs": [{"ip": "1.2.3.4"}]}});
    selects("", "pods", &pod, "metadata.name=a,metadata.namespace=b", true);
    selects("", "pods", &pod, "metadata.name=a,metadata.name=b", false);
    selects("", "pods", &pod, "spec.nodeName=", true);
    selects("", "pods", &pod, "spec.hostNetwork=false", true);
    selects("", "pods", &pod, "status.podIP=1.2.3.4", true);
    selects("", "pods", &pod, "status.phase!=Pending", false);
    let node = json!({"metadata": {"name": "n"}, "spec": {"unschedulable": true}});
    selects("", "nodes", &node, "spec.unschedulable=true", true);
    selects("storage.k8s.io", "storageclasses", &node, "metadata.namespace=", true);
    let job = json!({"metadata": {"name": "j", "namespace": "b"}, "status": {"succeeded": 2}});
    selects("batch", "jobs", &job, "status.successful=2", true);
    let event = json!({"metadata": {"name": "e", "namespace": "b"}, "regarding": {"kind": "Pod"}, "reportingController": "c"});
    selects("events.k8s.io", "events", &event, "regarding.kind=Pod,reportingController=c", true);
    selects("", "events", &event, "source=c", true);
}
