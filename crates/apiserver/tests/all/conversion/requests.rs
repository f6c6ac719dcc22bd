//! Requests that cross from one version to another.

use super::{DEFINITIONS, Tabs, V1, V2, definition, v1, v2};
use crate::common::Cluster;
use json_tree::{Value, json};

const MERGE: &str = "application/merge-patch+json";
const APPLY: &str = "application/apply-patch+yaml";

#[test]
fn what_is_written_in_one_version_is_read_in_the_other() {
    let tabs = Tabs::new();
    let created = tabs.send(&format!("POST {V1}"), &v1("a", &json!({ "hostPort": "h:1" })), 201);
    assert_eq!(created["spec"], json!({ "hostPort": "h:1", "since": "v1" }));
    // To the stored version, and back for the answer.
    assert_eq!(tabs.calls(), ["v1->v2", "v2->v1"]);
    tabs.spec(&format!("{V2}/a"), &json!({ "host": "h", "port": "1", "since": "v1" }));
    assert_eq!(tabs.calls(), [""; 0]);
    tabs.spec(&format!("{V1}/a"), &json!({ "hostPort": "h:1", "since": "v1" }));
    assert_eq!(tabs.calls(), ["v2->v1"]);
    tabs.create("b", "x");
    assert_eq!(tabs.calls(), [""; 0]);
    // A watch cache has each object once; each is asked for in a review of its own.
    let list = tabs.send(&format!("GET {V1}"), &Value::Null, 200);
    let all: Vec<&Value> =
        list["items"].as_array().unwrap().iter().map(|item| &item["spec"]["hostPort"]).collect();
    assert_eq!(all, ["h:1", "x:1"]);
    assert_eq!(tabs.calls(), ["v2->v1"]);
    tabs.send(&format!("GET {V1}"), &Value::Null, 200);
    tabs.send(&format!("GET {V1}/b?resourceVersion=0"), &Value::Null, 200);
    assert_eq!(tabs.calls(), [""; 0]);
}

#[test]
fn a_webhook_is_sent_what_kube_apiserver_sends() {
    let tabs = Tabs::new();
    tabs.create("a", "h");
    tabs.send(&format!("GET {V1}/a"), &Value::Null, 200);
    let call = tabs.webhook.calls.lock().unwrap().pop().expect("it is asked");
    assert_eq!(call.url, "https://hook.example.com/convert?timeout=30s");
    assert_eq!(call.timeout.as_secs(), 30);
    let mut review: Value = serde_json::from_slice(&call.body).unwrap();
    assert_ne!(review["request"]["uid"].take(), Value::Null);
    let object = review["request"]["objects"][0].take();
    assert_eq!(
        review.to_string(),
        concat!(
            r#"{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","#,
            r#""request":{"uid":null,"desiredAPIVersion":"example.com/v1","objects":[null]},"#,
            r#""response":{"uid":"","convertedObjects":null,"result":{"metadata":{}}}}"#
        )
    );
    // An object in etcd has no version of its own.
    assert_eq!(
        (&object["metadata"]["name"], &object["metadata"]["resourceVersion"]),
        (&"a".into(), &Value::Null)
    );
}

#[test]
fn selectors_and_columns_are_about_the_converted_object() {
    let tabs = Tabs::new();
    tabs.create("a", "h");
    tabs.create("b", "x");
    #[track_caller]
    fn check(tabs: &Tabs, path: &str, expected: &[&str]) {
        let list = tabs.send(&format!("GET {path}"), &Value::Null, 200);
        let names =
            list["items"].as_array().unwrap().iter().map(|item| item["metadata"]["name"].as_str().unwrap());
        assert_eq!(names.collect::<Vec<_>>(), expected, "{path}");
    }
    check(&tabs, &format!("{V1}?fieldSelector=spec.hostPort%3Dx:1"), &["b"]);
    check(&tabs, &format!("{V1}?fieldSelector=spec.hostPort%3Dx"), &[]);
    check(&tabs, &format!("{V2}?fieldSelector=spec.host%3Dx"), &["b"]);
    check(&tabs, &format!("{V1}?limit=1"), &["a"]);
    let request =
        http::Request::builder().uri(V1).header("accept", "application/json;as=Table;v=v1;g=meta.k8s.io");
    let (_, table) = crate::common::read(&tabs.cluster.send(request.body(bytes::Bytes::new()).unwrap()));
    assert_eq!(table["rows"][1]["cells"], json!(["b", "x:1"]));
}

