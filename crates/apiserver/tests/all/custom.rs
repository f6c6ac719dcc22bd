//! Custom resources, from the creation of their definition to its end.

use crate::common::{Cluster, Watch};
use bytes::Bytes;
use json_tree::{Value, json};

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const WIDGETS: &str = "/apis/example.com/v1/namespaces/default/widgets";

fn definition(plural: &str, kind: &str, spec: &Value) -> Value {
    let schema =
        json!({ "type": "object", "properties": { "spec": { "type": "object", "properties": spec } } });
    json!({
        "metadata": { "name": format!("{plural}.example.com") },
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": { "plural": plural, "kind": kind },
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } }],
        },
    })
}

fn widget(name: &str, spec: &Value) -> Value {
    json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": name }, "spec": spec })
}

/// A cluster with widgets, which have a size.
fn cluster() -> Cluster {
    let cluster = Cluster::new();
    let spec = json!({ "size": { "type": "integer" }, "gone": { "type": "string" } });
    check(&cluster, &format!("POST {DEFINITIONS}"), &definition("widgets", "Widget", &spec), 201);
    cluster
}

#[track_caller]
fn check(cluster: &Cluster, line: &str, body: &Value, code: u16) -> Value {
    let (got, answer) = cluster.json(line, body);
    assert_eq!(got, code, "{line} {answer}");
    answer
}

fn condition(cluster: &Cluster, name: &str, kind: &str) -> String {
    let definition = check(cluster, &format!("GET {DEFINITIONS}/{name}"), &Value::Null, 200);
    let conditions = definition["status"]["conditions"].as_array().cloned().unwrap_or_default();
    let found = conditions.into_iter().find(|condition| condition["type"] == kind);
    found
        .map_or_else(String::new, |found| format!("{} {}", found["status"], found["reason"]).replace('"', ""))
}

fn watch(cluster: &Cluster, query: &str) -> Watch {
    match cluster.request(&format!("GET {WIDGETS}?watch=1&{query}"), "").into_body() {
        apiserver::Body::Stream(stream) => Watch::of(stream),
        body => panic!("not a stream: {body:?}"),
    }
}

#[test]
fn what_is_defined_is_served_until_it_is_deleted() {
    let cluster = cluster();
    assert_eq!(condition(&cluster, "widgets.example.com", "Established"), "True InitialNamesAccepted");
    check(&cluster, &format!("POST {WIDGETS}"), &widget("a", &json!({ "size": 1, "nope": 2 })), 201);
    let object = check(&cluster, &format!("GET {WIDGETS}/a"), &Value::Null, 200);
    assert_eq!(object["spec"], json!({ "size": 1 }));
    check(&cluster, &format!("POST {WIDGETS}"), &widget("b", &json!({ "size": "x" })), 422);
    check(&cluster, &format!("DELETE {DEFINITIONS}/widgets.example.com"), &Value::Null, 200);
    check(&cluster, &format!("GET {DEFINITIONS}/widgets.example.com"), &Value::Null, 404);
    check(&cluster, &format!("GET {WIDGETS}/a"), &Value::Null, 404);
    // What comes back begins empty.
    let spec = json!({ "size": { "type": "integer" } });
    check(&cluster, &format!("POST {DEFINITIONS}"), &definition("widgets", "Widget", &spec), 201);
    let list = check(&cluster, &format!("GET {WIDGETS}"), &Value::Null, 200);
    assert_eq!((&list["items"], &list["metadata"]["continue"]), (&json!([]), &json!("")));
}

#[test]
fn a_namespace_that_goes_leaves_what_is_in_it_and_takes_nothing_new() {
    let cluster = cluster();
    check(&cluster, "POST /api/v1/namespaces", &json!({ "metadata": { "name": "going" } }), 201);
    let widgets = "/apis/example.com/v1/namespaces/going/widgets";
    check(&cluster, &format!("POST {widgets}"), &widget("a", &json!({ "size": 1 })), 201);
    check(&cluster, "DELETE /api/v1/namespaces/going", &Value::Null, 200);
    let refused = check(&cluster, &format!("POST {widgets}"), &widget("b", &json!({})), 403);
    assert_eq!(refused["details"]["causes"][0]["reason"], "NamespaceTerminating", "{refused}");
    let mut object = check(&cluster, &format!("GET {widgets}/a"), &Value::Null, 200);
    object["spec"]["size"] = json!(2);
    check(&cluster, &format!("PUT {widgets}/a"), &object, 200);
    let finalize = json!({ "metadata": { "name": "going" }, "spec": { "finalizers": [] } });
    check(&cluster, "PUT /api/v1/namespaces/going/finalize", &finalize, 200);
    check(&cluster, "GET /api/v1/namespaces/going", &Value::Null, 404);
    // To empty a namespace is what controllers do.
    check(&cluster, &format!("GET {widgets}/a"), &Value::Null, 200);
    check(&cluster, &format!("POST {widgets}"), &widget("b", &json!({})), 404);
    check(&cluster, &format!("DELETE {widgets}"), &Value::Null, 200);
}

