//! An OpenAPI document as a Protobuf message.
//!
//! The messages are those of `openapi.v2.Document` and `openapi.v3.Document`, as far as Kubernetes' documents use them. What a table has
//! no row for is left out. Values of extensions are YAML there.
//!
//! <https://github.com/google/gnostic-models/blob/main/openapiv2/OpenAPIv2.proto>

mod v2;
mod v3;

use json_tree::{Map, Value};

use super::wire::{FIXED64, put_bytes, put_message, put_number, put_tag};

/// A message: from JSON key to number and form, and the number that extensions go by (0 if there are none).
struct Message {
    fields: &'static [(&'static str, u32, Form)],
    extensions: u32,
    /// In v3 the message stands in another one as field 1, or a reference as the field of this number. 0: it stands alone.
    reference: u32,
}

/// How a value becomes a field.
enum Form {
    Text,
    Flag,
    Texts,
    /// A whole number.
    Int,
    /// A number of 64 bits.
    Double,
    /// Anything, as YAML in a message.
    Any,
    /// A list of such.
    Anys,
    /// Text, in a message whose field 1 repeats.
    Kinds,
    /// An object inside the messages that these numbers lead into.
    Part(&'static [u32], &'static Message),
    /// A list of such.
    Parts(&'static [u32], &'static Message),
    /// As `Part`, but a boolean is the field of this number in the outermost message.
    PartOrFlag(u32, &'static [u32], &'static Message),
    /// An object whose entries are messages of a name (1) and a value (2), which repeat in a message under the first number.
    /// The value is inside the messages that the others lead into.
    Entries(u32, &'static [u32], &'static Message),
    /// Parameters of v2, of which each is a message by what it is in, or a reference.
    Parameters,
    /// Parameters by name.
    NamedParameters,
    /// Names of schemes, each with scopes.
    Requirements,
    /// A default value of v3: a number, a boolean or a text.
    Default,
}

use Form::{
    Any, Anys, Default, Double, Entries, Flag, Int, Kinds, NamedParameters, Parameters, Part, PartOrFlag,
    Parts, Requirements, Text, Texts,
};

/// Which OpenAPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenApi {
    /// `openapi.v2.Document`
    V2,
    /// `openapi.v3.Document`
    V3,
}

/// A link to a documentation elsewhere, in both editions.
static EXTERNAL: Message =
    Message { fields: &[("description", 1, Text), ("url", 2, Text)], extensions: 3, reference: 0 };

/// Appends a document. It is one of a server's own, or one that is no deeper than such: the depth is not limited here.
pub fn write_openapi(edition: OpenApi, document: &Value, out: &mut Vec<u8>) {
    let kind = match edition {
        OpenApi::V2 => &v2::DOCUMENT,
        OpenApi::V3 => &v3::DOCUMENT,
    };
    if let Some(document) = document.as_object() {
        fields(kind, document, out);
    }
}

fn message(kind: &Message, object: &Map<String, Value>, out: &mut Vec<u8>) {
    match (kind.reference, object.get("$ref").and_then(Value::as_str)) {
        (0, _) => fields(kind, object, out),
        (_, None) => put_message(1, out, |out| fields(kind, object, out)),
        (number, Some(reference)) => put_message(number, out, |out| put_bytes(1, reference.as_bytes(), out)),
    }
}

fn fields(kind: &Message, object: &Map<String, Value>, out: &mut Vec<u8>) {
    for (key, number, form) in kind.fields {
        if let Some(value) = object.get(*key) {
            field(*number, form, value, out);
        }
    }
    if kind.extensions == 0 {
        return;
    }
    for (key, value) in object.iter().filter(|(key, _)| key.starts_with("x-")) {
        put_message(kind.extensions, out, |out| {
            put_bytes(1, key.as_bytes(), out);
            any(2, value, out);
        });
    }
}

fn any(number: u32, value: &Value, out: &mut Vec<u8>) {
    // A text that YAML cannot hold is in no schema.
    let yaml = crate::yaml::write_in_order(value).unwrap_or_default();
    put_message(number, out, |out| put_bytes(2, &yaml, out));
}

fn double(number: u32, value: f64, out: &mut Vec<u8>) {
    if value != 0.0 {
        put_tag(number, FIXED64, out);
        out.extend_from_slice(&value.to_le_bytes());
    }
}

