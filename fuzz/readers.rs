//! Fuzz targets that read untrusted bytes, and their invariants: nothing panics, nothing hangs, and what was read and
//! is written is read again as the same.
#![allow(dead_code, unreachable_pub)] // A fuzz target is one of them.

use std::time::Duration;

use apimachinery::selector::field::{SelectableFields, Source};
use apimachinery::selector::{FieldSelector, LabelSelector};
use apiserver::{Formats, documents};
use cel::{Budget, Env, Type};
use codec::protobuf::{self, Shape};
use codec::{cbor, json as go_json, yaml as go_yaml};
use json_tree::Value;
use recording::Recording;
use schema::{Node, TypeId, Types};

/// The fields of a kind with a selectable field that has an alias.
const FIELDS: SelectableFields = SelectableFields {
    aliases: &[("spec.host", "spec.nodeName")],
    ..SelectableFields::of(true, &[("spec.nodeName", Source::At("/spec/nodeName", ""))])
};

/// A function for bytes.
type Reader = fn(&[u8]);

/// Each by the name of its target and of its folder in the corpus.
pub const READERS: [(&str, Reader); 9] = [
    ("json", json),
    ("yaml", yaml),
    ("cbor", cbor),
    ("protobuf", protobuf),
    ("label_selector", label_selector),
    ("field_selector", field_selector),
    ("accept", accept),
    ("cel", cel),
    ("recording", recording),
];

pub fn json(bytes: &[u8]) {
    let Ok(node) = go_json::parse(bytes) else { return };
    typed(&node);
    if let Ok(value) = go_json::to_value(&node) {
        let text = go_json::to_vec(&value);
        let again = go_json::parse(&text).expect("it was written");
        // A whole float is written as an integer is.
        assert_eq!(go_json::to_value(&again).map(|value| go_json::to_vec(&value)).as_ref(), Ok(&text));
        let pretty = go_json::pretty(&text);
        assert_eq!(go_json::parse(&pretty).ok(), Some(again));
    }
}

pub fn yaml(bytes: &[u8]) {
    let Ok(document) = go_yaml::parse_document(bytes) else { return };
    let _ = document.strict_error();
    typed(&document.node);
    let Ok(value) = go_json::to_value(&document.node) else { return };
    if let Ok(text) = go_yaml::write(&value) {
        go_yaml::parse(&text).expect("it was written");
    }
}

pub fn cbor(bytes: &[u8]) {
    if let Ok(node) = cbor::parse(bytes) {
        let value = go_json::to_value(&node).expect("numbers of CBOR are in range");
        let mut item = Vec::new();
        cbor::write_self_described(&value, &mut item);
        let again = cbor::parse(&item).expect("it was written");
        assert_eq!(
            go_json::to_value(&again).map(|value| go_json::to_vec(&value)),
            Ok(go_json::to_vec(&value))
        );
    }
    let Ok(document) = cbor::Document::parse(bytes) else { return };
    let Ok((api_version, kind)) = document.type_meta() else { return };
    let (types, ty) = (Types::builtin(), type_of(&api_version, &kind));
    if let Ok(read) = document.typed(types, ty)
        && let Ok(decoded) = schema::decode(types, ty, &read.node)
    {
        kept(ty, &decoded.value);
        let mut item = Vec::new();
        cbor::write_typed(types, ty, &decoded.value, &mut item);
        assert!(cbor::Document::parse(&item).is_ok_and(|again| again.typed(types, ty).is_ok()));
    }
}

pub fn protobuf(bytes: &[u8]) {
    let _ = protobuf::unframe(bytes);
    let Ok(envelope) = protobuf::open(bytes) else { return };
    let (types, ty) = (Types::builtin(), type_of(&envelope.api_version, &envelope.kind));
    let _ = protobuf::decode(types, Shape::Metadata, envelope.raw);
    let _ = protobuf::decode_list(types, Shape::Object(ty), envelope.raw);
    let Ok(value) = protobuf::decode(types, Shape::Object(ty), envelope.raw) else { return };
    kept(ty, &value);
    let mut message = Vec::new();
    protobuf::write_message(types, Shape::Object(ty), &(&value).into(), &mut message);
    assert_eq!(protobuf::decode(types, Shape::Object(ty), &message), Ok(value));
}

pub fn label_selector(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(selector) = LabelSelector::parse(text) else { return };
    selector.matches(|key| (key.len() % 2 == 0).then_some("a"));
    let again = LabelSelector::parse(&selector.to_string()).expect("it was written");
    assert_eq!(again.to_string(), selector.to_string());
}

