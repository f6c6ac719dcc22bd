//! Whole answers of every sort.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use http::{Request, Response};
use schema::{Described, Storage, Subresource};

use super::*;
use crate::context::ApiServer;
use crate::resource::Resource;
use crate::{Body, Config, ManualClock, SeededRandom};

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// A custom resource with both subresources.
pub(crate) fn widgets(group: &str, version: &str) -> Resource {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let sub = |name: &str, group: &str, version: &str, kind: &str| Subresource {
        name: name.to_owned(),
        group: group.to_owned(),
        version: version.to_owned(),
        kind: kind.to_owned(),
        described: Described::default(),
        verbs: texts(&["get", "patch", "update"]),
    };
    Resource::built_in(schema::Resource {
        group: group.to_owned(),
        version: version.to_owned(),
        name: "widgets".to_owned(),
        singular: "widget".to_owned(),
        kind: "Widget".to_owned(),
        list_kind: "WidgetList".to_owned(),
        namespaced: true,
        verbs: texts(&["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"]),
        short_names: texts(&["wd"]),
        categories: texts(&["all"]),
        described: Described::default(),
        subresources: vec![
            sub("status", group, version, "Widget"),
            sub("scale", "autoscaling", "v1", "Scale"),
        ],
        storage: Storage {
            group: group.to_owned(),
            version: version.to_owned(),
            resource: "widgets".to_owned(),
        },
    })
}

pub(crate) fn server() -> ApiServer {
    ApiServer::new(Config {
        first_revision: 10_245,
        ..Config::new(
            Arc::new(ManualClock::new(Duration::from_secs(1_767_225_600))),
            Arc::new(SeededRandom::new(1)),
        )
    })
}

pub(crate) fn ask(server: &ApiServer, method: &str, uri: &str, headers: &[(&str, &str)]) -> Response<Body> {
    let mut request = Request::builder().method(method).uri(uri);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    server.call(request.body(Bytes::new()).unwrap()).now_or_never().unwrap()
}

pub(crate) fn text(response: &Response<Body>) -> String {
    String::from_utf8_lossy(response.body().bytes().map_or(&[][..], |bytes| bytes)).into_owned()
}

/// Code, media type and body of an answer; the first letters of the body are enough.
#[track_caller]
fn check(method: &str, uri: &str, accept: &str, code: u16, media_type: &str, body: &str) {
    let response = ask(&server(), method, uri, &[("Accept", accept)]);
    let found = response.headers().get("content-type").map_or("", |value| value.to_str().unwrap());
    assert_eq!((response.status().as_u16(), found), (code, media_type), "{uri} {accept}");
    let text = text(&response);
    assert!(text.starts_with(body), "{uri} {accept}: {text}");
}

#[test]
fn health() {
    let plain = "text/plain; charset=utf-8";
    check("GET", "/livez", "", 200, plain, "ok");
    check("POST", "/readyz?exclude=nope", "application/json", 200, plain, "ok");
    check("GET", "/livez/ping?verbose", "", 200, plain, "ok");
    check("GET", "/livez/shutdown", "", 404, plain, "404 page not found\n");
    check("GET", "/readyz/shutdown", "", 200, plain, "ok");
    check("GET", "/livez/etcd", "", 200, plain, "ok");
    check("GET", "/readyz/etcd", "", 404, plain, "404 page not found\n");
    check("GET", "/healthz/", "", 404, plain, "404 page not found\n");
    let response = ask(&server(), "GET", "/livez?verbose&exclude=ping&exclude=a&exclude=b", &[]);
    let told = text(&response);
    assert!(told.starts_with("[+]ping excluded: ok\n[+]log ok\n"), "{told}");
    let end = "warn: some health checks cannot be excluded: no matches for \"a\",\"b\"\nlivez check passed\n";
    assert!(told.ends_with(end), "{told}");
}

