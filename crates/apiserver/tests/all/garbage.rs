//! Whatever is sent, there is an answer, and a refusal has changed nothing.
//!
//! `KUBEGLASS_CASES` says how many random cases each test tries, if not some hundreds.

mod lists;
mod options;

use crate::common::Cluster;
use apiserver::Body;
use bytes::Bytes;
use futures::{FutureExt, StreamExt};
use http::Request;
use json_tree::{Value, json};
use proptest::collection::vec;
use proptest::prelude::*;

fn one_of(words: &'static [&'static str]) -> impl Strategy<Value = String> {
    proptest::sample::select(words).prop_map(str::to_owned)
}

fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(crate::common::cases(400)) }
}

/// A cluster with ConfigMaps in two namespaces, and something else.
fn populated() -> Cluster {
    let cluster = Cluster::new();
    for name in ["a", "b", "c"] {
        cluster.create(name, &json!({ "a": "b" }));
        let body = json!({ "metadata": { "name": name } });
        for path in ["kube-system/configmaps", "default/secrets"] {
            assert_eq!(cluster.json(&format!("POST /api/v1/namespaces/{path}"), &body).0, 201);
        }
    }
    cluster
}

/// Reports whether a body is the Status that belongs to a code.
fn is_status(body: &Value, code: u16) -> bool {
    let head = ["kind", "apiVersion", "status"].map(|key| body[key].as_str().unwrap_or_default());
    let message = body["message"].as_str().is_some_and(|message| !message.is_empty());
    head == ["Status", "v1", "Failure"] && body["code"] == code && body["metadata"].is_object() && message
}

/// Segments that mean something somewhere, and some that mean nothing anywhere.
fn segment() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => one_of(&[
            "api", "apis", "v1", "v2", "apps", "autoscaling", "batch", "namespaces", "default", "kube-system", "configmaps",
            "pods", "services", "secrets", "deployments", "jobs", "horizontalpodautoscalers", "nodes", "events", "leases",
            "status", "scale", "finalize", "binding", "bindings", "eviction", "ephemeralcontainers", "resize", "log", "exec",
            "proxy", "replicasets", "componentstatuses", "authorization.k8s.io", "subjectaccessreviews", "watch", "a", "b", "", "%ZZ", "%00", "..", "healthz", "version",
        ]),
        1 => "[a-zA-Z0-9%./?-]{0,8}",
    ]
}

fn path() -> impl Strategy<Value = String> {
    let collection =
        one_of(&["configmaps", "pods", "services", "secrets", "events", "limitranges", "endpoints"]);
    prop_oneof![
        2 => collection.prop_map(|name| format!("/api/v1/namespaces/default/{name}")),
        1 => one_of(&["/api/v1/namespaces", "/api/v1/nodes", "/api/v1/pods", "/api/v1/namespaces/default"]),
        1 => one_of(&["a", "b", "default"]).prop_map(|name| format!("/api/v1/namespaces/default/configmaps/{name}")),
        2 => vec(segment(), 0..8).prop_map(|segments| format!("/{}", segments.join("/"))),
    ]
}

fn query() -> impl Strategy<Value = String> {
    let key = one_of(&[
        "watch",
        "limit",
        "continue",
        "resourceVersion",
        "resourceVersionMatch",
        "labelSelector",
        "fieldSelector",
        "timeoutSeconds",
        "allowWatchBookmarks",
        "sendInitialEvents",
        "pretty",
        "dryRun",
        "fieldManager",
        "fieldValidation",
        "gracePeriodSeconds",
        "propagationPolicy",
        "uid",
        "x",
    ]);
    let value = prop_oneof![
        3 => one_of(&[
            "", "0", "1", "-1", "true", "false", "abc", "102", "99999999999999999999", "Exact", "NotOlderThan", "All",
            "Strict", "Warn", "a%3Db", "metadata.name%3Da", "a+in+(b,c)", "!a", "Foreground", "%ZZ", "a;b",
            "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTAyLCJzdGFydCI6ImFcdTAwMDAifQ",
        ]),
        1 => "[ -~]{0,12}".prop_map(|text| text.replace(['&', '#', ' '], "+")),
    ];
    vec((key, value), 0..4).prop_map(|pairs| {
        pairs.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join("&")
    })
}

/// Values of every type under keys of objects, mostly where they do not belong.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        one_of(&["", "a", "A_", "v1", "ConfigMap", "100m", "2026-01-01T00:00:00Z", "YQ==", "25%"])
            .prop_map(Value::from),
        "\\PC{0,6}".prop_map(Value::from),
    ];
    let key = one_of(&[
        "metadata",
        "name",
        "namespace",
        "generateName",
        "labels",
        "annotations",
        "finalizers",
        "ownerReferences",
        "resourceVersion",
        "uid",
        "generation",
        "deletionTimestamp",
        "spec",
        "status",
        "data",
        "binaryData",
        "stringData",
        "type",
        "kind",
        "apiVersion",
        "template",
        "selector",
        "matchLabels",
        "containers",
        "image",
        "ports",
        "port",
        "targetPort",
        "resources",
        "limits",
        "requests",
        "cpu",
        "memory",
        "replicas",
        "volumes",
        "env",
        "clusterIP",
        "preconditions",
        "dryRun",
        "limits",
        "hard",
        "subsets",
        "taints",
        "unknown",
    ])
    .boxed();
    leaf.prop_recursive(5, 40, 5, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((key.clone(), inner), 0..5).prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    let named = value().prop_map(|mut value| {
        if let Value::Object(object) = &mut value {
            object.insert("metadata".to_owned(), json!({ "name": "a" }));
        }
        value.to_string().into_bytes()
    });
    prop_oneof![
        4 => named,
        3 => value().prop_map(|value| value.to_string().into_bytes()),
        1 => Just(Vec::new()),
        1 => vec(any::<u8>(), 0..64),
        1 => (0_usize..2000).prop_map(|depth| "[".repeat(depth).into_bytes()),
    ]
}

/// Errors of the server's own that kube-apiserver answers with 500 too.
const UNCLASSIFIED: &[&str] =
    &["strconv.ParseUint", "resourceVersion should not be set", "failed to create RequestInfo"];

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_request_has_an_answer(
        requests in vec(
            (one_of(&["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]), path(), query(), body()),
            1..12,
        )
    ) {
        let cluster = Cluster::new();
        cluster.create("a", &json!({ "a": "b" }));
        for (method, path, query, body) in requests {
            let Ok(request) = Request::builder().method(method.as_str()).uri(format!("{path}?{query}")).body(Bytes::from(body))
            else { continue };
            let before = cluster.server.inspect().overview().revision;
            // A read of the future waits, and has no answer yet.
            let Some(response) = cluster.server.call(request).now_or_never() else { continue };
            let code = response.status().as_u16();
            if code >= 400 {
                prop_assert_eq!(cluster.server.inspect().overview().revision, before, "{} {} wrote something", method, path);
            }
            match response.into_body() {
                Body::Stream(stream) => drop(stream.into_future().now_or_never()),
                Body::Bytes(bytes) if code >= 500 => {
                    let text = String::from_utf8_lossy(&bytes);
                    prop_assert!(UNCLASSIFIED.iter().any(|known| text.contains(known)), "{} {}: {}", method, path, text);
                }
                Body::Bytes(_) | Body::Upgrade(_) | Body::Cut => {}
            }
        }
    }
}