pub fn field_selector(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(selector) = FieldSelector::parse(text) else { return };
    selector.matches(|key| (key.len() % 2 == 0).then_some("a"));
    let again = FieldSelector::parse(&selector.to_string()).expect("it was written");
    // Go sorts the terms as they are spelled.
    let terms = |selector: &FieldSelector| {
        let mut all: Vec<_> = selector
            .terms()
            .iter()
            .map(|term| (term.field.clone(), term.negated, term.value.clone()))
            .collect();
        all.sort();
        all
    };
    assert_eq!(terms(&again), terms(&selector));
    let _ = selector.for_kind(Some(&FIELDS));
}

/// The first line is what `Accept` says, the second one the path and the query.
pub fn accept(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (accept, uri) = text.split_once('\n').unwrap_or((text, "/api/v1/namespaces/default/configmaps/a"));
    let object = br#"{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"k":"v"}}"#;
    let event = [&b"{\"type\":\"ADDED\",\"object\":"[..], object, b"}\n"].concat();
    let now = Duration::from_secs(1_767_225_600);
    if let Some(shown) = documents::represent(Formats::ALL, uri, accept, object, now) {
        assert!(!shown.body.is_empty());
    }
    let _ = documents::represent_event(Formats::ALL, uri, accept, &event, now);
}

/// Reads a document as the kind that it says it is.
fn typed(node: &Node<'_>) {
    let text = |name: &str| match node {
        Node::Map(entries) => match entries.iter().find(|(key, _)| key == name) {
            Some((_, Node::String(text))) => text.as_ref(),
            _ => "",
        },
        _ => "",
    };
    let ty = type_of(text("apiVersion"), text("kind"));
    if let Ok(decoded) = schema::decode(Types::builtin(), ty, node) {
        kept(ty, &decoded.value);
    }
    let _ = schema::decode::decode_untyped(node);
}

/// Checks that a decoded object does not change when it is written and read again.
fn kept(ty: TypeId, value: &Value) {
    let text = go_json::to_vec(value);
    let node = go_json::parse(&text).expect("it was written");
    let again = schema::decode(Types::builtin(), ty, &node).expect("it was of the type");
    assert_eq!(again.value, *value);
}

/// The type of a kind, or a pod's.
fn type_of(api_version: &str, kind: &str) -> TypeId {
    let rows = schema::resources();
    let known = rows.iter().find(|row| row.kind == kind && row.api_version() == api_version);
    let pod = rows.iter().find(|row| row.kind == "Pod");
    known.or(pod).and_then(|row| row.ty()).expect("pods have a type")
}

/// Compiles an expression: an invalid one yields an error text; a valid one ends within its budget, and its estimate
/// is a range.
pub fn cel(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let env = Env::new().variable("x", Type::Dyn).variable("l", Type::list(Type::Int));
    match env.compile(text) {
        Err(issues) => assert!(!issues.to_text(text).is_empty()),
        Ok(program) => {
            let estimate = program.estimate();
            assert!(estimate.min <= estimate.max);
            let values = [cel::Value::Int(1), cel::Value::list((0..9).map(cel::Value::Int).collect())];
            let _ = program.eval(&values, &mut Budget::new(10_000));
        }
    }
}

/// A recording, as it is and with the checksums that its blocks should have.
pub fn recording(bytes: &[u8]) {
    for bytes in [bytes.to_vec(), with_checksums(bytes)] {
        let Ok(recording) = Recording::open(bytes.into()) else { continue };
        let (first, last) = recording.revisions();
        recording.at_revision(first.midpoint(last)).take_while(Result::is_ok).for_each(drop);
        let mut number = 0;
        for batch in recording.batches().take_while(Result::is_ok).flatten() {
            number += 1;
            assert_eq!(batch.number, number);
        }
    }
}

/// Blocks stand one after the other behind 16 bytes, each with a header of 68: see `docs/recording.md`.
fn with_checksums(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let mut at = 16;
    while let Some(header) = bytes.get(at..at + 68) {
        let length = u32::from_le_bytes([header[8], header[9], header[10], header[11]]) as usize;
        let end = (at + 68).saturating_add(length).min(bytes.len());
        let checksum = crc32fast::hash(&bytes[at + 68..end]);
        bytes[at + 28..at + 32].copy_from_slice(&checksum.to_le_bytes());
        let checksum = crc32fast::hash(&bytes[at..at + 64]);
        bytes[at + 64..at + 68].copy_from_slice(&checksum.to_le_bytes());
        at = end;
    }
    bytes
}
