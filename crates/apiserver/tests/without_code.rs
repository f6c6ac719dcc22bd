//! A server whose code is not loaded yet. The only test of its program, for what is loaded stays.

mod common;

use std::sync::Arc;

use apiserver::code::Chunk;
use apiserver::{WebhookCall, WebhookCaller, WebhookResponse};
use bytes::Bytes;
use common::Cluster;
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use http::Request;
use json_tree::{Value, json};
use protocol::command::Backup;
use protocol::trace::{ObjectKey, Stored};

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const POLICIES: &str = "/apis/admissionregistration.k8s.io/v1/validatingadmission";
const GAUGES: &str = "/apis/example.com/v1/namespaces/default/gauges";

/// A definition with a rule.
fn definition() -> Value {
    let rule = json!([{ "rule": "self.size > 1" }]);
    let spec = json!({ "type": "object", "properties": { "size": { "type": "integer" } }, "x-kubernetes-validations": rule });
    let schema = json!({ "openAPIV3Schema": { "type": "object", "properties": { "spec": spec } } });
    let version = json!({ "name": "v1", "served": true, "storage": true, "schema": schema });
    let names = json!({ "kind": "Gauge", "plural": "gauges" });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": "gauges.example.com" },
        "spec": { "group": "example.com", "scope": "Namespaced", "names": names, "versions": [version] },
    })
}

