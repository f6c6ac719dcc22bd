//! Bodies as values that can be compared, whatever their media type.

mod cbor;
mod protobuf;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use json_tree::{Value, json};

pub use cbor::item as cbor_item;
pub use protobuf::{envelope, last_fields};

/// Why bytes are not what their media type says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// They end too early; more may come.
    Incomplete,
    /// No more bytes could make them right.
    Malformed(String),
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Incomplete => f.write_str("the bytes end too early"),
            Self::Malformed(why) => f.write_str(why),
        }
    }
}

/// The value of a body of the media type `content_type`: JSON as it is, `null` for no body, and for everything
/// else an object whose only or first key says what it was: `<yaml>`, `<cbor>`, `<protobuf>`, `<text>`, `<bytes>`.
///
/// # Errors
/// Malformed CBOR or Protobuf. Malformed JSON is `<text>`.
pub fn body(bytes: &[u8], content_type: &str) -> Result<Value, Error> {
    if bytes.is_empty() {
        return Ok(Value::Null);
    }
    match media_type(content_type) {
        "application/json" => Ok(json_or_text(bytes)),
        "application/cbor" => {
            let (value, _) = cbor_item(bytes)?;
            Ok(json!({"<cbor>": value, "selfDescribed": bytes.starts_with(&[0xd9, 0xd9, 0xf7])}))
        }
        "application/vnd.kubernetes.protobuf" => envelope(bytes),
        "application/yaml" => Ok(json!({"<yaml>": String::from_utf8_lossy(bytes)})),
        _ => Ok(match std::str::from_utf8(bytes) {
            Ok(text) => json!({"<text>": text}),
            Err(_) => binary(bytes),
        }),
    }
}

/// A media type without its parameters.
pub fn media_type(content_type: &str) -> &str {
    content_type.split(';').next().unwrap_or_default().trim()
}

/// The JSON value in `bytes`, or their text where there is none.
pub fn json_or_text(bytes: &[u8]) -> Value {
    let mut value =
        serde_json::from_slice(bytes).unwrap_or_else(|_| json!({"<text>": String::from_utf8_lossy(bytes)}));
    integer_zeros(&mut value);
    value
}

/// Makes integers of `-0`, as what wrote the recordings reads it.
fn integer_zeros(value: &mut Value) {
    match value {
        Value::Number(number)
            if number.as_f64().is_some_and(|float| float.to_bits() == (-0.0_f64).to_bits()) =>
        {
            *value = 0.into();
        }
        Value::Array(items) => items.iter_mut().for_each(integer_zeros),
        Value::Object(entries) => entries.values_mut().for_each(integer_zeros),
        _ => {}
    }
}

fn binary(bytes: &[u8]) -> Value {
    json!({"<bytes>": BASE64_STANDARD.encode(bytes)})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(content_type: &str, bytes: &[u8], want: Value) {
        assert_eq!(body(bytes, content_type), Ok(want));
    }

    #[test]
    fn bodies() {
        check("application/json", b"", Value::Null);
        check("application/json", b"{\"a\":1}\n", json!({"a": 1}));
        check("application/json;as=Table", b"[]", json!([]));
        check("application/json", b"[-0,-0.5]", json!([0, -0.5]));
        check("application/json", b"{", json!({"<text>": "{"}));
        check("application/yaml", b"a: 1\n", json!({"<yaml>": "a: 1\n"}));
        check("text/plain; charset=utf-8", b"ok", json!({"<text>": "ok"}));
        check("", b"\xff", json!({"<bytes>": "/w=="}));
        check("application/cbor", b"\xd9\xd9\xf7\xa0", json!({"<cbor>": {}, "selfDescribed": true}));
        check("application/cbor", b"\x01", json!({"<cbor>": 1, "selfDescribed": false}));
    }
}
