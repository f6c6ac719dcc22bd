//! The small messages that JSON has as one value: times, quantities and their like.

use std::borrow::Cow;

use golang::strconv::parse_float;
use golang::time::{self, Layout, Time};
use json_tree::{Number, Value};
use schema::{FieldType, Node, Types, decode_scalar};

use super::Error;
use super::envelope::expect;
use super::wire::{BYTES, Reader, VARINT, put_bytes, put_message, put_number};
use crate::json;

/// The text that a node is.
pub(super) fn text<'n>(node: &'n Node<'_>) -> Option<&'n str> {
    match node {
        Node::String(text) => Some(text),
        _ => None,
    }
}

/// The whole number that a node is.
pub(super) fn integer(node: &Node<'_>) -> Option<i64> {
    match node {
        Node::Number(literal) => literal.parse().ok(),
        _ => None,
    }
}

/// The number that a node is.
pub(super) fn number(node: &Node<'_>) -> Option<f64> {
    match node {
        Node::Number(literal) => parse_float(literal),
        _ => None,
    }
}

/// Appends such a message as a field. A value that is not of the type counts as none.
pub(super) fn put(number: u32, ty: &FieldType, value: Option<&Node<'_>>, out: &mut Vec<u8>) {
    let text = || value.and_then(text);
    put_message(number, out, |out| match ty {
        FieldType::Time | FieldType::MicroTime => {
            // Go's zero time is an empty message.
            let time = text().and_then(|text| time::parse(Layout::Rfc3339, text).ok());
            let Some(Time { seconds, nanos }) = time else { return };
            let nanos = if *ty == FieldType::Time { 0 } else { nanos / 1000 * 1000 };
            put_number(1, seconds as u64, out);
            put_number(2, u64::from(nanos), out);
        }
        FieldType::Quantity => put_bytes(1, text().unwrap_or("0").as_bytes(), out),
        FieldType::IntOrString => {
            let text = text();
            put_number(1, u64::from(text.is_some()), out);
            put_number(2, value.and_then(integer).unwrap_or(0) as u64, out);
            put_bytes(3, text.unwrap_or_default().as_bytes(), out);
        }
        FieldType::Any | FieldType::FieldsV1 => {
            if let Some(value) = value {
                put_message(1, out, |out| put_json(value, out));
            }
        }
        FieldType::Strings => {
            let items = match value {
                Some(Node::List(items)) => items.as_slice(),
                _ => &[],
            };
            for item in items {
                put_bytes(1, self::text(item).unwrap_or_default().as_bytes(), out);
            }
        }
        _ => {}
    });
}

/// Appends a value as JSON. Unlike a response in JSON, this has no escapes for HTML. Nothing fails that is written to a
/// Vec.
fn put_json(node: &Node<'_>, out: &mut Vec<u8>) {
    let text = |text: &str, out: &mut Vec<u8>| _ = serde_json::to_writer(out, text);
    let number = |literal: &str, out: &mut Vec<u8>| {
        let whole = literal.parse::<u64>().is_ok() || literal.parse::<i64>().is_ok_and(|number| number < 0);
        match parse_float(literal).and_then(Number::from_f64).filter(|_| !whole) {
            Some(float) => _ = serde_json::to_writer(out, &float),
            None => out.extend_from_slice(literal.as_bytes()),
        }
    };
    json::write_node_by(node, out, text, number);
}

/// Puts the value of such a message into a slot.
pub(super) fn decode(
    types: &Types,
    ty: &FieldType,
    bytes: &[u8],
    slot: &mut Option<Value>,
) -> Result<(), Error> {
    if *ty == FieldType::Strings {
        return strings(bytes, slot);
    }
    if matches!(ty, FieldType::Time | FieldType::MicroTime) {
        *slot = parse_time(*ty == FieldType::MicroTime, bytes)?.map(Value::String);
        return Ok(());
    }
    let node = match ty {
        FieldType::Quantity => {
            let text = last(bytes, "QuantityProto", "String")?.unwrap_or_default();
            Node::String(String::from_utf8_lossy(text))
        }
        FieldType::IntOrString => parse_int_or_string(bytes)?,
        FieldType::Any | FieldType::FieldsV1 => match last(bytes, "RawExtension", "Raw")? {
            None | Some([]) => Node::Null,
            Some(raw) => json::parse(raw).map_err(|error| Error::Content(error.to_string()))?,
        },
        _ => Node::Null,
    };
    decode_scalar(types, ty, &node, slot).map_err(|error| Error::Content(error.to_string()))
}