/// Returns the backup of a cluster in which a kind is defined and a policy is bound.
fn defined() -> Backup {
    let cluster = Cluster::new();
    let created = |path: &str, object: &Value| {
        assert_eq!(cluster.json(&format!("POST {path}"), object).0, 201, "{path}");
    };
    created(DEFINITIONS, &definition());
    let constraints = json!({ "resourceRules": [{ "apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["secrets"] }] });
    let spec = json!({ "failurePolicy": "Ignore", "matchConstraints": constraints, "validations": [{ "expression": "false" }] });
    created(&format!("{POLICIES}policies"), &json!({ "metadata": { "name": "p" }, "spec": spec }));
    let spec = json!({ "policyName": "p", "validationActions": ["Deny"] });
    created(&format!("{POLICIES}policybindings"), &json!({ "metadata": { "name": "b" }, "spec": spec }));
    let inspect = cluster.server.inspect();
    let (_, revision) = inspect.revisions();
    let objects = inspect.objects_at(revision).expect("the compact revision is kept");
    Backup { revision, objects, writes: inspect.writes(revision, usize::MAX), ..Backup::default() }
}

fn request(line: &str, accept: &str, body: &str) -> Request<Bytes> {
    let (method, uri) = line.split_once(' ').expect("a method and a path");
    let request = Request::builder().method(method).uri(uri).header("Accept", accept);
    let request = request.header("Content-Type", "application/json");
    request.body(Bytes::copy_from_slice(body.as_bytes())).expect("a request")
}

/// A request is refused without each of its chunks, writes nothing then, and is not refused when they are there.
#[track_caller]
fn check(cluster: &Cluster, request: &Request<Bytes>, chunks: &[Chunk]) {
    let about = format!("{} {}", request.method(), request.uri());
    for (place, chunk) in chunks.iter().enumerate() {
        assert_eq!(cluster.server.missing(request), chunks[place..], "{about}");
        let before = cluster.server.inspect().revision();
        let response = cluster.pass(request.clone());
        assert!(!response.status().is_success(), "{about} without {chunk:?}: {response:?}");
        assert_eq!(cluster.server.inspect().revision(), before, "{about} without {chunk:?}");
        let (code, status) = common::read(&cluster.server.not_loaded(*chunk, "404 Not Found"));
        assert_eq!((code, status["reason"].as_str()), (503, Some("ServiceUnavailable")), "{about}");
        common::provide(*chunk);
    }
    assert_eq!(cluster.server.missing(request), [], "{about}");
    let response = cluster.pass(request.clone());
    assert!(!response.status().is_server_error(), "{about}: {}", response.status());
}

/// A webhook that has no objection.
struct Webhook;

impl WebhookCaller for Webhook {
    fn call(&self, call: WebhookCall) -> BoxFuture<'static, Result<WebhookResponse, String>> {
        let review: Value = serde_json::from_slice(&call.body).expect("a review");
        let response = json!({ "uid": review["request"]["uid"], "allowed": true });
        let review =
            json!({ "kind": review["kind"], "apiVersion": review["apiVersion"], "response": response });
        ready(Ok(WebhookResponse {
            code: 200,
            body: review.to_string().into(),
            ..WebhookResponse::default()
        }))
        .boxed()
    }
}

/// Adds a configuration of a webhook for ConfigMaps to a backup.
fn with_webhook(mut backup: Backup) -> Backup {
    let rule = json!({ "apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["configmaps"], "scope": "*" });
    let webhook = json!({
        "name": "a.example.com", "rules": [rule], "clientConfig": { "url": "https://a.example.com" }, "sideEffects": "None",
        "admissionReviewVersions": ["v1"], "failurePolicy": "Ignore", "matchPolicy": "Equivalent",
        "namespaceSelector": {}, "objectSelector": {}, "timeoutSeconds": 10,
    });
    let json =
        json!({ "metadata": { "name": "a", "uid": "u", "resourceVersion": "2" }, "webhooks": [webhook] });
    let key = ObjectKey {
        group: "admissionregistration.k8s.io".to_owned(),
        resource: "validatingwebhookconfigurations".to_owned(),
        name: "a".to_owned(),
        ..ObjectKey::default()
    };
    let stored = Stored { json: json.to_string().into(), ..Stored::default() };
    backup.objects.push((key, 2, stored));
    backup
}

#[test]
fn what_is_reached_without_its_code_fails_and_leaves_nothing_behind() {
    let (cluster, backup) = (Cluster::late(), defined());
    let bare = Backup { objects: Vec::new(), writes: Vec::new(), ..backup.clone() };
    assert!(Cluster::late().server.restore(backup.clone()).is_err(), "nobody knows what is defined");
    let (json, table) = ("application/json", "application/json;as=Table;v=v1;g=meta.k8s.io");
    let default = "/api/v1/namespaces/default";
    let (maps, secrets) = (format!("{default}/configmaps"), format!("{default}/secrets"));
    let named = r#"{"metadata":{"name":"a"}}"#;
    check(&cluster, &request(&format!("GET {maps}"), json, ""), &[]);
    check(&cluster, &request("GET /apis", json, ""), &[Chunk::Discovery]);
    check(&cluster, &request("GET /openapi/v2", json, ""), &[Chunk::OpenApi]);
    let mut yaml = request(&format!("POST {maps}"), json, "metadata: {name: a}");
    yaml.headers_mut().insert("content-type", "Application/YAML; a=b".parse().expect("a header value"));
    assert!(cluster.server.missing(&yaml).contains(&Chunk::MediaTypes), "letters of any case");
    check(&cluster, &request(&format!("GET {maps}"), "application/yaml", ""), &[Chunk::MediaTypes]);
    check(&cluster, &request(&format!("GET {maps}"), table, ""), &[Chunk::Tables]);
    // Whatever writes, and what is no object, is refused before the code of writes is there.
    let review = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    let autoscalers = "GET /apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers";
    assert_eq!(
        cluster.server.missing(&request(autoscalers, json, "")),
        [Chunk::Writes],
        "it is shown otherwise"
    );
    let lines = [
        format!("DELETE {maps}"),
        format!("POST {review}"),
        format!("POST {default}/serviceaccounts/default/token"),
        format!("GET {default}/pods/a/log"),
        format!("GET {default}/pods/a/exec"),
        "GET /api/v1/componentstatuses".to_owned(),
    ];
    for line in &lines {
        let request = request(line, json, "{}");
        assert_eq!(cluster.server.missing(&request)[0], Chunk::Writes, "{line}");
        assert_eq!(cluster.pass(request).status(), 500, "{line}");
    }
    let mut impersonated = request(&format!("GET {maps}"), json, "");
    impersonated.headers_mut().insert("impersonate-user", http::HeaderValue::from_static("alice"));
    assert_eq!(cluster.server.missing(&impersonated), [Chunk::Writes], "in somebody else's name");
    assert_eq!(cluster.pass(impersonated).status(), 500, "nobody is let in without it");
    check(&cluster, &request(&format!("POST {maps}"), json, named), &[Chunk::Writes]);
    let late = Cluster::late();
    let server = late.server.restore(backup).expect("what a trace tells can be restored");
    let defined = Cluster { server, clock: late.clock };
    let gauge = r#"{"apiVersion":"example.com/v1","kind":"Gauge","metadata":{"name":"a"},"spec":{"size":2}}"#;
    for (line, body) in [(format!("POST {GAUGES}"), gauge), (format!("POST {secrets}"), named)] {
        // A policy whose own failure is ignored is not ignored.
        let request = request(&line, json, body);
        let missing = defined.server.missing(&request);
        assert!(
            !missing.is_empty() && missing.iter().all(|chunk| *chunk == Chunk::Expressions),
            "{line}: {missing:?}"
        );
        assert!(!defined.pass(request).status().is_success(), "{line}");
    }
    let pod = r#"{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i"}]}}"#;
    check(&cluster, &request(&format!("POST {default}/pods"), json, pod), &[Chunk::Workloads]);
    check(&cluster, &request("POST /api/v1/nodes", json, named), &[Chunk::Validation]);
    check(
        &cluster,
        &request(&format!("POST {DEFINITIONS}"), json, &definition().to_string()),
        &[Chunk::Expressions],
    );
    check(&defined, &request(&format!("POST {GAUGES}"), json, gauge), &[]);
    assert_eq!(defined.pass(request(&format!("POST {secrets}"), json, named)).status(), 422, "it is denied");
    // A webhook whose failure is ignored is not left out.
    let late = Cluster::late();
    let server = late.server.restore(with_webhook(bare)).expect("a backup");
    let hooked = Cluster { server, clock: late.clock };
    let post = request(&format!("POST {maps}"), json, named);
    assert_eq!(hooked.server.missing(&post), [], "nobody calls webhooks");
    hooked.server.set_webhooks(Arc::new(Webhook));
    check(&hooked, &post, &[Chunk::Webhooks]);
}
