//! Fuzz targets that change objects by untrusted bytes, and their invariants: there is a response; a refused request
//! changes nothing; a successful one responds with what is stored; and applying the same again changes nothing.
#![allow(dead_code, unreachable_pub)] // A fuzz target is one of them.

#[path = "../crates/apiserver/tests/common/mod.rs"]
mod common;

use std::cell::RefCell;

use bytes::Bytes;
use http::Request;
use http::header::CONTENT_TYPE;
use json_tree::{Value, json};

use common::{Answer, Cluster};

/// A function for bytes.
type Change = fn(&[u8]);

/// Each by the name of its target and of its folder in the corpus.
pub const CHANGES: [(&str, Change); 4] = [
    ("json_patch", json_patch),
    ("merge_patch", merge_patch),
    ("strategic_merge_patch", strategic_merge_patch),
    ("apply", apply),
];

pub fn json_patch(bytes: &[u8]) {
    change("application/json-patch+json", bytes);
}

pub fn merge_patch(bytes: &[u8]) {
    change("application/merge-patch+json", bytes);
}

pub fn strategic_merge_patch(bytes: &[u8]) {
    change("application/strategic-merge-patch+json", bytes);
}

pub fn apply(bytes: &[u8]) {
    change("application/apply-patch+yaml", bytes);
}

thread_local! {
    /// A cluster with the objects as they were made. What is done is done to forks of it.
    static MADE: Cluster = populated();
    /// The fork of the last patch, if that has changed nothing.
    static UNCHANGED: RefCell<Option<Cluster>> = const { RefCell::new(None) };
}

/// Sends a patch. The first byte says of what, the others are its body.
fn change(media_type: &str, bytes: &[u8]) {
    let Some((first, body)) = bytes.split_first() else { return };
    let (collection, object) = &objects()[usize::from(*first) % 4];
    let cluster = UNCHANGED.take().unwrap_or_else(|| MADE.with(Cluster::fork));
    let path = format!("{collection}/{}", object["metadata"]["name"].as_str().unwrap_or_default());
    let before = cluster.get(&path);
    assert_eq!(before.0, 200);
    let (code, answer) = patch(&cluster, &path, media_type, body);
    let after = cluster.get(&path);
    assert_eq!(code, answer["code"].as_u64().map_or(200, |code| code as u16), "{answer}");
    if code != 200 {
        assert!((400..=500).contains(&code), "{answer}");
        assert_eq!(after, before);
    } else if after.0 == 200 {
        assert_eq!(after.1, answer);
    }
    if code == 200 && media_type.contains("apply") {
        assert_eq!(patch(&cluster, &path, media_type, body), (200, answer));
    }
    if after == before {
        UNCHANGED.set(Some(cluster));
    }
}

fn patch(cluster: &Cluster, path: &str, media_type: &str, body: &[u8]) -> Answer {
    let query = if media_type.contains("apply") { "?fieldManager=m&force=true" } else { "" };
    let request = Request::patch(format!("{path}{query}"))
        .header(CONTENT_TYPE, media_type)
        .body(Bytes::copy_from_slice(body))
        .expect("a request");
    common::read(&cluster.send(request))
}

fn populated() -> Cluster {
    let cluster = Cluster::new();
    for (collection, object) in objects() {
        let (code, answer) = cluster.json(&format!("POST {collection}"), &object);
        assert_eq!(code, 201, "{answer}");
    }
    cluster
}

/// The objects with the paths of their collections.
fn objects() -> [(&'static str, Value); 4] {
    let pod = json!({"containers": [
        {"name": "main", "image": "a:1", "ports": [{"containerPort": 80}, {"containerPort": 53, "protocol": "UDP"}],
         "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}], "args": ["a", "b"]},
        {"name": "sidecar", "image": "b:1"},
    ]});
    let labels = json!({"app": "a"});
    [
        (
            "/api/v1/namespaces/default/configmaps",
            json!({"metadata": {"name": "a", "labels": labels, "finalizers": ["example.com/a"]}, "data": {"k": "v"}}),
        ),
        (
            "/apis/apps/v1/namespaces/default/deployments",
            json!({"metadata": {"name": "a"}, "spec": {"selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": pod.clone()}}}),
        ),
        (
            "/api/v1/namespaces/default/services",
            json!({"metadata": {"name": "a"}, "spec": {"selector": labels,
                "ports": [{"name": "http", "port": 80}, {"name": "dns", "port": 53, "protocol": "UDP"}]}}),
        ),
        (
            "/api/v1/namespaces/default/pods",
            json!({"metadata": {"name": "a", "labels": labels}, "spec": pod}),
        ),
    ]
}