#[test]
fn cbor_tells_whole_floats_from_integers() {
    let cluster = cluster();
    let spec = json!({ "k": { "type": "number" }, "m": { "type": "number" } });
    check(&cluster, &format!("POST {DEFINITIONS}"), &definition("gadgets", "Gadget", &spec), 201);
    let path = "/apis/example.com/v1/namespaces/default/gadgets";
    let sent =
        r#"{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"a"},"spec":{"m":2.0,"k":2}}"#;
    let created = cluster.request(&format!("POST {path}"), sent);
    assert_eq!(created.status(), 201);
    let get = |uri: &str, accept: &str| {
        let request = http::Request::get(uri).header("accept", accept).body(Bytes::new()).expect("a request");
        cluster.send(request).body().bytes().expect("not a stream").clone()
    };
    let has = |bytes: &Bytes, part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
    for uri in [path.to_owned(), format!("{path}/a")] {
        assert!(has(&get(&uri, "application/json"), br#""spec":{"k":2,"m":2}"#), "{uri}");
        assert!(has(&get(&uri, "application/yaml"), b"k: 2\n"), "{uri}");
        assert!(has(&get(&uri, "application/yaml"), b"m: 2\n"), "{uri}");
        // An integer, and a float of two bytes.
        assert!(has(&get(&uri, "application/cbor"), b"\x41k\x02\x41m\xf9\x40\x00"), "{uri}");
    }
    // A patch is of the JSON, which does not tell.
    let patch =
        http::Request::patch(format!("{path}/a")).header("content-type", "application/merge-patch+json");
    let patch = patch.body(Bytes::from(r#"{"metadata":{"labels":{"x":"y"}}}"#)).expect("a request");
    assert_eq!(cluster.send(patch).status(), 200);
    assert!(has(&get(&format!("{path}/a"), "application/cbor"), b"\x41k\x02\x41m\x02"));
}

#[test]
fn objects_with_finalizers_keep_their_definition() {
    let cluster = cluster();
    let mut object = widget("a", &json!({}));
    object["metadata"]["finalizers"] = json!(["example.com/hold"]);
    check(&cluster, &format!("POST {WIDGETS}"), &object, 201);
    check(&cluster, &format!("DELETE {DEFINITIONS}/widgets.example.com"), &Value::Null, 200);
    assert_eq!(condition(&cluster, "widgets.example.com", "Terminating"), "True InstanceDeletionInProgress");
    check(&cluster, &format!("POST {WIDGETS}"), &widget("b", &json!({})), 403);
    let mut held = check(&cluster, &format!("GET {WIDGETS}/a"), &Value::Null, 200);
    held["metadata"]["finalizers"] = json!([]);
    check(&cluster, &format!("PUT {WIDGETS}/a"), &held, 200);
    check(&cluster, &format!("GET {DEFINITIONS}/widgets.example.com"), &Value::Null, 404);
}

#[test]
fn names_are_free_once_nobody_has_them() {
    let cluster = cluster();
    let second = definition("gadgets", "Widget", &json!({}));
    check(&cluster, &format!("POST {DEFINITIONS}"), &second, 201);
    assert_eq!(condition(&cluster, "gadgets.example.com", "Established"), "False NotAccepted");
    check(&cluster, "GET /apis/example.com/v1/gadgets", &Value::Null, 404);
    check(&cluster, &format!("DELETE {DEFINITIONS}/widgets.example.com"), &Value::Null, 200);
    assert_eq!(condition(&cluster, "gadgets.example.com", "Established"), "True InitialNamesAccepted");
    check(&cluster, "GET /apis/example.com/v1/gadgets", &Value::Null, 200);
}

#[test]
fn names_are_free_once_the_last_object_is_gone() {
    let cluster = cluster();
    let mut object = widget("a", &json!({}));
    object["metadata"]["finalizers"] = json!(["example.com/hold"]);
    check(&cluster, &format!("POST {WIDGETS}"), &object, 201);
    let second = definition("gadgets", "Widget", &json!({}));
    check(&cluster, &format!("POST {DEFINITIONS}"), &second, 201);
    check(&cluster, &format!("DELETE {DEFINITIONS}/widgets.example.com"), &Value::Null, 200);
    assert_eq!(condition(&cluster, "gadgets.example.com", "Established"), "False NotAccepted");
    let mut held = check(&cluster, &format!("GET {WIDGETS}/a"), &Value::Null, 200);
    held["metadata"]["finalizers"] = json!([]);
    check(&cluster, &format!("PUT {WIDGETS}/a"), &held, 200);
    assert_eq!(condition(&cluster, "gadgets.example.com", "Established"), "True InitialNamesAccepted");
}

#[test]
fn another_schema_ends_watches_and_is_read_by() {
    let cluster = cluster();
    check(&cluster, &format!("POST {WIDGETS}"), &widget("a", &json!({ "size": 1, "gone": "x" })), 201);
    let before = check(&cluster, &format!("GET {WIDGETS}"), &Value::Null, 200);
    let mut open = watch(&cluster, "");
    assert_eq!(open.events().len(), 1);
    let mut changed = check(&cluster, &format!("GET {DEFINITIONS}/widgets.example.com"), &Value::Null, 200);
    changed["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"] =
        json!({ "size": { "type": "integer" }, "mark": { "type": "string", "default": "new" } });
    check(&cluster, &format!("PUT {DEFINITIONS}/widgets.example.com"), &changed, 200);
    assert!(open.was_woken());
    assert_eq!(open.events(), ["closed"]);
    let object = check(&cluster, &format!("GET {WIDGETS}/a"), &Value::Null, 200);
    assert_eq!(object["spec"], json!({ "mark": "new", "size": 1 }));
    let version = before["metadata"]["resourceVersion"].as_str().unwrap_or_default();
    let events = watch(&cluster, &format!("resourceVersion={version}")).events();
    assert!(events[0].starts_with("ERROR 410 too old resource version"), "{events:?}");
}

/// In the groups of the Kubernetes community, an annotation says where an API was approved.
#[test]
fn approval_of_protected_groups() {
    let cluster = Cluster::new();
    let kind = "KubernetesAPIApprovalPolicyConformant";
    let mut body = definition("widgets", "Widget", &json!({}));
    for (plural, annotation, expected) in [
        ("as", "https://github.com/kubernetes/kubernetes/pull/1", "True ApprovedAnnotation"),
        ("bs", "unapproved, an experiment", "False UnapprovedAnnotation"),
    ] {
        body["metadata"] = json!({
            "name": format!("{plural}.sigs.k8s.io"),
            "annotations": { "api-approved.kubernetes.io": annotation },
        });
        body["spec"]["group"] = "sigs.k8s.io".into();
        body["spec"]["names"] = json!({ "plural": plural, "kind": plural.to_uppercase() });
        check(&cluster, &format!("POST {DEFINITIONS}"), &body, 201);
        assert_eq!(condition(&cluster, &format!("{plural}.sigs.k8s.io"), kind), expected);
    }
    let own = definition("widgets", "Widget", &json!({}));
    check(&cluster, &format!("POST {DEFINITIONS}"), &own, 201);
    assert_eq!(condition(&cluster, "widgets.example.com", kind), "");
}

/// A webhook whose certificates cannot be read keeps a definition from being established until that is mended.
#[test]
fn certificates_that_cannot_be_read() {
    let cluster = Cluster::new();
    let mut body = definition("widgets", "Widget", &json!({}));
    let service = json!({ "namespace": "default", "name": "converter" });
    body["spec"]["conversion"] = json!({
        "strategy": "Webhook",
        "webhook": {
            "clientConfig": { "service": service, "caBundle": "Q2c9PQ==" },
            "conversionReviewVersions": ["v1"],
        },
    });
    check(&cluster, &format!("POST {DEFINITIONS}"), &body, 201);
    let established = || condition(&cluster, "widgets.example.com", "Established");
    assert_eq!(established(), "False InvalidCABundle");
    let mut stored = check(&cluster, &format!("GET {DEFINITIONS}/widgets.example.com"), &Value::Null, 200);
    stored["spec"]["conversion"] = json!({ "strategy": "None" });
    check(&cluster, &format!("PUT {DEFINITIONS}/widgets.example.com"), &stored, 200);
    assert_eq!(established(), "True InitialNamesAccepted");
}

/// Definitions that are deleted as a collection wait for nothing; what they defined is there again when they are.
#[test]
fn a_collection_of_definitions() {
    let cluster = cluster();
    check(&cluster, &format!("POST {WIDGETS}"), &widget("a", &json!({ "size": 1 })), 201);
    let dry = check(&cluster, &format!("DELETE {DEFINITIONS}?dryRun=All"), &Value::Null, 200);
    assert_eq!(dry["items"].as_array().map(Vec::len), Some(1));
    check(&cluster, &format!("GET {WIDGETS}/a"), &Value::Null, 200);
    check(&cluster, &format!("DELETE {DEFINITIONS}"), &Value::Null, 200);
    check(&cluster, &format!("GET {DEFINITIONS}/widgets.example.com"), &Value::Null, 404);
    check(&cluster, &format!("GET {WIDGETS}"), &Value::Null, 404);
    let spec = json!({ "size": { "type": "integer" } });
    check(&cluster, &format!("POST {DEFINITIONS}"), &definition("widgets", "Widget", &spec), 201);
    let list = check(&cluster, &format!("GET {WIDGETS}"), &Value::Null, 200);
    assert_eq!(list["items"][0]["metadata"]["name"], "a");
}
