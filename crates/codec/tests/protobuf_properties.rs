//! Properties of objects of any kind, and of any bytes.

mod objects;

use codec::cbor::{self, Document};
use codec::protobuf::{self, Shape};
use json_tree::Value;
use objects::{Dice, Wish, object, types};
use proptest::prelude::*;
use schema::{TypeId, Types, decode, zero};

/// The object again, by way of Protobuf.
#[track_caller]
fn by_protobuf(ty: TypeId, value: &Value) -> Value {
    let types = Types::builtin();
    let mut bytes = Vec::new();
    protobuf::write_message(types, Shape::Object(ty), &value.into(), &mut bytes);
    protobuf::decode(types, Shape::Object(ty), &bytes).expect("it was written")
}

/// The object again, by way of CBOR.
#[track_caller]
fn by_cbor(ty: TypeId, value: &Value) -> Value {
    let types = Types::builtin();
    let mut bytes = Vec::new();
    cbor::write_typed(types, ty, value, &mut bytes);
    let typed = Document::parse(&bytes).expect("it was written").typed(types, ty).expect("it is of the type");
    assert_eq!(typed.unknown, None);
    decode(types, ty, &typed.node).expect("it was decoded before").value
}

#[test]
fn every_kind_is_the_same_again() {
    let all = types();
    assert!(all.len() > 70, "only {} types", all.len());
    for ty in all {
        let name = &Types::builtin().get(ty).name;
        for seed in 1..6 {
            let full = object(ty, Wish::FULL_PROTOBUF, &mut Dice::new(seed));
            assert_eq!(by_protobuf(ty, &full), full, "{name}");
            let full = object(ty, Wish::FULL, &mut Dice::new(seed));
            assert_eq!(by_cbor(ty, &full), full, "{name}");
        }
    }
}

fn any_type() -> impl Strategy<Value = TypeId> {
    prop::sample::select(types())
}

/// How much a value is made of.
fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(entries) => entries.iter().map(|(_, value)| size(value)).sum(),
        Value::String(text) => text.len(),
        _ => 0,
    }
}

/// Reads a message that may be none.
fn read(ty: TypeId, bytes: &[u8]) -> Result<(), TestCaseError> {
    let types = Types::builtin();
    if let Ok(value) = protobuf::decode(types, Shape::Object(ty), bytes) {
        // A time is two bytes at least, as is a struct with what it always has; a byte may become the replacement character.
        let least = size(&zero(types, ty));
        prop_assert!(size(&value) <= least + 60 * bytes.len(), "{} {}", size(&value), bytes.len());
        prop_assert_eq!(by_protobuf(ty, &value), value);
    }
    let _ = protobuf::decode(types, Shape::Metadata, bytes);
    let _ = protobuf::decode_list(types, Shape::Object(ty), bytes);
    Ok(())
}

proptest! {
    #[test]
    fn any_object_is_the_same_again(ty in any_type(), seed in any::<u64>()) {
        let some = object(ty, Wish::SOME_PROTOBUF, &mut Dice::new(seed));
        prop_assert_eq!(by_protobuf(ty, &some), some);
        let some = object(ty, Wish::SOME, &mut Dice::new(seed));
        prop_assert_eq!(by_cbor(ty, &some), some);
    }

    /// Nothing is refused that is whole, and nothing taken that ends too early but between fields.
    #[test]
    fn reads_part_of_a_message(ty in any_type(), seed in any::<u64>(), at in any::<prop::sample::Index>(), bit in 0..8_u32) {
        let some = object(ty, Wish::SOME_PROTOBUF, &mut Dice::new(seed));
        let mut bytes = Vec::new();
        protobuf::write_message(Types::builtin(), Shape::Object(ty), &(&some).into(), &mut bytes);
        if !bytes.is_empty() {
            let at = at.index(bytes.len());
            read(ty, &bytes[..at])?;
            bytes[at] ^= 1_u8 << bit;
            read(ty, &bytes)?;
        }
    }

    #[test]
    fn reads_any_bytes(ty in any_type(), bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        read(ty, &bytes)?;
        let document = [protobuf::PREFIX.as_slice(), &bytes].concat();
        if let Ok(envelope) = protobuf::open(&document) {
            read(ty, envelope.raw)?;
        }
    }

    /// Parts of a message that come one after the other are one message, in whatever parts it comes.
    #[test]
    fn merges_what_comes_in_parts(seed in any::<u64>()) {
        let types = Types::builtin();
        let ty = types.find("k8s.io/api/core/v1", "Pod").expect("a core type");
        let pod = object(ty, Wish::SOME_PROTOBUF, &mut Dice::new(seed));
        let mut bytes = Vec::new();
        protobuf::write_message(types, Shape::Object(ty), &(&pod).into(), &mut bytes);
        // An empty `spec` and `metadata` change nothing, before or after.
        let parts = [b"\x12\x00\x0a\x00".as_slice(), &bytes, b"\x0a\x00\x12\x00"].concat();
        prop_assert_eq!(protobuf::decode(types, Shape::Object(ty), &parts), Ok(pod));
    }
}