fn field(number: u32, form: &Form, value: &Value, out: &mut Vec<u8>) {
    let items = || value.as_array().map_or(&[][..], Vec::as_slice);
    match form {
        Text => {
            if let Some(text) = value.as_str().filter(|text| !text.is_empty()) {
                put_bytes(number, text.as_bytes(), out);
            }
        }
        Flag => {
            if value.as_bool() == Some(true) {
                put_number(number, 1, out);
            }
        }
        Int => {
            if let Some(int) = value.as_i64().filter(|int| *int != 0) {
                put_number(number, int.cast_unsigned(), out);
            }
        }
        Double => double(number, value.as_f64().unwrap_or_default(), out),
        Any => any(number, value, out),
        Anys => items().iter().for_each(|item| any(number, item, out)),
        Texts => {
            for text in items().iter().filter_map(Value::as_str) {
                put_bytes(number, text.as_bytes(), out);
            }
        }
        Kinds => {
            if let Some(text) = value.as_str() {
                put_message(number, out, |out| put_bytes(1, text.as_bytes(), out));
            }
        }
        Part(inside, kind) => part(number, inside, kind, value, out),
        Parts(inside, kind) => items().iter().for_each(|item| part(number, inside, kind, item, out)),
        PartOrFlag(flag, inside, kind) => match value.as_bool() {
            Some(value) => put_message(number, out, |out| put_number(*flag, value.into(), out)),
            None => part(number, inside, kind, value, out),
        },
        Entries(entry, inside, kind) => put_message(number, out, |out| {
            for (name, value) in value.as_object().into_iter().flatten() {
                named(*entry, name, out, |out| part(2, inside, kind, value, out));
            }
        }),
        Parameters => items().iter().for_each(|item| {
            put_message(number, out, |out| match item.get("$ref").and_then(Value::as_str) {
                Some(name) => put_message(2, out, |out| put_bytes(1, name.as_bytes(), out)),
                None => parameter(1, item, out),
            });
        }),
        NamedParameters => put_message(number, out, |out| {
            for (name, value) in value.as_object().into_iter().flatten() {
                named(1, name, out, |out| parameter(2, value, out));
            }
        }),
        Requirements => {
            for requirement in items().iter().filter_map(Value::as_object) {
                put_message(number, out, |out| {
                    for (name, scopes) in requirement {
                        named(1, name, out, |out| put_message(2, out, |out| field(1, &Texts, scopes, out)));
                    }
                });
            }
        }
        Default => match value {
            Value::Number(_) => put_message(number, out, |out| {
                put_tag(1, FIXED64, out);
                out.extend_from_slice(&value.as_f64().unwrap_or_default().to_le_bytes());
            }),
            Value::Bool(value) => put_message(number, out, |out| put_number(2, (*value).into(), out)),
            Value::String(text) => put_message(number, out, |out| put_bytes(3, text.as_bytes(), out)),
            // The message has no place for anything else.
            _ => put_message(number, out, |_| {}),
        },
    }
}

fn named(number: u32, name: &str, out: &mut Vec<u8>, value: impl FnOnce(&mut Vec<u8>)) {
    put_message(number, out, |out| {
        put_bytes(1, name.as_bytes(), out);
        value(out);
    });
}

/// A parameter of v2.
fn parameter(number: u32, parameter: &Value, out: &mut Vec<u8>) {
    let (inside, kind): (&[u32], _) = match parameter.get("in").and_then(Value::as_str) {
        Some("body") => (&[1], &v2::BODY),
        Some("path") => (&[2, 4], &v2::IN_PATH),
        _ => (&[2, 3], &v2::QUERY),
    };
    part(number, inside, kind, parameter, out);
}

fn part(number: u32, inside: &[u32], kind: &Message, value: &Value, out: &mut Vec<u8>) {
    if let Some(object) = value.as_object() {
        put_message(number, out, |out| nested(inside, kind, object, out));
    }
}

fn nested(inside: &[u32], kind: &Message, object: &Map<String, Value>, out: &mut Vec<u8>) {
    match inside {
        [] => message(kind, object, out),
        [number, inside @ ..] => put_message(*number, out, |out| nested(inside, kind, object, out)),
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check(document: &Value, expected: &str) {
        check_as(OpenApi::V2, document, expected);
    }

    #[track_caller]
    fn check_as(edition: OpenApi, document: &Value, expected: &str) {
        let mut out = Vec::new();
        write_openapi(edition, document, &mut out);
        let hex: String = out.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, expected.replace(' ', ""), "{document}");
    }

    #[test]
    fn documents() {
        check(&json!({}), "");
        check(&json!({ "swagger": "2.0", "info": { "title": "K" } }), "0a03322e30 12030a014b");
        // definitions: A is an object with the property b, a text, and an extension.
        let schema = json!({ "type": "object", "properties": { "b": { "type": "string" } }, "x-y": 1 });
        check(
            &json!({ "definitions": { "A": schema } }),
            "4a 35 0a 33 0a0141 12 2e b201 08 0a066f626a656374 ca01 12 0a 10 0a0162 12 0b b201 08 0a06737472696e67 \
             fa01 0b 0a03782d79 12 04 1202310a",
        );
        // paths: the query parameter q of a GET.
        let get = json!({ "parameters": [{ "in": "query", "name": "q" }] });
        check(
            &json!({ "paths": { "/a": { "get": get } } }),
            "42 1c 12 1a 0a022f61 12 14 12 12 42 10 0a 0e 12 0c 1a 0a 1205 7175657279 2201 71",
        );
        // A parameter that stands elsewhere, and who may do this.
        check(
            &json!({ "paths": { "/a": { "parameters": [{ "$ref": "#p" }] } }, "security": [{ "b": [] }] }),
            "42 10 12 0e 0a022f61 12 08 4a 06 12 04 0a022370 62 07 0a 05 0a0162 1200",
        );
        // v3: a schema is itself or a reference.
        let item = json!({ "type": "array", "items": { "$ref": "#s" }, "minItems": 2, "maximum": 1.5, "default": {} });
        check_as(
            OpenApi::V3,
            &json!({ "components": { "schemas": { "A": item } } }),
            "2a 2d 0a 2b 0a 29 0a0141 12 24 0a 22 59 000000000000f83f 9801 02 ca01 05 6172726179 \
             f201 08 0a 06 12 04 0a022373 8a02 00",
        );
    }
}
