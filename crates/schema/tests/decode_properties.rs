//! Properties of decoding any input.

use std::borrow::Cow;

use proptest::prelude::*;
use schema::{FieldType, Node, TypeId, Types, decode};

/// A document of a type: mostly values that its fields can hold, now and then others.
fn document(ty: &FieldType, depth: u32) -> BoxedStrategy<Node<'static>> {
    let types = Types::builtin();
    let text = |texts: &'static [&'static str]| {
        prop::sample::select(texts).prop_map(|text| Node::String(Cow::Borrowed(text))).boxed()
    };
    let number = prop::sample::select(vec!["0", "-0", "1", "30000", "1.5", "1e3", "4294967296"])
        .prop_map(|literal| Node::Number(Cow::Borrowed(literal)))
        .boxed();
    let right = match ty {
        FieldType::Struct(id)
        | FieldType::SchemaOrArray(id)
        | FieldType::SchemaOrBool(id)
        | FieldType::SchemaOrStrings(id)
            if depth > 0 =>
        {
            object(types, *id, depth - 1)
        }
        FieldType::List(item) if depth > 0 => {
            prop::collection::vec(document(item, depth - 1), 0..3).prop_map(Node::List).boxed()
        }
        FieldType::Map(value) if depth > 0 => {
            let key = prop::sample::select(vec!["a", "b", "c/d", ""]).prop_map(Cow::Borrowed);
            prop::collection::vec((key, document(value, depth - 1)), 0..4).prop_map(Node::Map).boxed()
        }
        FieldType::Struct(_) | FieldType::Map(_) => Just(Node::Map(Vec::new())).boxed(),
        FieldType::List(_) | FieldType::Strings => Just(Node::List(Vec::new())).boxed(),
        FieldType::Bool => any::<bool>().prop_map(Node::Bool).boxed(),
        FieldType::Int32 | FieldType::Int64 | FieldType::Float64 | FieldType::IntOrString => number.clone(),
        FieldType::Bytes => text(&["", "YQ==", "aGVsbG8=", "%"]),
        FieldType::Time => {
            text(&["2026-11-20T10:00:00Z", "0001-01-01T00:00:00Z", "2026-11-20T10:00:00.5+01:00"])
        }
        FieldType::MicroTime => text(&["2026-11-20T10:00:00.123456-11:00", "2026-11-20T10:00:00Z"]),
        FieldType::Duration => text(&["5m", "1.5h", "0"]),
        FieldType::Quantity => text(&["0", "+5", "1e3", "0.5Gi", "1e-12", "12345678901234567890m", "x"]),
        _ => text(&["", "a", "<&>"]),
    };
    prop_oneof![40 => right, 3 => Just(Node::Null), 1 => number, 1 => text(&["", "b"])].boxed()
}

fn object(types: &'static Types, id: TypeId, depth: u32) -> BoxedStrategy<Node<'static>> {
    let fields = &types.get(id).fields;
    if fields.is_empty() {
        return Just(Node::Map(Vec::new())).boxed();
    }
    let entry = (0..fields.len()).prop_flat_map(move |index| {
        let field = &fields[index];
        document(&field.ty, depth).prop_map(|node| (Cow::Borrowed(field.name.as_str()), node))
    });
    let unknown = Just((Cow::Borrowed("nope"), Node::Null));
    let entry = prop_oneof![30 => entry, 1 => unknown];
    prop::collection::vec(entry, 0..6).prop_map(Node::Map).boxed()
}

/// Any type of the table, and a document of it.
fn case() -> impl Strategy<Value = (TypeId, Node<'static>)> {
    let types = Types::builtin();
    let ids: Vec<_> = types.iter().map(|(id, _)| id).collect();
    prop::sample::select(ids).prop_flat_map(move |id| object(types, id, 4).prop_map(move |node| (id, node)))
}

/// The document with each key once, and the entries of its maps backwards.
fn backwards(node: &Node<'static>) -> Node<'static> {
    match node {
        Node::List(items) => Node::List(items.iter().map(backwards).collect()),
        Node::Map(entries) => {
            let mut turned: Vec<(Cow<'static, str>, Node<'static>)> = Vec::new();
            for (key, value) in entries.iter().rev() {
                if turned.iter().all(|(name, _)| name != key) {
                    turned.push((key.clone(), backwards(value)));
                }
            }
            Node::Map(turned)
        }
        scalar => scalar.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn what_is_decoded_decodes_to_itself((id, node) in case()) {
        let Ok(first) = decode(Types::builtin(), id, &node) else { return Ok(()) };
        let bytes = codec::json::to_vec(&first.value);
        let node = codec::json::parse(&bytes).expect("what is written is JSON");
        let second = decode(Types::builtin(), id, &node);
        let second = second.expect("what was decoded has no wrong types");
        prop_assert_eq!(String::from_utf8(codec::json::to_vec(&second.value)), String::from_utf8(bytes));
        prop_assert_eq!(second.strict, Vec::new());
    }

    #[test]
    fn the_order_in_which_fields_are_sent_does_not_matter((id, node) in case()) {
        let turned = backwards(&node);
        let back = backwards(&turned);
        let [turned, back] = [turned, back].map(|node| decode(Types::builtin(), id, &node).ok());
        let [turned, back] = [turned, back].map(|decoded| decoded.map(|it| codec::json::to_vec(&it.value)));
        prop_assert_eq!(turned.map(String::from_utf8), back.map(String::from_utf8));
    }
}
