use json_tree::json;

use super::*;
use field::aggregate;

fn resource<'a>(group: &'a str, resource: &'a str, namespaced: bool) -> Resource<'a> {
    Resource { group, resource, namespaced }
}

#[track_caller]
fn check_name(group: &str, plural: &str, name: &str, expected: &str) {
    let object = json!({"metadata": {"name": name, "namespace": "default"},
        "spec": {"containers": [{"name": "c", "image": "busybox"}], "ports": [{"port": 80}], "schedule": "@daily",
        "jobTemplate": {"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}}}}});
    let errors = create(resource(group, plural, true), &object);
    assert_eq!(if errors.is_empty() { String::new() } else { aggregate(&errors) }, expected);
}

#[test]
fn resources_name_their_objects_differently() {
    check_name("", "services", "a.b", "metadata.name: Invalid value: \"a.b\": must not contain dots");
    check_name("", "pods", &"p".repeat(64), "");
    check_name("rbac.authorization.k8s.io", "roles", "system:X y", "");
    check_name(
        "rbac.authorization.k8s.io",
        "roles",
        "a/b",
        "metadata.name: Invalid value: \"a/b\": may not contain '/'",
    );
    check_name(
        "rbac.authorization.k8s.io",
        "roles",
        "..",
        "metadata.name: Invalid value: \"..\": may not be '..'",
    );
    let long = "c".repeat(53);
    let text = format!("metadata.name: Invalid value: \"{long}\": must be no more than 52 characters");
    check_name("batch", "cronjobs", &long, &text);
    check_name("policy", "poddisruptionbudgets", "A_b", "");
    check_name(
        "policy",
        "poddisruptionbudgets",
        "A%b",
        "metadata.name: Invalid value: \"A%b\": may not contain '%'",
    );
}

/// How often the API server names the same cause on an update.
#[track_caller]
fn check_causes(plural: &str, change: Value, expected: usize) {
    let namespaced = plural != "namespaces";
    let mut old = json!({"metadata": {"name": "a", "uid": "u", "resourceVersion": "1"}});
    if namespaced {
        old["metadata"]["namespace"] = "default".into();
    }
    let mut new = old.clone();
    if let (Some(metadata), Value::Object(change)) = (new["metadata"].as_object_mut(), change) {
        metadata.extend(change);
    }
    let errors = update(resource("", plural, namespaced), &new, &old);
    assert_eq!(errors.len(), expected, "{errors:?}");
}

#[test]
fn updates_repeat_causes() {
    check_causes("configmaps", json!({}), 0);
    check_causes("configmaps", json!({"uid": "v"}), 2);
    check_causes("configmaps", json!({"finalizers": ["bad"]}), 2);
    check_causes("configmaps", json!({"finalizers": ["a b/c"]}), 2);
    check_causes("configmaps", json!({"ownerReferences": [{"uid": "u"}]}), 12);
    check_causes("namespaces", json!({"labels": {"a": "_"}}), 4);
    // Neither selector nor template: the spec is looked at once.
    check_causes("replicationcontrollers", json!({}), 2);
}

#[test]
fn custom_resources_take_any_finalizer() {
    let object = json!({"metadata": {"name": "a", "namespace": "b", "finalizers": ["bad"]}, "data": {}});
    assert_eq!(create(resource("example.com", "widgets", true), &object), []);
    assert_eq!(create(resource("apps", "controllerrevisions", true), &object).len(), 1);
}

/// A resource is in the list in which its storage is, and in no other.
#[test]
fn every_kind_is_in_one_list() {
    let lists: [(List, Find); 4] = [
        (List::Basics, crate::basics),
        (List::Workloads, crate::workloads),
        (List::Expressions, crate::expressions),
        (List::Others, crate::others),
    ];
    for row in schema::resources().iter() {
        let own = list_of(&row.group, &row.name);
        assert_eq!(own, list_of(&row.storage.group, &row.storage.resource), "{}", row.name);
        let holders = lists.iter().filter(|(_, find)| find(&row.group, &row.name).is_some());
        let holders: Vec<List> = holders.map(|(list, _)| *list).collect();
        assert_eq!(holders, [own], "{}", row.name);
    }
}
