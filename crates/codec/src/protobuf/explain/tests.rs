use json_tree::{Value, json};
use schema::{Node, TypeId};

use super::*;
use crate::explain::lines;
use crate::protobuf::{Shape, frame, write, write_list};

const CONFIG_MAP: &[u8] = b"k8s\0\x0a\x0f\x0a\x02v1\x12\x09ConfigMap\x12\x10\x0a\x03\x0a\x01a\x12\x09\x0a\x01k\x12\x04a\xffbc\x1a\0\"\0";

fn core(kind: &str) -> TypeId {
    Types::builtin().find("k8s.io/api/core/v1", kind).unwrap()
}

fn document(kind: &str, value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    write(Types::builtin(), Shape::Object(core(kind)), "v1", kind, &value.into(), &mut out);
    out
}

#[track_caller]
fn check(bytes: &[u8], frames: bool, expected: &[&str]) {
    let lines = lines(&explain(Types::builtin(), bytes, frames));
    assert_eq!(lines, expected, "{lines:#?}");
}

/// The fields alone: where they stand in JSON, and what they are called.
#[track_caller]
fn check_fields(bytes: &[u8], frames: bool, expected: &[&str]) {
    let ranges = explain(Types::builtin(), bytes, frames);
    let fields = ranges.iter().filter(|range| range.kind == Kind::Field);
    let fields: Vec<_> = fields.map(|range| [&range.path, " ", &range.label].concat()).collect();
    let found: Vec<_> = fields.iter().map(String::as_str).collect();
    for expected in expected {
        assert!(found.contains(expected), "{expected} is not in {found:#?}");
    }
}

#[test]
fn explains_envelope_tags_lengths_and_values() {
    check(
        CONFIG_MAP,
        false,
        &[
            "0-4 magic  | magic: `k8s` and a zero byte, what every document in Protobuf begins with",
            "4-21 field  | field 1 `typeMeta`, wire type 2 (length-delimited), 15 bytes | typeMeta",
            "  4-5 tag  | tag: field 1, `typeMeta`, wire type 2 (length-delimited)",
            "  5-6 length  | length: 15 bytes",
            "  6-10 field /apiVersion | field 1 `apiVersion`, wire type 2 (length-delimited), 2 bytes: \"v1\" | apiVersion: \"v1\"",
            "    6-7 tag /apiVersion | tag: field 1, `apiVersion`, wire type 2 (length-delimited)",
            "    7-8 length /apiVersion | length: 2 bytes",
            "    8-10 text /apiVersion | text \"v1\"",
            "  10-21 field /kind | field 2 `kind`, wire type 2 (length-delimited), 9 bytes: \"ConfigMap\" | kind: \"ConfigMap\"",
            "    10-11 tag /kind | tag: field 2, `kind`, wire type 2 (length-delimited)",
            "    11-12 length /kind | length: 9 bytes",
            "    12-21 text /kind | text \"ConfigMap\"",
            "21-39 field  | field 2 `raw`, wire type 2 (length-delimited), 16 bytes | raw",
            "  21-22 tag  | tag: field 2, `raw`, wire type 2 (length-delimited)",
            "  22-23 length  | length: 16 bytes",
            "  23-28 field /metadata | field 1 `metadata`, wire type 2 (length-delimited), 3 bytes | metadata",
            "    23-24 tag /metadata | tag: field 1, `metadata`, wire type 2 (length-delimited)",
            "    24-25 length /metadata | length: 3 bytes",
            "    25-28 field /metadata/name | field 1 `name`, wire type 2 (length-delimited), 1 byte: \"a\" | name: \"a\"",
            "      25-26 tag /metadata/name | tag: field 1, `name`, wire type 2 (length-delimited)",
            "      26-27 length /metadata/name | length: 1 byte",
            "      27-28 text /metadata/name | text \"a\"",
            "  28-39 field /data/k | field 2 `data`, wire type 2 (length-delimited), 9 bytes, entry `k` | data",
            "    28-29 tag /data | tag: field 2, `data`, wire type 2 (length-delimited)",
            "    29-30 length /data | length: 9 bytes",
            "    30-33 field /data/k | field 1 `key`, wire type 2 (length-delimited), 1 byte: \"k\" | key: \"k\"",
            "      30-31 tag /data/k | tag: field 1, `key`, wire type 2 (length-delimited)",
            "      31-32 length /data/k | length: 1 byte",
            "      32-33 text /data/k | text \"k\"",
            "    33-39 field /data/k | field 2 `value`, wire type 2 (length-delimited), 4 bytes: 4 bytes, no text | value: 4 bytes, no text",
            "      33-34 tag /data/k | tag: field 2, `value`, wire type 2 (length-delimited)",
            "      34-35 length /data/k | length: 4 bytes",
            "      35-39 text /data/k | text 4 bytes, no text",
            "39-41 field  | field 3 `contentEncoding`, wire type 2 (length-delimited), 0 bytes: \"\" | contentEncoding: \"\"",
            "  39-40 tag  | tag: field 3, `contentEncoding`, wire type 2 (length-delimited)",
            "  40-41 length  | length: 0 bytes",
            "41-43 field  | field 4 `contentType`, wire type 2 (length-delimited), 0 bytes: \"\" | contentType: \"\"",
            "  41-42 tag  | tag: field 4, `contentType`, wire type 2 (length-delimited)",
            "  42-43 length  | length: 0 bytes",
        ],
    );
}

