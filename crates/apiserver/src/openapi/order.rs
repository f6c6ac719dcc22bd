//! The order of the keywords of a schema.

use json_tree::{Map, Value};

/// Keywords in the order in which kube-openapi's `spec.Schema` writes them. Extensions come behind them, in the order of their names.
const KEYWORDS: &[&str] = &[
    "id",
    "description",
    "type",
    "nullable",
    "format",
    "title",
    "default",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "multipleOf",
    "enum",
    "maxProperties",
    "minProperties",
    "required",
    "items",
    "allOf",
    "oneOf",
    "anyOf",
    "not",
    "properties",
    "additionalProperties",
    "patternProperties",
    "dependencies",
    "additionalItems",
    "definitions",
    "$ref",
    "$schema",
    "discriminator",
    "readOnly",
    "externalDocs",
    "example",
];

/// Puts the keywords of a schema, but not of those in it, in order.
pub(super) fn in_order(schema: Value) -> Value {
    let Value::Object(schema) = schema else { return schema };
    let place = |key: &str| KEYWORDS.iter().position(|known| *known == key).unwrap_or(KEYWORDS.len());
    let mut keywords: Vec<(String, Value)> = schema.into_iter().collect();
    schema::sort_by(&mut keywords, |a, b| place(&a.0).cmp(&place(&b.0)).then_with(|| a.0.cmp(&b.0)));
    keywords.into_iter().collect::<Map<String, Value>>().into()
}
