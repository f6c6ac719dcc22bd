//! A server whose code is not loaded yet. The only test of its program, for what is loaded stays.

mod common;

use apiserver::code::Chunk;
use bytes::Bytes;
use common::Cluster;
use http::Request;
use json_tree::{Value, json};

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
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

/// Sends each request without its chunk, and then with it.
#[test]
fn what_is_reached_without_its_code_fails_and_leaves_nothing_behind() {
    const MAPS: &str = "/api/v1/namespaces/default/configmaps";
    let cluster = Cluster::late();
    let revision = || cluster.server.inspect().revision();
    let sent = |line: &str, accept: &str, body: &str| {
        let (method, uri) = line.split_once(' ').expect("a method and a path");
        let request = Request::builder().method(method).uri(uri).header("Accept", accept);
        request
            .header("Content-Type", "application/json")
            .body(Bytes::copy_from_slice(body.as_bytes()))
            .expect("a request")
    };
    let (json, table) = ("application/json", "application/json;as=Table;v=v1;g=meta.k8s.io");
    let cases = [
        (sent("GET /openapi/v2", json, ""), Chunk::OpenApi),
        (sent(&format!("GET {MAPS}"), "application/yaml", ""), Chunk::MediaTypes),
        (sent(&format!("GET {MAPS}"), table, ""), Chunk::Tables),
        (sent(&format!("POST {MAPS}"), json, r#"{"metadata":{"name":"a"}}"#), Chunk::Writes),
        (sent(&format!("POST {MAPS}"), json, r#"{"metadata":{"name":"a"}}"#), Chunk::Validation),
        (
            sent(
                &format!("POST {GAUGES}"),
                json,
                r#"{"apiVersion":"example.com/v1","kind":"Gauge","metadata":{"name":"a"},"spec":{"size":2}}"#,
            ),
            Chunk::Expressions,
        ),
    ];
    assert_eq!(cluster.server.missing(&sent(&format!("GET {MAPS}"), json, "")), None);
    assert_eq!(cluster.get(MAPS).0, 200);
    // Whatever writes is refused before the code of writes is there.
    let review = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    let default = "/api/v1/namespaces/default";
    let lines = [
        &format!("PUT {default}"),
        &format!("DELETE {default}"),
        &format!("DELETE {MAPS}"),
        &format!("POST {review}"),
        &format!("POST {default}/serviceaccounts/default/token"),
    ];
    for line in lines {
        let before = revision();
        let request = sent(line, json, "{}");
        assert_eq!(cluster.server.missing(&request), Some(Chunk::Writes), "{line}");
        assert_eq!(cluster.pass(request).status(), 500, "{line}");
        assert_eq!(revision(), before, "{line}");
    }
    for (request, chunk) in cases {
        let about = format!("{} {}", request.method(), request.uri());
        if chunk == Chunk::Expressions {
            let defined = cluster.pass(sent(&format!("POST {DEFINITIONS}"), json, &definition().to_string()));
            assert_eq!(defined.status(), 201);
        }
        assert_eq!(cluster.server.missing(&request), Some(chunk), "{about}");
        let before = revision();
        let response = cluster.pass(request.clone());
        let status = response.status();
        assert!(!status.is_success(), "{about}: {status} {response:?}");
        assert_eq!(revision(), before, "{about}");
        let refused = cluster.server.not_loaded(chunk, "404 Not Found");
        let (code, status) = common::read(&refused);
        assert_eq!((code, status["reason"].as_str()), (503, Some("ServiceUnavailable")), "{about}");
        common::provide(chunk);
        assert_ne!(cluster.server.missing(&request), Some(chunk), "{about}");
        if cluster.server.missing(&request).is_some() {
            continue;
        }
        let response = cluster.pass(request);
        assert!(!response.status().is_server_error(), "{about}: {}", response.status());
    }
}
