//! The documents of OpenAPI, byte for byte beside those of kube-apiserver.

use bytes::Bytes;
use http::Request;
use json_tree::{Value, json};
use sha2::{Digest, Sha512};

use crate::common::Cluster;

/// A row for each document: its path, and the beginning of the hash of it in JSON and in Protobuf. The second part is about a cluster
/// with [`DEFINITIONS`].
const DOCUMENTS: &str = include_str!("openapi/documents.txt");
const DEFINITIONS: &str = include_str!("openapi/definitions.json");

/// Returns the beginning of the SHA-512 of the document at a path.
fn hash(cluster: &Cluster, path: &str, accept: &str) -> String {
    let request = Request::get(format!("/openapi/{path}")).header("Accept", accept);
    let response = cluster.send(request.body(Bytes::new()).unwrap());
    assert_eq!(response.status().as_u16(), 200, "{path} {accept}");
    let body = response.into_body();
    let hash = Sha512::digest(body.bytes().expect("a document"));
    hash[..16].iter().map(|byte| format!("{byte:02X}")).collect()
}

#[track_caller]
fn check(cluster: &Cluster, rows: &str) {
    let mut checked = 0;
    for row in rows.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let [path, in_json, in_protobuf] = row.split(' ').collect::<Vec<_>>()[..] else { panic!("{row}") };
        assert_eq!(hash(cluster, path, "application/json"), in_json, "{path}");
        if in_protobuf != "-" {
            let edition = path.split('/').next().unwrap();
            let accept = format!("application/com.github.proto-openapi.spec.{edition}.v1.0+protobuf");
            assert_eq!(hash(cluster, path, &accept), in_protobuf, "{path} in Protobuf");
        }
        checked += 1;
    }
    assert!(checked > 0);
}

#[test]
fn every_document_is_that_of_kube_apiserver() {
    let (new, defined) = DOCUMENTS.rsplit_once("\n\n").unwrap();
    let cluster = Cluster::new();
    check(&cluster, new);
    let definitions: Value = serde_json::from_str(DEFINITIONS).unwrap();
    for definition in definitions.as_array().unwrap() {
        let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        let (code, answer) = cluster.json(&format!("POST {path}"), definition);
        assert_eq!(code, 201, "{answer}");
    }
    check(&cluster, defined);
}

#[test]
fn the_index_has_the_hash_of_every_document() {
    let cluster = Cluster::new();
    let (code, index) = cluster.json("GET /openapi/v3", &json!(null));
    assert_eq!(code, 200);
    let paths = index["paths"].as_object().unwrap();
    assert_eq!(paths.len(), 47);
    for (path, place) in paths {
        let url = place["serverRelativeURL"].as_str().unwrap();
        let hash = DOCUMENTS.lines().find_map(|row| row.strip_prefix(&*format!("v3/{path} ")));
        let hash = hash.unwrap().split(' ').next().unwrap();
        assert!(url.starts_with(&format!("/openapi/v3/{path}?hash={hash}")), "{url}");
    }
}