#[test]
fn roots() {
    let json = "application/json";
    check("GET", "/version", "", 200, json, "{\n  \"major\": \"1\",\n  \"minor\": \"36\",\n");
    check("POST", "/version", "", 405, json, "");
    check("GET", "/version/x", "", 404, json, "{\"kind\":\"Status\"");
    check("GET", "/version", "application/yaml", 406, "application/yaml", "apiVersion: v1\ncode: 406");
    check(
        "GET",
        "/",
        "application/yaml",
        200,
        json,
        "{\n  \"paths\": [\n    \"/.well-known/openid-configuration\",\n",
    );
    check(
        "GET",
        "/metrics",
        "",
        200,
        "text/plain; version=0.0.4; charset=utf-8; escaping=underscores",
        "# HELP ",
    );
    check(
        "GET",
        "/.well-known/openid-configuration",
        "",
        200,
        json,
        "{\"issuer\":\"https://kubernetes.default.svc\"",
    );
    check("GET", "/openid/v1/jwks/", "*/*", 200, "application/jwk-set+json", "{\"keys\":[]}");
    check("GET", "/openid/v1/jwks", json, 406, json, "");
    check("GET", "/logs", "", 404, "text/plain; charset=utf-8", "404 page not found\n");
}

#[test]
fn aggregated_discovery_is_asked_for_anywhere_in_accept() {
    let start = r#"{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[{"metadata":"#;
    let core = [start, r#"{},"versions":[{"version":"v1","resources":[{"resource":"bindings","responseKind":{"group":"","version":"","kind":"Binding"},"scope":"Namespaced","singularResource":"binding","verbs":["create"]}"#].concat();
    check("GET", "/api", AGGREGATED, 200, AGGREGATED, &core);
    check("GET", "/api", &["application/json,", AGGREGATED].concat(), 200, AGGREGATED, &core);
    check(
        "GET",
        "/apis",
        &[AGGREGATED, ";profile=nopeer"].concat(),
        200,
        AGGREGATED,
        &[start, r#"{"name":""#].concat(),
    );
    check("GET", "/api", "application/json", 200, "application/json", r#"{"kind":"APIVersions""#);
    let old = AGGREGATED.replace("v=v2", "v=v2beta1");
    check("GET", "/apis", &old, 406, "application/json", "");
    check(
        "GET",
        "/apis",
        &[&old, ",application/json"].concat(),
        200,
        "application/json",
        r#"{"kind":"APIGroupList""#,
    );
    for format in ["application/yaml", "application/vnd.kubernetes.protobuf"] {
        let accept = AGGREGATED.replace("application/json", format);
        check("GET", "/apis", &accept, 200, &accept, "");
    }
    let cbor = AGGREGATED.replace("application/json", "application/cbor");
    let refused = r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":""#;
    check("GET", "/api", &cbor, 406, "application/json", &[refused, "406: Not Acceptable\\n"].concat());
    check("GET", "/apis", &cbor, 406, "application/json", &[refused, "only the following"].concat());
}

#[test]
fn what_has_not_changed_is_not_sent_again() {
    let server = server();
    let first = ask(&server, "GET", "/apis", &[("Accept", AGGREGATED)]);
    let tag = first.headers()["etag"].to_str().unwrap();
    let again = ask(&server, "GET", "/apis", &[("Accept", AGGREGATED), ("If-None-Match", tag)]);
    assert_eq!((again.status().as_u16(), text(&again)), (304, String::new()));
    assert_eq!(
        (&again.headers()["etag"], &again.headers()["vary"]),
        (&first.headers()["etag"], &first.headers()["vary"])
    );
    let other = ask(&server, "GET", "/apis", &[("Accept", AGGREGATED), ("If-None-Match", "\"other\"")]);
    assert_eq!(other.status().as_u16(), 200);
}

#[test]
fn custom_resources_are_told_of_in_full() {
    let mut resources = crate::resource::built_in().to_vec();
    resources.push(Arc::new(widgets("example.com", "v1")));
    let list = documents::group_version(&resources, "example.com", "v1").to_string();
    assert!(list.contains(r#"{"name":"widgets/scale","singularName":"","namespaced":true,"group":"autoscaling","version":"v1","kind":"Scale","verbs":["get","patch","update"]}"#), "{list}");
    let document = aggregated::document(&resources, &[], None, false);
    let document = String::from_utf8(document.json).unwrap();
    assert!(document.contains(
        r#""responseKind":{"group":"example.com","version":"v1","kind":"Widget"},"scope":"Namespaced""#
    ));
    assert!(document.ends_with(r#""freshness":"Current"}]}]}"#), "{document}");
}

#[test]
fn built_in_resources_have_types() {
    for row in crate::resource::built_in() {
        assert!(row.ty().is_some(), "{} has no type and would be taken for a custom resource", row.name);
    }
}
