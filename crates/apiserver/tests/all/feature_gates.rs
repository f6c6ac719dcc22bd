//! Features that are off by default in v1.36, on and off.

use apiserver::{Config, FeatureGates};
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{Method, Request};

use crate::common::{Cluster, read};

const CONFIGMAPS: &str = "/api/v1/namespaces/default/configmaps";
const CBOR: &str = "application/cbor";

/// The two clusters: as v1.36 has its features by default, and with all that there are.
fn clusters() -> [Cluster; 2] {
    let off = Cluster::with(|config| Config { feature_gates: FeatureGates::V1_36, ..config });
    [off, Cluster::new()]
}

/// Checks the status codes of a request without the features and with them, and a text in the message of the former.
#[track_caller]
fn check(
    method: &Method,
    path: &str,
    headers: &[(http::HeaderName, &str)],
    body: &str,
    expected: ([u16; 2], &str),
) {
    let answers = clusters().map(|cluster| {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(name, *value);
        }
        let response = cluster.send(request.body(body.to_owned().into()).expect("a request"));
        let code = response.status().as_u16();
        (code, if code < 300 { String::new() } else { read(&response).1["message"].to_string() })
    });
    assert_eq!(answers.each_ref().map(|(code, _)| *code), expected.0, "{answers:?}");
    assert!(answers[0].1.contains(expected.1), "{answers:?}");
}

#[test]
fn cbor() {
    let get = Method::GET;
    let three = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
    for path in [CONFIGMAPS, "/apis", "/api/v1", "/apis/apps/v1/deployments?watch=true&timeoutSeconds=1"] {
        check(&get, path, &[(ACCEPT, CBOR)], "", ([406, if path == "/apis" { 406 } else { 200 }], three));
    }
    check(&Method::POST, CONFIGMAPS, &[(CONTENT_TYPE, CBOR)], "x", ([415, 400], three));
    let apply = [(CONTENT_TYPE, "application/apply-patch+cbor")];
    let path = format!("{CONFIGMAPS}/a?fieldManager=x");
    check(&Method::PATCH, &path, &apply, "x", ([415, 400], "415: Unsupported Media Type"));
    for [off, on] in ["/openapi/v2", "/openapi/v3/api/v1"]
        .map(|path| clusters().map(|cluster| cluster.get(path).1.to_string().matches("cbor").count()))
    {
        assert!(off == 0 && on > 100, "{off} {on}");
    }
}

#[test]
fn deletion_of_what_cannot_be_read() {
    const OPTION: &str = "ignoreStoreReadErrorWithClusterBreakingPotential=true";
    let delete = Method::DELETE;
    let path = format!("{CONFIGMAPS}?{OPTION}");
    check(&delete, &path, &[], "", ([200, 422], ""));
    let path = format!("{CONFIGMAPS}/a?{OPTION}&dryRun=All");
    check(&delete, &path, &[], "", ([404, 422], "not found"));
}