#[test]
fn explains_up_to_where_it_breaks() {
    check(b"", false, &[]);
    check(
        b"{}",
        false,
        &[
            "0-2 broken  | broken from here on: provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
        ],
    );
    check(
        b"k8s\0\x12\x7fab",
        false,
        &[
            "0-4 magic  | magic: `k8s` and a zero byte, what every document in Protobuf begins with",
            "4-8 field  | field 2 `raw`, wire type 2 (length-delimited), 127 bytes | raw",
            "  4-5 tag  | tag: field 2, `raw`, wire type 2 (length-delimited)",
            "  5-6 length  | length: 127 bytes",
            "  6-8 broken  | broken from here on: unexpected EOF: 127 bytes are announced, 2 bytes are left",
        ],
    );
    check(
        b"k8s\0\x0a\x01\x07\x1a\0",
        false,
        &[
            "0-4 magic  | magic: `k8s` and a zero byte, what every document in Protobuf begins with",
            "4-7 field  | field 1 `typeMeta`, wire type 2 (length-delimited), 1 byte | typeMeta",
            "  4-5 tag  | tag: field 1, `typeMeta`, wire type 2 (length-delimited)",
            "  5-6 length  | length: 1 byte",
            "  6-7 broken  | broken from here on: proto: field: illegal tag 0 (wire type 7)",
            "7-9 rest  | 2 bytes, not looked at",
        ],
    );
}

#[test]
fn follows_the_schema() {
    let pod = document(
        "Pod",
        &json!({"metadata": {"name": "a", "labels": {"a/b": "c"}, "creationTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"hostNetwork": true, "containers": [
                {"name": "x", "resources": {"limits": {"cpu": "1500m"}}},
                {"name": "y", "livenessProbe": {"httpGet": {"port": "http"}}, "ports": [{"containerPort": 80}]}]}}),
    );
    check_fields(
        &pod,
        false,
        &[
            " typeMeta",
            "/kind kind: \"Pod\"",
            "/metadata/labels/a~1b labels",
            "/metadata/labels/a~1b value: \"c\"",
            "/metadata/creationTimestamp creationTimestamp: \"2026-01-01T00:00:00Z\"",
            "/metadata/creationTimestamp seconds: 1767225600",
            "/spec/hostNetwork hostNetwork: true",
            "/spec/containers/0 containers",
            "/spec/containers/1/name name: \"y\"",
            "/spec/containers/0/resources/limits/cpu value: \"1500m\"",
            "/spec/containers/0/resources/limits/cpu string: \"1500m\"",
            "/spec/containers/1/livenessProbe ProbeHandler",
            "/spec/containers/1/livenessProbe/httpGet/port strVal: \"http\"",
            "/spec/containers/1/ports/0/containerPort containerPort: 80",
        ],
    );
    let secret = document("Secret", &json!({"data": {"k": "aGVsbG8="}}));
    check_fields(&secret, false, &["/data/k value: \"hello\", in JSON Base64"]);
    let mut list = Vec::new();
    let items = [json!({"metadata": {"name": "a"}}), json!({"metadata": {"name": "b"}})];
    let metadata = json!({"resourceVersion": "7"});
    write_list(
        Types::builtin(),
        Shape::Object(core("ConfigMap")),
        ("v1", "ConfigMapList"),
        &(&metadata).into(),
        &items.each_ref().map(Node::from),
        &mut list,
    );
    check_fields(
        &list,
        false,
        &["/metadata/resourceVersion resourceVersion: \"7\"", "/items/1/metadata/name name: \"b\""],
    );
}

#[test]
fn explains_the_events_of_a_watch() {
    let mut frames = Vec::new();
    frame("ADDED", CONFIG_MAP, &mut frames);
    frame("DELETED", CONFIG_MAP, &mut frames);
    check_fields(
        &frames,
        true,
        &[
            "/type type: \"ADDED\"",
            "/type type: \"DELETED\"",
            "/object object",
            "/object/metadata/name name: \"a\"",
        ],
    );
    let ranges = explain(Types::builtin(), &frames, true);
    let sizes = ranges.iter().filter(|range| range.kind == Kind::Frame);
    let sizes: Vec<_> = sizes.map(|range| range.what.as_str()).collect();
    assert_eq!(sizes, ["frame: the next 54 bytes are an event", "frame: the next 56 bytes are an event"]);
}

/// Whatever comes: each byte is in one range that has nothing inside, and what is inside others stays there.
#[test]
fn wrong_bytes_are_explained_too() {
    let pod = document("Pod", &json!({"metadata": {"name": "a"}, "spec": {"containers": [{"name": "x"}]}}));
    let mut framed = Vec::new();
    frame("ADDED", &pod, &mut framed);
    for (bytes, frames) in [(&pod, false), (&framed, true)] {
        for at in 0..bytes.len() {
            crate::explain::tests::holds(&explain(Types::builtin(), &bytes[..at], frames), at);
            for wrong in [0, 0x7f, 0x80, 0xff, bytes[at] ^ 1, bytes[at] ^ 4] {
                let mut bytes = bytes.clone();
                bytes[at] = wrong;
                crate::explain::tests::holds(&explain(Types::builtin(), &bytes, frames), bytes.len());
            }
        }
    }
}