#[test]
fn every_way_to_write_is_converted() {
    let tabs = Tabs::new();
    tabs.create("a", "h");
    tabs.patch(MERGE, &format!("{V1}/a"), &json!({ "spec": { "hostPort": "m:2" } }), 200);
    tabs.spec(&format!("{V2}/a"), &json!({ "host": "m", "port": "2", "since": "v2" }));
    let old = tabs.send(&format!("GET {V1}/a"), &Value::Null, 200);
    let patch = json!([{ "op": "replace", "path": "/spec/hostPort", "value": "j:3" }]);
    tabs.patch("application/json-patch+json", &format!("{V1}/a"), &patch, 200);
    tabs.spec(&format!("{V2}/a"), &json!({ "host": "j", "port": "3", "since": "v2" }));
    let mut next = v1("a", &json!({ "hostPort": "p:4" }));
    next["metadata"]["resourceVersion"] = old["metadata"]["resourceVersion"].clone();
    tabs.send(&format!("PUT {V1}/a"), &next, 409);
    next["metadata"] = tabs.send(&format!("GET {V1}/a"), &Value::Null, 200)["metadata"].clone();
    let answer = tabs.send(&format!("PUT {V1}/a"), &next, 200);
    assert_eq!(answer["spec"], json!({ "hostPort": "p:4", "since": "v1" }));
    tabs.spec(&format!("{V2}/a"), &json!({ "host": "p", "port": "4", "since": "v1" }));
    // Whatever changes nothing writes nothing.
    let same = tabs.patch(MERGE, &format!("{V1}/a"), &json!({ "spec": { "hostPort": "p:4" } }), 200);
    assert_eq!(same["metadata"]["resourceVersion"], answer["metadata"]["resourceVersion"]);
    let answer = tabs.patch(MERGE, &format!("{V1}/a/status"), &json!({ "status": { "replicas": 2 } }), 200);
    assert_eq!((&answer["apiVersion"], &answer["status"]["replicas"]), (&"example.com/v1".into(), &2.into()));
    tabs.patch(MERGE, &format!("{V1}/a/scale"), &json!({ "spec": { "replicas": 5 } }), 200);
    let scale = tabs.send(&format!("GET {V2}/a/scale"), &Value::Null, 200);
    assert_eq!((&scale["spec"]["replicas"], &scale["status"]["replicas"]), (&5.into(), &2.into()));
    let list = tabs.send(&format!("DELETE {V1}"), &Value::Null, 200);
    assert_eq!(list["items"][0]["spec"]["hostPort"], "p:4");
}

#[test]
fn fields_are_owned_across_versions() {
    let tabs = Tabs::new();
    let applied = |version: &str, manager: &str, force: bool| {
        format!("/apis/example.com/{version}/namespaces/default/tabs/a?fieldManager={manager}&force={force}")
    };
    let one = v1("a", &json!({ "hostPort": "h:1" }));
    tabs.patch(APPLY, &applied("v1", "one", false), &one, 201);
    let two = v2("a", &json!({ "host": "other" }));
    let refused = tabs.patch(APPLY, &applied("v2", "two", false), &two, 409);
    assert_eq!(refused["message"], "Apply failed with 1 conflict: conflict with \"one\": .spec.hostPort");
    tabs.patch(APPLY, &applied("v2", "two", true), &two, 200);
    tabs.spec(&format!("{V1}/a"), &json!({ "hostPort": "other:1", "since": "v1" }));
    // Whoever cannot convert does not know who owns what.
    tabs.spoil(|answer| answer["response"]["result"] = json!({ "message": "no way" }));
    let one = v2("a", &json!({ "host": "mine" }));
    tabs.patch(APPLY, &applied("v2", "two", false), &one, 200);
    tabs.spoil(|_| {});
    tabs.patch(APPLY, &applied("v1", "three", false), &v1("a", &json!({ "replicas": 1 })), 200);
    tabs.spoil(|answer| answer["response"]["result"] = json!({ "message": "no way" }));
    let refused = tabs.patch(APPLY, &applied("v2", "two", false), &v2("a", &json!({ "host": "x" })), 500);
    let why = refused["message"].as_str().unwrap_or_default();
    assert!(why.ends_with("conversion webhook for example.com/v2, Kind=Tab failed: no way"), "{why}");
}

