//! Properties of any CBOR, and of any bytes.

use codec::cbor::{self, Document};
use codec::json;
use json_tree::Value;
use proptest::prelude::*;
use schema::{Node, TypeId, Types};

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        prop_oneof![any::<f64>(), any::<f32>().prop_map(f64::from), (-3000_i16..3000).prop_map(f64::from)]
            .prop_filter_map("finite", json_tree::Number::from_f64)
            .prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..8)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

/// Bytes that are nearly CBOR.
fn items() -> impl Strategy<Value = Vec<u8>> {
    let item = prop::sample::select(vec![
        b"\x80".as_slice(),
        b"\x82",
        b"\x9f",
        b"\xa0",
        b"\xa1",
        b"\xa2",
        b"\xbf",
        b"\xff",
        b"Aa",
        b"aa",
        b"Dkind",
        b"JapiVersion",
        b"Hmetadata",
        b"Ddata",
        b"JbinaryData",
        b"\x5f",
        b"\x7f",
        b"\x00",
        b"\x18",
        b"\x20",
        b"\x3b",
        b"\xc0",
        b"\xc1",
        b"\xd5",
        b"\xd6",
        b"\xd9\xd9\xf7",
        b"\xf5",
        b"\xf6",
        b"\xf7",
        b"\xf9\x3c\x00",
        b"\xfb",
    ]);
    prop::collection::vec(item, 0..24).prop_map(|items| items.concat())
}

fn config_map() -> TypeId {
    Types::builtin().find("k8s.io/api/core/v1", "ConfigMap").expect("a core type")
}

/// How many values a node is made of.
fn size(node: &Node<'_>) -> usize {
    1 + match node {
        Node::List(items) => items.iter().map(size).sum(),
        Node::Map(entries) => entries.iter().map(|(key, value)| key.len() + size(value)).sum(),
        Node::String(text) => text.len(),
        _ => 0,
    }
}

/// Reads bytes in every way that there is, none of which may panic.
fn read(bytes: &[u8]) -> Result<(), TestCaseError> {
    if let Ok(document) = Document::parse(bytes) {
        let type_meta = document.type_meta();
        prop_assert!(document.diagnose().len() <= 16 + 12 * bytes.len());
        if let Ok(node) = document.untyped() {
            prop_assert!(type_meta.is_ok() || format!("{type_meta:?}").contains("kind"), "{type_meta:?}");
            // Bytes may become two hexadecimal digits or the replacement character each.
            prop_assert!(size(&node) <= 24 + 4 * bytes.len());
        }
        let typed = document.typed(Types::builtin(), config_map());
        if typed.is_ok() {
            prop_assert!(type_meta.is_ok());
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn reads_what_it_writes(value in prop::collection::vec((any::<String>(), value()), 0..8)) {
        let value = Value::Object(value.into_iter().collect());
        let mut bytes = Vec::new();
        cbor::write_self_described(&value, &mut bytes);
        let node = cbor::parse(&bytes);
        prop_assert_eq!(node.as_ref().map(|node| json::to_value(node).ok()), Ok(Some(value)));
        for end in 0..bytes.len() {
            prop_assert_eq!(
                cbor::parse(&bytes[..end]).map_err(|error| error.to_string()),
                Err(if end == 0 { "EOF" } else { "unexpected EOF" }.to_owned())
            );
        }
    }

    #[test]
    fn reads_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        read(&bytes)?;
    }

    #[test]
    fn reads_any_items(bytes in items()) {
        read(&bytes)?;
    }
}
