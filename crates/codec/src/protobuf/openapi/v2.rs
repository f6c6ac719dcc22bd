//! The messages of `openapi.v2.Document`.

use super::Form::{
    Any, Anys, Double, Entries, Flag, Int, Kinds, NamedParameters, Parameters, Part, PartOrFlag,
    Requirements, Text, Texts,
};
use super::{EXTERNAL, Message};

pub(super) static DOCUMENT: Message = Message {
    fields: &[
        ("swagger", 1, Text),
        ("info", 2, Part(&[], &INFO)),
        ("paths", 8, Entries(2, &[], &PATH)),
        ("definitions", 9, Entries(1, &[], &SCHEMA)),
        ("parameters", 10, NamedParameters),
        ("security", 12, Requirements),
        ("securityDefinitions", 13, Entries(1, &[2], &SECURITY)),
    ],
    extensions: 16,
    reference: 0,
};

static INFO: Message =
    Message { fields: &[("title", 1, Text), ("version", 2, Text)], extensions: 0, reference: 0 };

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
    reference: 0,
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
    reference: 0,
};

static RESPONSE: Message = Message {
    fields: &[("description", 1, Text), ("schema", 2, Part(&[1], &SCHEMA))],
    extensions: 5,
    reference: 0,
};

pub(super) static BODY: Message = Message {
    fields: &[
        ("description", 1, Text),
        ("name", 2, Text),
        ("in", 3, Text),
        ("required", 4, Flag),
        ("schema", 5, Part(&[], &SCHEMA)),
    ],
    extensions: 6,
    reference: 0,
};

pub(super) static QUERY: Message = Message {
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
    reference: 0,
};

pub(super) static IN_PATH: Message = Message {
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
    reference: 0,
};

static SCHEMA: Message = Message {
    fields: &[
        ("$ref", 1, Text),
        ("format", 2, Text),
        ("title", 3, Text),
        ("description", 4, Text),
        ("multipleOf", 6, Double),
        ("maximum", 7, Double),
        ("exclusiveMaximum", 8, Flag),
        ("minimum", 9, Double),
        ("exclusiveMinimum", 10, Flag),
        ("maxLength", 11, Int),
        ("minLength", 12, Int),
        ("pattern", 13, Text),
        ("maxItems", 14, Int),
        ("minItems", 15, Int),
        ("uniqueItems", 16, Flag),
        ("maxProperties", 17, Int),
        ("minProperties", 18, Int),
        ("required", 19, Texts),
        ("enum", 20, Anys),
        ("additionalProperties", 21, PartOrFlag(2, &[1], &SCHEMA)),
        ("type", 22, Kinds),
        ("items", 23, Part(&[1], &SCHEMA)),
        ("properties", 25, Entries(1, &[], &SCHEMA)),
        ("externalDocs", 29, Part(&[], &EXTERNAL)),
        ("example", 30, Any),
    ],
    extensions: 31,
    reference: 0,
};

static SECURITY: Message = Message {
    fields: &[("type", 1, Text), ("name", 2, Text), ("in", 3, Text), ("description", 4, Text)],
    extensions: 0,
    reference: 0,
};