/// Appends the text that a message has.
fn strings(bytes: &[u8], slot: &mut Option<Value>) -> Result<(), Error> {
    let mut items = match slot.take() {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    };
    let mut reader = Reader::new(bytes);
    while let Some(tag) = reader.tag(|| "ExtraValue".into())? {
        match tag.number {
            1 => items.push(String::from_utf8_lossy(expect(&mut reader, tag, "Items")?).into()),
            _ => reader.skip(tag)?,
        }
    }
    *slot = (!items.is_empty()).then_some(Value::Array(items));
    Ok(())
}

/// The bytes that are the only field of a message, number 1.
fn last<'a>(bytes: &'a [u8], message: &str, field: &str) -> Result<Option<&'a [u8]>, Error> {
    let mut found = None;
    let mut reader = Reader::new(bytes);
    while let Some(tag) = reader.tag(|| message.to_owned())? {
        match tag.number {
            1 => found = Some(expect(&mut reader, tag, field)?),
            _ => reader.skip(tag)?,
        }
    }
    Ok(found)
}

fn varint(reader: &mut Reader<'_>, wire_type: u8, field: &str) -> Result<i64, Error> {
    match wire_type {
        VARINT => Ok(reader.varint()? as i64),
        _ => Err(Error::WrongWireType { wire_type, field: field.to_owned() }),
    }
}

fn parse_time(micros: bool, bytes: &[u8]) -> Result<Option<String>, Error> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let (mut seconds, mut nanos) = (0, 0);
    let mut reader = Reader::new(bytes);
    while let Some(tag) = reader.tag(|| "Timestamp".into())? {
        match tag.number {
            1 => seconds = varint(&mut reader, tag.wire_type, "Seconds")?,
            2 => nanos = varint(&mut reader, tag.wire_type, "Nanos")? as i32,
            _ => reader.skip(tag)?,
        }
    }
    let (seconds, nanos) = if micros {
        let nanos_of_second = nanos.rem_euclid(1_000_000_000).unsigned_abs();
        // Less than a microsecond is not kept.
        (seconds.saturating_add(i64::from(nanos.div_euclid(1_000_000_000))), nanos_of_second / 1000 * 1000)
    } else {
        (seconds, 0)
    };
    match (Time { seconds, nanos }) {
        Time::ZERO => Ok(None),
        time if !time.has_four_digits() => {
            Err(Error::Content("Time.MarshalJSON: year outside of range [0,9999]".into()))
        }
        time if micros => Ok(Some(time.rfc3339_micro())),
        time => Ok(Some(time.rfc3339())),
    }
}

fn parse_int_or_string(bytes: &[u8]) -> Result<Node<'_>, Error> {
    let (mut kind, mut number, mut text) = (0, 0, [].as_slice());
    let mut reader = Reader::new(bytes);
    while let Some(tag) = reader.tag(|| "IntOrString".into())? {
        match tag.number {
            1 => kind = varint(&mut reader, tag.wire_type, "Type")?,
            2 => number = varint(&mut reader, tag.wire_type, "IntVal")? as i32,
            3 => text = expect(&mut reader, tag, "StrVal")?,
            _ => reader.skip(tag)?,
        }
    }
    match kind {
        0 => Ok(Node::Number(Cow::Owned(number.to_string()))),
        1 => Ok(Node::String(String::from_utf8_lossy(text))),
        _ => Err(Error::Content("impossible IntOrString.Type".into())),
    }
}

/// The wire type of a type that is no message.
pub(super) fn wire_type(ty: &FieldType) -> u8 {
    match ty {
        FieldType::Bool | FieldType::Int32 | FieldType::Int64 => VARINT,
        FieldType::Float64 => super::wire::FIXED64,
        _ => BYTES,
    }
}
