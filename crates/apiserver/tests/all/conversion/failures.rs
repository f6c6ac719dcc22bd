//! Webhooks that do not say what they should.

use super::{Spoil, Tabs, V1, V2, definition, v1};
use json_tree::{Value, json};

/// The error of an object in v2 that is read in v1.
#[track_caller]
fn check(spoil: Spoil, expected: &str) {
    let tabs = Tabs::new();
    tabs.create("a", "h");
    tabs.spoil(spoil);
    let status = tabs.send(&format!("GET {V1}/a"), &Value::Null, 500);
    let head = "Internal error occurred: StorageError: corrupt object, Code: 7, Key: /example.com/tabs/default/a, \
                ResourceVersion: 0, AdditionalErrorMsg: object not decodable revision=109: ";
    let expected = if expected.starts_with(' ') {
        [head, "conversion webhook for example.com/v2, Kind=Tab", expected].concat()
    } else {
        [head, expected].concat()
    };
    assert_eq!(status["message"].as_str().unwrap_or_default(), expected);
}

#[test]
fn reviews_are_checked() {
    check(|answer| answer["response"] = Value::Null, " failed: no response provided");
    check(
        |answer| answer["response"]["result"] = json!({ "status": "Failure", "message": "no way" }),
        " failed: no way",
    );
    check(
        |answer| answer["response"]["result"] = json!({}),
        " failed: response.result.status was '', not 'Success'",
    );
    check(|answer| answer["response"]["convertedObjects"] = json!([]), " returned 0 objects, expected 1");
    check(
        |answer| answer["kind"] = "Other".into(),
        " failed: no kind \"Other\" is registered for version \"apiextensions.k8s.io/v1\" in scheme \
         \"k8s.io/apiserver/pkg/util/webhook/client.go:71\"",
    );
}

fn object(answer: &mut Value) -> &mut Value {
    &mut answer["response"]["convertedObjects"][0]
}

#[test]
fn objects_are_checked() {
    check(
        |answer| object(answer)["kind"] = "Other".into(),
        " returned invalid object at index 0: invalid kind (expected Tab, received Other)",
    );
    check(
        |answer| object(answer)["apiVersion"] = "example.com/v3".into(),
        " returned invalid object at index 0: invalid groupVersion (expected example.com/v1, received example.com/v3)",
    );
    check(
        |answer| object(answer)["metadata"]["name"] = "b".into(),
        " returned invalid object: must have the same name: a != b",
    );
    check(
        |answer| object(answer)["metadata"]["namespace"] = "b".into(),
        " returned invalid object: must have the same namespace: default != b",
    );
    check(
        |answer| object(answer)["metadata"] = Value::Null,
        " returned invalid object: must have the same name: a != ",
    );
    check(
        |answer| object(answer)["metadata"]["labels"] = json!({ "a": 1 }),
        " returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object",
    );
    check(
        |answer| object(answer)["metadata"]["annotations"] = json!(["a"]),
        " returned invalid metadata: invalid metadata.annotations of type []interface {} in converted object",
    );
    check(|answer| *object(answer) = Value::Null, "unexpected end of JSON input");
    check(
        |answer| *object(answer) = json!([1]),
        "json: cannot unmarshal array into Go value of type map[string]interface {}",
    );
    check(
        |answer| *object(answer) = json!({ "apiVersion": "example.com/v1" }),
        "Object 'Kind' is missing in '{\"apiVersion\":\"example.com/v1\"}'",
    );
}

