//! The messages of `openapi.v3.Document`.

use super::Form::{Any, Anys, Default, Double, Entries, Flag, Int, Part, PartOrFlag, Parts, Text, Texts};
use super::{EXTERNAL, Message};

pub(super) static DOCUMENT: Message = Message {
    fields: &[
        ("openapi", 1, Text),
        ("info", 2, Part(&[], &INFO)),
        ("paths", 4, Entries(1, &[], &PATH)),
        ("components", 5, Part(&[], &COMPONENTS)),
    ],
    extensions: 9,
    reference: 0,
};

static INFO: Message =
    Message { fields: &[("title", 1, Text), ("version", 6, Text)], extensions: 7, reference: 0 };

static COMPONENTS: Message = Message {
    fields: &[("schemas", 1, Entries(1, &[], &SCHEMA)), ("securitySchemes", 7, Entries(1, &[], &SECURITY))],
    extensions: 10,
    reference: 0,
};

static SECURITY: Message = Message {
    fields: &[("type", 1, Text), ("description", 2, Text), ("name", 3, Text), ("in", 4, Text)],
    extensions: 9,
    reference: 2,
};

static PATH: Message = Message {
    fields: &[
        ("get", 4, Part(&[], &OPERATION)),
        ("put", 5, Part(&[], &OPERATION)),
        ("post", 6, Part(&[], &OPERATION)),
        ("delete", 7, Part(&[], &OPERATION)),
        ("options", 8, Part(&[], &OPERATION)),
        ("head", 9, Part(&[], &OPERATION)),
        ("patch", 10, Part(&[], &OPERATION)),
        ("parameters", 13, Parts(&[], &PARAMETER)),
    ],
    extensions: 14,
    reference: 0,
};

static OPERATION: Message = Message {
    fields: &[
        ("tags", 1, Texts),
        ("description", 3, Text),
        ("operationId", 5, Text),
        ("parameters", 6, Parts(&[], &PARAMETER)),
        ("requestBody", 7, Part(&[], &BODY)),
        ("responses", 8, Entries(2, &[], &RESPONSE)),
    ],
    extensions: 13,
    reference: 0,
};

static PARAMETER: Message = Message {
    fields: &[
        ("name", 1, Text),
        ("in", 2, Text),
        ("description", 3, Text),
        ("required", 4, Flag),
        ("schema", 10, Part(&[], &SCHEMA)),
    ],
    extensions: 14,
    reference: 2,
};

static BODY: Message = Message {
    fields: &[("description", 1, Text), ("content", 2, Entries(1, &[], &MEDIA)), ("required", 3, Flag)],
    extensions: 4,
    reference: 2,
};

static RESPONSE: Message = Message {
    fields: &[("description", 1, Text), ("content", 3, Entries(1, &[], &MEDIA))],
    extensions: 5,
    reference: 2,
};

static MEDIA: Message = Message { fields: &[("schema", 1, Part(&[], &SCHEMA))], extensions: 5, reference: 0 };

static SCHEMA: Message = Message {
    fields: &[
        ("nullable", 1, Flag),
        ("externalDocs", 6, Part(&[], &EXTERNAL)),
        ("example", 7, Any),
        ("title", 9, Text),
        ("multipleOf", 10, Double),
        ("maximum", 11, Double),
        ("exclusiveMaximum", 12, Flag),
        ("minimum", 13, Double),
        ("exclusiveMinimum", 14, Flag),
        ("maxLength", 15, Int),
        ("minLength", 16, Int),
        ("pattern", 17, Text),
        ("maxItems", 18, Int),
        ("minItems", 19, Int),
        ("uniqueItems", 20, Flag),
        ("maxProperties", 21, Int),
        ("minProperties", 22, Int),
        ("required", 23, Texts),
        ("enum", 24, Anys),
        ("type", 25, Text),
        ("allOf", 26, Parts(&[], &SCHEMA)),
        ("oneOf", 27, Parts(&[], &SCHEMA)),
        ("anyOf", 28, Parts(&[], &SCHEMA)),
        ("not", 29, Part(&[], &NOT)),
        ("items", 30, Part(&[1], &SCHEMA)),
        ("properties", 31, Entries(1, &[], &SCHEMA)),
        ("additionalProperties", 32, PartOrFlag(2, &[1], &SCHEMA)),
        ("default", 33, Default),
        ("description", 34, Text),
        ("format", 35, Text),
    ],
    extensions: 36,
    reference: 2,
};

/// A schema that is never a reference.
static NOT: Message = Message { reference: 0, ..SCHEMA };
