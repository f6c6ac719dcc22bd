//! An OpenAPI v2 document as a Protobuf message: what kubectl asks for to validate and to explain.
//!
//! The messages are those of `openapi.v2.Document`, as far as Kubernetes' documents use them. What a table has no row for
//! is left out. Values of extensions are YAML there; JSON is YAML.
//!
//! <https://github.com/google/gnostic-models/blob/main/openapiv2/OpenAPIv2.proto>

use json_tree::{Map, Value};

use super::wire::{put_bytes, put_message, put_number};

/// A message: from JSON key to number and form, and the number that extensions go by (0 if there are none).
struct Message {
    fields: &'static [(&'static str, u32, Form)],
    extensions: u32,
}

/// How a value becomes a field.
enum Form {
    Text,
    Flag,
    Texts,
    /// Text, in a message whose field 1 repeats.
    Kinds,
    /// An object inside the messages that these numbers lead into.
    Part(&'static [u32], &'static Message),
    /// An object whose entries are messages of a name (1) and a value (2), which repeat in a message under the first number.
    /// The value is inside the messages that the others lead into.
    Entries(u32, &'static [u32], &'static Message),
    /// Parameters, of which each is a message by what it is in.
    Parameters,
}

use Form::{Entries, Flag, Kinds, Parameters, Part, Text, Texts};

static DOCUMENT: Message = Message {
    fields: &[
        ("swagger", 1, Text),
        ("info", 2, Part(&[], &INFO)),
        ("paths", 8, Entries(2, &[], &PATH)),
        ("definitions", 9, Entries(1, &[], &SCHEMA)),
        ("securityDefinitions", 12, Entries(1, &[2], &SECURITY)),
    ],
    extensions: 16,
};

static INFO: Message = Message { fields: &[("title", 1, Text), ("version", 2, Text)], extensions: 0 };

static PATH: Message = Message {
    fields: &[
        ("get", 2, Part(&[], &OPERATION)),
        ("put", 3, Part(&[], &OPERATION)),
        ("post", 4, Part(&[], &OPERATION)),
        ("delete", 5, Part(&[], &OPERATION)),
        ("options", 6, Part(&[], &OPERATION)),
        ("head", 7, Part(&[], &OPERATION)),
        ("patch", 8, Part(&[], &OPERATION)),
        ("parameters", 9, Parameters),
    ],
    extensions: 10,
};

static OPERATION: Message = Message {
    fields: &[
        ("tags", 1, Texts),
        ("description", 3, Text),
        ("operationId", 5, Text),
        ("produces", 6, Texts),
        ("consumes", 7, Texts),
        ("parameters", 8, Parameters),
        ("responses", 9, Entries(1, &[1], &RESPONSE)),
        ("schemes", 10, Texts),
        ("deprecated", 11, Flag),
    ],
    extensions: 13,
};

static RESPONSE: Message =
    Message { fields: &[("description", 1, Text), ("schema", 2, Part(&[1], &SCHEMA))], extensions: 5 };

static BODY: Message = Message {
    fields: &[
        ("description", 1, Text),
        ("name", 2, Text),
        ("in", 3, Text),
        ("required", 4, Flag),
        ("schema", 5, Part(&[], &SCHEMA)),
    ],
    extensions: 6,
};

static QUERY: Message = Message {
    fields: &[
        ("required", 1, Flag),
        ("in", 2, Text),
        ("description", 3, Text),
        ("name", 4, Text),
        ("type", 6, Text),
        ("format", 7, Text),
        ("uniqueItems", 20, Flag),
    ],
    extensions: 23,
};

static IN_PATH: Message = Message {
    fields: &[
        ("required", 1, Flag),
        ("in", 2, Text),
        ("description", 3, Text),
        ("name", 4, Text),
        ("type", 5, Text),
        ("format", 6, Text),
        ("uniqueItems", 19, Flag),
    ],
    extensions: 22,
};

static SCHEMA: Message = Message {
    fields: &[
        ("$ref", 1, Text),
        ("format", 2, Text),
        ("title", 3, Text),
        ("description", 4, Text),
        ("pattern", 13, Text),
        ("uniqueItems", 16, Flag),
        ("required", 19, Texts),
        ("additionalProperties", 21, Part(&[1], &SCHEMA)),
        ("type", 22, Kinds),
        ("items", 23, Part(&[1], &SCHEMA)),
        ("properties", 25, Entries(1, &[], &SCHEMA)),
    ],
    extensions: 31,
};

static SECURITY: Message = Message {
    fields: &[("type", 1, Text), ("name", 2, Text), ("in", 3, Text), ("description", 4, Text)],
    extensions: 0,
};

/// Appends a document. It is one of a server's own, or one that is no deeper than such: the depth is not limited here.
pub fn write_openapi(document: &Value, out: &mut Vec<u8>) {
    if let Some(document) = document.as_object() {
        message(&DOCUMENT, document, out);
    }
}

fn message(kind: &Message, object: &Map<String, Value>, out: &mut Vec<u8>) {
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
            put_message(2, out, |out| put_bytes(2, &crate::json::to_vec(value), out));
        });
    }
}

fn field(number: u32, form: &Form, value: &Value, out: &mut Vec<u8>) {
    let items = || value.as_array().map_or(&[][..], Vec::as_slice);
    match form {
        Text => {
            if let Some(text) = value.as_str() {
                put_bytes(number, text.as_bytes(), out);
            }
        }
        Flag => {
            if value.as_bool() == Some(true) {
                put_number(number, 1, out);
            }
        }
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
        Part(inside, kind) => {
            if let Some(object) = value.as_object() {
                put_message(number, out, |out| nested(inside, kind, object, out));
            }
        }
        Entries(entry, inside, kind) => put_message(number, out, |out| {
            for (name, value) in value.as_object().into_iter().flatten() {
                let Some(object) = value.as_object() else { continue };
                put_message(*entry, out, |out| {
                    put_bytes(1, name.as_bytes(), out);
                    put_message(2, out, |out| nested(inside, kind, object, out));
                });
            }
        }),
        Parameters => {
            for parameter in items().iter().filter_map(Value::as_object) {
                let (inside, kind): (&[u32], _) = match parameter.get("in").and_then(Value::as_str) {
                    Some("body") => (&[1, 1], &BODY),
                    Some("path") => (&[1, 2, 4], &IN_PATH),
                    _ => (&[1, 2, 3], &QUERY),
                };
                put_message(number, out, |out| nested(inside, kind, parameter, out));
            }
        }
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
        let mut out = Vec::new();
        write_openapi(document, &mut out);
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
            "4a 34 0a 32 0a0141 12 2d b201 08 0a066f626a656374 ca01 12 0a 10 0a0162 12 0b b201 08 0a06737472696e67 \
             fa01 0a 0a03782d79 12 03 120131",
        );
        // paths: the query parameter q of a GET.
        let get = json!({ "parameters": [{ "in": "query", "name": "q" }] });
        check(
            &json!({ "paths": { "/a": { "get": get } } }),
            "42 1c 12 1a 0a022f61 12 14 12 12 42 10 0a 0e 12 0c 1a 0a 1205 7175657279 2201 71",
        );
    }
}