#[test]
fn labels_and_annotations_may_change_and_no_other_metadata() {
    let tabs = Tabs::new();
    tabs.create("a", "h");
    let before = tabs.send(&format!("GET {V2}/a"), &Value::Null, 200)["metadata"].clone();
    tabs.spoil(|answer| {
        let object = object(answer);
        object["spec"]["unknown"] = 1.into();
        let metadata = &mut object["metadata"];
        metadata["labels"] = json!({ "via": "webhook" });
        metadata["annotations"] = json!({ "example.com/a": "b" });
        metadata["finalizers"] = json!(["example.com/keep"]);
        metadata["generation"] = 77.into();
    });
    let object = tabs.send(&format!("GET {V1}/a"), &Value::Null, 200);
    assert_eq!(object["spec"]["unknown"], Value::Null);
    let mut metadata = object["metadata"].clone();
    assert_eq!(metadata["labels"].take(), json!({ "via": "webhook" }));
    assert_eq!(metadata["annotations"].take(), json!({ "example.com/a": "b" }));
    for key in
        ["name", "uid", "generation", "resourceVersion", "creationTimestamp", "managedFields", "finalizers"]
    {
        assert_eq!(metadata[key], before[key], "{key}");
    }
}

#[test]
fn what_cannot_be_converted_is_not_stored() {
    let tabs = Tabs::new();
    tabs.spoil(|answer| answer["response"]["result"] = json!({ "message": "no way" }));
    let status = tabs.send(&format!("POST {V1}"), &v1("a", &json!({ "hostPort": "h:1" })), 500);
    let expected = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": "conversion webhook for example.com/v1, Kind=Tab failed: no way", "code": 500,
    });
    assert_eq!(status, expected);
    tabs.send(&format!("GET {V2}/a"), &Value::Null, 404);
}

#[test]
fn a_list_tells_of_all_objects_that_cannot_be_read() {
    let tabs = Tabs::new();
    tabs.create("a", "h");
    // A watch cache has this one already.
    tabs.send(&format!("GET {V1}"), &Value::Null, 200);
    tabs.create("b", "h");
    tabs.spoil(|answer| answer["response"]["result"] = json!({ "message": "no way" }));
    let status = tabs.send(&format!("GET {V1}"), &Value::Null, 500);
    assert_eq!(status["message"], "failed to read one or more tabs.example.com from the storage");
    assert_eq!((&status["reason"], &status["details"]["name"]), (&"StorageReadError".into(), &"list".into()));
    let causes = status["details"]["causes"].as_array().unwrap();
    let fields: Vec<&Value> = causes.iter().map(|cause| &cause["field"]).collect();
    assert_eq!(fields, ["/registry/example.com/tabs/default/a", "/registry/example.com/tabs/default/b"]);
    assert_eq!(causes[0]["reason"], "UnexpectedServerResponse");
    // Written anew can only be what is read.
    let status = tabs.send(&format!("PUT {V1}/b"), &v1("b", &json!({})), 500);
    assert_eq!(
        status["message"],
        "object not decodable revision=110: conversion webhook for example.com/v2, Kind=Tab failed: no way"
    );
}

#[test]
fn an_object_that_cannot_be_read_can_be_deleted_all_the_same() {
    let tabs = Tabs::new();
    tabs.create("a", "h");
    tabs.create("b", "h");
    let unsafe_delete =
        |name: &str| format!("DELETE {V1}/{name}?ignoreStoreReadErrorWithClusterBreakingPotential=true");
    tabs.send(&unsafe_delete("a"), &Value::Null, 422);
    tabs.spoil(|answer| answer["response"]["result"] = json!({ "message": "no way" }));
    tabs.send(&format!("DELETE {V1}/b"), &Value::Null, 500);
    let status = tabs.send(&unsafe_delete("b"), &Value::Null, 200);
    assert_eq!(status["details"], json!({ "name": "b", "kind": "Tab" }));
    tabs.send(&format!("GET {V2}/b"), &Value::Null, 404);
}

#[test]
fn older_reviews_are_checked_less() {
    let tabs = Tabs::defined_by(&definition(&json!(["v9", "v1beta1", "v1"])));
    tabs.create("a", "h");
    tabs.spoil(|answer| {
        assert_eq!(answer["apiVersion"], "apiextensions.k8s.io/v1beta1");
        answer["response"]["uid"] = "other".into();
        answer["kind"] = Value::Null;
        answer["apiVersion"] = Value::Null;
    });
    tabs.spec(&format!("{V1}/a"), &json!({ "hostPort": "h:1", "since": "v2" }));
}
