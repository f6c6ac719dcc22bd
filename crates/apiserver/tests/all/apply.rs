//! Server-Side Apply over the wire.

use crate::common::{Cluster, read};
use http::Request;
use json_tree::{Value, json};

const PATH: &str = "/api/v1/namespaces/default/configmaps/a";

/// Applies a ConfigMap `a` with this data, which is JSON or YAML.
fn apply(cluster: &Cluster, query: &str, data: &str) -> (u16, Value) {
    let body = ["{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: ", data, "}"].concat();
    let request =
        Request::patch([PATH, query].concat()).header("content-type", "application/apply-patch+yaml");
    read(&cluster.send(request.body(body.into()).expect("a request")))
}

/// Applies each in turn; the last one's code, its message or its data, and who owns what in the end.
#[track_caller]
fn check(steps: &[(&str, &str)], code: u16, answer: &Value, owners: &Value) {
    let cluster = Cluster::new();
    let (query, data) = steps.last().expect("a step");
    for (query, data) in &steps[..steps.len() - 1] {
        let (code, object) = apply(&cluster, query, data);
        assert!(code < 300, "{object}");
    }
    let (found, object) = apply(&cluster, query, data);
    let seen = if found < 300 { &object["data"] } else { &object["message"] };
    assert_eq!((found, seen), (code, answer), "{object}");
    let entries = cluster.get(PATH).1["metadata"]["managedFields"].clone();
    let owned: Vec<Value> = entries
        .as_array()
        .into_iter()
        .flatten()
        .map(|entry| json!([entry["manager"], entry["fieldsV1"]["f:data"]]))
        .collect();
    assert_eq!(Value::from(owned), *owners);
}

#[test]
fn what_is_applied_is_created_and_merged() {
    let first = ("?fieldManager=a", r#"{k: "1"}"#);
    check(&[first], 201, &json!({"k": "1"}), &json!([["a", {"f:k": {}}]]));
    check(
        &[first, ("?fieldManager=b", r#"{l: "2"}"#)],
        200,
        &json!({"k": "1", "l": "2"}),
        &json!([["a", {"f:k": {}}], ["b", {"f:l": {}}]]),
    );
    check(
        &[first, ("?fieldManager=a", r#"{l: "2"}"#)],
        200,
        &json!({"l": "2"}),
        &json!([["a", {"f:l": {}}]]),
    );
}

#[test]
fn what_others_own_is_taken_by_force_alone() {
    let first = ("?fieldManager=a", r#"{k: "1"}"#);
    check(
        &[first, ("?fieldManager=b", r#"{k: "2"}"#)],
        409,
        &json!("Apply failed with 1 conflict: conflict with \"a\": .data.k"),
        &json!([["a", {"f:k": {}}]]),
    );
    check(
        &[first, ("?fieldManager=b&force=true", r#"{k: "2"}"#)],
        200,
        &json!({"k": "2"}),
        &json!([["b", {"f:k": {}}]]),
    );
    check(
        &[first, ("?fieldManager=b&force=true&dryRun=All", r#"{k: "2"}"#)],
        200,
        &json!({"k": "2"}),
        &json!([["a", {"f:k": {}}]]),
    );
}

#[test]
fn what_is_shared_stays_until_the_last_gives_it_up() {
    let both = [("?fieldManager=a", r#"{k: "1"}"#), ("?fieldManager=b", r#"{k: "1"}"#)];
    check(&both, 200, &json!({"k": "1"}), &json!([["b", {"f:k": {}}], ["a", {"f:k": {}}]]));
    check(
        &[both[0], both[1], ("?fieldManager=a", "{}")],
        200,
        &json!({"k": "1"}),
        &json!([["b", {"f:k": {}}], ["a", {}]]),
    );
    check(
        &[both[0], both[1], ("?fieldManager=a", "null"), ("?fieldManager=b", "null")],
        200,
        &Value::Null,
        &json!([["a", {}], ["b", {}]]),
    );
}

#[test]
fn what_cannot_be_applied_changes_nothing() {
    let first = ("?fieldManager=a", r#"{k: "1"}"#);
    for (query, data, code, message) in [
        (
            "",
            "{}",
            422,
            "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply patch",
        ),
        (
            "?fieldManager=a",
            "{k: 1}",
            500,
            "failed to create typed patch object (/a; /v1, Kind=ConfigMap): .data.k: expected string, got \
             &value.valueUnstructured{Value:1}",
        ),
        (
            "?fieldManager=a&fieldValidation=Strict",
            r#"{k: "1", k: "1"}"#,
            400,
            "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 1: key \
             \"k\" already set in map",
        ),
    ] {
        check(&[first, (query, data)], code, &json!(message), &json!([["a", {"f:k": {}}]]));
    }
}

#[test]
fn what_has_items_without_keys_has_no_managers_and_takes_no_configuration() {
    let cluster = Cluster::new();
    let path = "/api/v1/namespaces/default/serviceaccounts";
    for (name, secrets, managed) in [("a", json!([{}]), false), ("b", json!([{"name": "s"}]), true)] {
        let account = json!({"metadata": {"name": name}, "secrets": secrets});
        let (code, account) = cluster.json(&["POST ", path].concat(), &account);
        assert_eq!((code, !account["metadata"]["managedFields"].is_null()), (201, managed), "{account}");
    }
    let why = "associative list with keys has an element that omits all key fields [\"name\"] (and doesn't have default values \
               for any key fields)";
    let before = "failed to create manager for existing fields: failed to convert new object";
    let expected =
        [before, " (default/a; /v1, Kind=ServiceAccount) to smd typed: .secrets: element 0: ", why].concat();
    let body = "{apiVersion: v1, kind: ServiceAccount, metadata: {name: a, labels: {a: b}}}";
    let request = Request::patch([path, "/a?fieldManager=m"].concat())
        .header("content-type", "application/apply-patch+yaml");
    let (code, refused) = read(&cluster.send(request.body(body.into()).expect("a request")));
    assert_eq!((code, refused["message"].as_str()), (500, Some(expected.as_str())), "{refused}");
}
