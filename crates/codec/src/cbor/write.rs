//! Values to data items.

use json_tree::{Map, Number, Value};
use schema::{FieldType, TypeId, Types};

/// The first bytes of every document: the tag that says that it is CBOR.
/// See <https://www.rfc-editor.org/rfc/rfc8949.html#name-self-described-cbor>.
pub const SELF_DESCRIBED: [u8; 3] = [0xd9, 0xd9, 0xf7];

const POSITIVE: u8 = 0;
const NEGATIVE: u8 = 1;
const BYTES: u8 = 2;
const ARRAY: u8 = 4;
const MAP: u8 = 5;
const TAG: u8 = 6;

/// The tag of bytes that are Base64 where they have to be text.
const BASE64_LATER: u64 = 22;

/// Appends a value that has no type: keys in their own order, strings as byte strings, integers and floats in the
/// fewest bytes that hold them.
///
/// kube-apiserver begins maps and structs anywhere in their order, anew each time, so that nobody relies on it.
pub fn write(value: &Value, out: &mut Vec<u8>) {
    item(value, None, out);
}

/// Appends a value as a whole document.
pub fn write_self_described(value: &Value, out: &mut Vec<u8>) {
    out.extend_from_slice(&SELF_DESCRIBED);
    write(value, out);
}

/// Appends an object of a built-in type as a whole document. Its bytes, which JSON has in Base64, are bytes.
pub fn write_typed(types: &Types, ty: TypeId, value: &Value, out: &mut Vec<u8>) {
    out.extend_from_slice(&SELF_DESCRIBED);
    item(value, Some((types, &FieldType::Struct(ty))), out);
}

/// Appends a list of objects of a built-in type as a whole document: as [`write_typed`], with the objects in `items`.
pub fn write_typed_list(types: &Types, ty: TypeId, list: &Map<String, Value>, out: &mut Vec<u8>) {
    out.extend_from_slice(&SELF_DESCRIBED);
    let objects = FieldType::List(Box::new(FieldType::Struct(ty)));
    head(MAP, list.len() as u64, out);
    for (key, value) in list {
        string(key.as_bytes(), out);
        item(value, (key == "items").then_some((types, &objects)), out);
    }
}

/// Appends an event of a watch, of which `object` is a whole document already. Events follow one another without
/// anything between them.
/// See <https://kubernetes.io/docs/reference/using-api/api-concepts/#cbor-encoding>.
pub fn write_event(event_type: &str, object: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&SELF_DESCRIBED);
    head(MAP, 2, out);
    string("type".as_bytes(), out);
    string(event_type.as_bytes(), out);
    string("object".as_bytes(), out);
    out.extend_from_slice(object);
}

fn item(value: &Value, ty: Option<(&Types, &FieldType)>, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.push(0xf6),
        Value::Bool(false) => out.push(0xf4),
        Value::Bool(true) => out.push(0xf5),
        Value::Number(value) => number(value, matches!(ty, Some((_, FieldType::Float64))), out),
        Value::String(text) => match ty {
            Some((_, FieldType::Bytes)) => bytes(text, out),
            _ => string(text.as_bytes(), out),
        },
        Value::Array(items) => {
            head(ARRAY, items.len() as u64, out);
            let ty = ty.and_then(|(types, ty)| match ty {
                FieldType::List(inner) => Some((types, &**inner)),
                _ => None,
            });
            for value in items {
                item(value, ty, out);
            }
        }
        Value::Object(entries) => map(entries, ty, out),
    }
}

fn map(entries: &Map<String, Value>, ty: Option<(&Types, &FieldType)>, out: &mut Vec<u8>) {
    head(MAP, entries.len() as u64, out);
    for (key, value) in entries {
        string(key.as_bytes(), out);
        let ty = ty.and_then(|(types, ty)| match ty {
            FieldType::Struct(id)
            | FieldType::SchemaOrArray(id)
            | FieldType::SchemaOrBool(id)
            | FieldType::SchemaOrStrings(id) => Some((types, &types.get(*id).field(key)?.ty)),
            FieldType::Map(inner) => Some((types, &**inner)),
            _ => None,
        });
        item(value, ty, out);
    }
}

/// The head of an item of a major type, with a number in the fewest bytes.
fn head(major: u8, value: u64, out: &mut Vec<u8>) {
    let major = major << 5;
    let bytes = value.to_be_bytes();
    match value {
        0..=23 => out.push(major | bytes[7]),
        24..=0xff => out.extend_from_slice(&[major | 24, bytes[7]]),
        0x100..=0xffff => {
            out.push(major | 25);
            out.extend_from_slice(&bytes[6..]);
        }
        0x1_0000..=0xffff_ffff => {
            out.push(major | 26);
            out.extend_from_slice(&bytes[4..]);
        }
        _ => {
            out.push(major | 27);
            out.extend_from_slice(&bytes);
        }
    }
}

fn string(bytes: &[u8], out: &mut Vec<u8>) {
    head(BYTES, bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// Go's `[]byte`. Text that is no Base64 cannot have come out of it, and is written as it is.
fn bytes(base64: &str, out: &mut Vec<u8>) {
    match golang::base64::decode(base64) {
        Ok(bytes) => {
            head(TAG, BASE64_LATER, out);
            string(&bytes, out);
        }
        Err(_) => string(base64.as_bytes(), out),
    }
}

fn number(number: &Number, is_float: bool, out: &mut Vec<u8>) {
    if is_float && let Some(value) = number.as_f64() {
        float(value, out);
    } else if let Some(value) = number.as_u64() {
        head(POSITIVE, value, out);
    } else if let Some(value) = number.as_i64() {
        head(NEGATIVE, !value as u64, out);
    } else if let Some(value) = number.as_f64() {
        float(value, out);
    }
}

/// A float in the fewest bytes that say exactly the same.
fn float(value: f64, out: &mut Vec<u8>) {
    let single = value as f32;
    if f64::from(single) != value {
        out.push(0xfb);
        out.extend_from_slice(&value.to_be_bytes());
    } else if let Some(half) = half(single) {
        out.push(0xf9);
        out.extend_from_slice(&half.to_be_bytes());
    } else {
        out.push(0xfa);
        out.extend_from_slice(&single.to_be_bytes());
    }
}

/// A float in 16 bits, if it is exactly one of those.
fn half(value: f32) -> Option<u16> {
    let bits = value.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    let exponent = (bits >> 23 & 0xff) as i32 - 127;
    let fraction = bits & 0x7f_ffff;
    match exponent {
        -127 if fraction == 0 => Some(sign),
        -14..=15 if fraction.trailing_zeros() >= 13 => {
            Some(sign | ((exponent + 15) as u16) << 10 | (fraction >> 13) as u16)
        }
        // Without a leading one that is understood.
        -24..=-15 => {
            let shift = (-exponent - 1) as u32;
            let whole = fraction | 0x80_0000;
            (whole.trailing_zeros() >= shift).then(|| sign | (whole >> shift) as u16)
        }
        _ => None,
    }
}