#[test]
fn dry_runs_ask_too_and_change_nothing() {
    let tabs = Tabs::new();
    let made = tabs.send(&format!("POST {V1}?dryRun=All"), &v1("a", &json!({ "hostPort": "h:1" })), 201);
    assert_eq!((&made["apiVersion"], &made["spec"]["hostPort"]), (&"example.com/v1".into(), &"h:1".into()));
    assert_eq!(made["metadata"]["resourceVersion"], Value::Null);
    assert_eq!(tabs.calls(), ["v1->v2", "v2->v1"]);
    tabs.send(&format!("GET {V1}/a"), &Value::Null, 404);
    tabs.create("a", "h");
    let changed =
        tabs.patch(MERGE, &format!("{V1}/a?dryRun=All"), &json!({ "spec": { "hostPort": "x:2" } }), 200);
    assert_eq!(changed["spec"]["hostPort"], "x:2");
    tabs.spec(&format!("{V2}/a"), &json!({ "host": "h", "port": "1", "since": "v2" }));
}

#[test]
fn a_deletion_waits_for_finalizers_in_any_version() {
    let tabs = Tabs::new();
    let mut kept = v1("a", &json!({ "hostPort": "h:1" }));
    kept["metadata"]["finalizers"] = json!(["example.com/keep"]);
    tabs.send(&format!("POST {V1}"), &kept, 201);
    let marked = tabs.send(&format!("DELETE {V1}/a"), &Value::Null, 200);
    assert_ne!(marked["metadata"]["deletionTimestamp"], Value::Null);
    assert_eq!(
        (&marked["apiVersion"], &marked["spec"]["hostPort"]),
        (&"example.com/v1".into(), &"h:1".into())
    );
    let gone = tabs.patch(MERGE, &format!("{V1}/a"), &json!({ "metadata": { "finalizers": null } }), 200);
    assert_eq!(gone["spec"]["hostPort"], "h:1");
    tabs.send(&format!("GET {V2}/a"), &Value::Null, 404);
}

#[test]
fn objects_stay_in_the_version_that_was_the_stored_one() {
    let tabs = Tabs::new();
    tabs.create("a", "h");
    let mut next = tabs.send(&format!("GET {DEFINITIONS}/tabs.example.com"), &Value::Null, 200);
    for (index, stored) in [true, false].into_iter().enumerate() {
        next["spec"]["versions"][index]["storage"] = stored.into();
    }
    tabs.send(&format!("PUT {DEFINITIONS}/tabs.example.com"), &next, 200);
    tabs.calls();
    tabs.spec(&format!("{V2}/a"), &json!({ "host": "h", "port": "1", "since": "v2" }));
    assert_eq!(tabs.calls(), [""; 0]);
    tabs.spec(&format!("{V1}/a"), &json!({ "hostPort": "h:1", "since": "v2" }));
    assert_eq!(tabs.calls(), ["v2->v1"]);
    // The next write brings it into the new one.
    tabs.patch(MERGE, &format!("{V1}/a"), &json!({ "spec": { "replicas": 1 } }), 200);
    tabs.calls();
    tabs.spec(&format!("{V1}/a"), &json!({ "hostPort": "h:1", "replicas": 1, "since": "v2" }));
    assert_eq!(tabs.calls(), [""; 0]);
}

#[test]
fn where_nobody_calls_webhooks_none_can_be_reached() {
    let cluster = Cluster::new();
    assert_eq!(cluster.json(&format!("POST {DEFINITIONS}"), &definition(&json!(["v1"]))).0, 201);
    let check = |line: &str, body: &Value, code: u16| {
        let (got, answer) = cluster.json(line, body);
        assert_eq!(got, code, "{answer}");
        let why = "conversion webhook for example.com/v2, Kind=Tab failed: Post \"https://hook.example.com/convert?timeout=30s\": \
                   dial tcp hook.example.com: connect: network is unreachable";
        assert!(code != 500 || answer["message"] == why, "{answer}");
    };
    check(&format!("GET {V1}"), &Value::Null, 200);
    check(&format!("POST {V2}"), &v2("a", &json!({ "host": "h" })), 201);
    check(&format!("GET {V2}/a"), &Value::Null, 200);
    check(&format!("GET {V1}/a"), &Value::Null, 500);
    check(&format!("GET {V1}"), &Value::Null, 500);
    check(&format!("POST {V1}"), &v1("b", &json!({ "hostPort": "h:1" })), 500);
}
