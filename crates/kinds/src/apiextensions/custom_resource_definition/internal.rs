//! Versions and schemas as kube-apiserver prints them: by the names of Go's fields, with all of them there.

use json_tree::{Map, Value};

use super::form::Form;
use crate::validation::read::get;

/// The kind of value that a field holds.
#[derive(Clone, Copy)]
enum Kind {
    /// A text, empty if it is missing.
    Text,
    /// False if it is missing.
    Bool,
    /// Zero if it is missing.
    Number,
    /// Whatever is there, or null.
    Any,
    /// A struct.
    Struct(Fields),
    /// A list of structs.
    List(Fields),
    /// A schema.
    Schema,
    /// A list of schemas.
    Schemas,
    /// A schema for each key.
    Map,
    /// A schema, or many.
    Items,
    /// A schema, or whether anything is allowed.
    OrBool,
    /// For each key a schema, or names.
    Dependencies,
}

use Kind::{Any, Bool, Dependencies, Items, List, Number, OrBool, Schema, Schemas, Struct, Text};

/// The name in JSON, the name in Go, and what it holds.
type Fields = &'static [(&'static str, &'static str, Kind)];

#[rustfmt::skip]
const SCHEMA: Fields = &[
    ("id", "ID", Text), ("$schema", "Schema", Text), ("$ref", "Ref", Any), ("description", "Description", Text),
    ("type", "Type", Text), ("nullable", "Nullable", Bool), ("format", "Format", Text), ("title", "Title", Text),
    ("default", "Default", Any), ("maximum", "Maximum", Any), ("exclusiveMaximum", "ExclusiveMaximum", Bool),
    ("minimum", "Minimum", Any), ("exclusiveMinimum", "ExclusiveMinimum", Bool), ("maxLength", "MaxLength", Any),
    ("minLength", "MinLength", Any), ("pattern", "Pattern", Text), ("maxItems", "MaxItems", Any),
    ("minItems", "MinItems", Any), ("uniqueItems", "UniqueItems", Bool), ("multipleOf", "MultipleOf", Any),
    ("enum", "Enum", Any), ("maxProperties", "MaxProperties", Any), ("minProperties", "MinProperties", Any),
    ("required", "Required", Any), ("items", "Items", Items), ("allOf", "AllOf", Schemas),
    ("oneOf", "OneOf", Schemas), ("anyOf", "AnyOf", Schemas), ("not", "Not", Schema),
    ("properties", "Properties", Kind::Map), ("additionalProperties", "AdditionalProperties", OrBool),
    ("patternProperties", "PatternProperties", Kind::Map), ("dependencies", "Dependencies", Dependencies),
    ("additionalItems", "AdditionalItems", OrBool), ("definitions", "Definitions", Kind::Map),
    ("externalDocs", "ExternalDocs", Struct(DOCS)), ("example", "Example", Any),
    ("x-kubernetes-preserve-unknown-fields", "XPreserveUnknownFields", Any),
    ("x-kubernetes-embedded-resource", "XEmbeddedResource", Bool),
    ("x-kubernetes-int-or-string", "XIntOrString", Bool), ("x-kubernetes-list-map-keys", "XListMapKeys", Any),
    ("x-kubernetes-list-type", "XListType", Any), ("x-kubernetes-map-type", "XMapType", Any),
    ("x-kubernetes-validations", "XValidations", List(RULE)),
];
const DOCS: Fields = &[("description", "Description", Text), ("url", "URL", Text)];
#[rustfmt::skip]
const RULE: Fields = &[
    ("rule", "Rule", Text), ("message", "Message", Text), ("messageExpression", "MessageExpression", Text),
    ("reason", "Reason", Any), ("fieldPath", "FieldPath", Text), ("optionalOldSelf", "OptionalOldSelf", Any),
];
#[rustfmt::skip]
const VERSION: Fields = &[
    ("name", "Name", Text), ("served", "Served", Bool), ("storage", "Storage", Bool),
    ("deprecated", "Deprecated", Bool), ("deprecationWarning", "DeprecationWarning", Any),
    ("schema", "Schema", Struct(VALIDATION)), ("subresources", "Subresources", Struct(SUBRESOURCES)),
    ("additionalPrinterColumns", "AdditionalPrinterColumns", List(COLUMN)),
    ("selectableFields", "SelectableFields", List(&[("jsonPath", "JSONPath", Text)])),
];
const VALIDATION: Fields = &[("openAPIV3Schema", "OpenAPIV3Schema", Schema)];
const SUBRESOURCES: Fields = &[("status", "Status", Struct(&[])), ("scale", "Scale", Struct(SCALE))];
#[rustfmt::skip]
const SCALE: Fields = &[
    ("specReplicasPath", "SpecReplicasPath", Text), ("statusReplicasPath", "StatusReplicasPath", Text),
    ("labelSelectorPath", "LabelSelectorPath", Any),
];
#[rustfmt::skip]
const COLUMN: Fields = &[
    ("name", "Name", Text), ("type", "Type", Text), ("format", "Format", Text),
    ("description", "Description", Text), ("priority", "Priority", Number), ("jsonPath", "JSONPath", Text),
];

/// The versions of a definition, without what they have in common.
pub(super) fn versions(form: &Form<'_>) -> Value {
    let versions = form.versions.iter().map(|version| {
        let mut value = version.value.clone();
        let own = &version.own;
        if let Some(value) = value.as_object_mut() {
            for (field, is_own) in [
                ("schema", own.schema.is_some()),
                ("subresources", own.subresources.is_some()),
                ("additionalPrinterColumns", !own.columns.is_empty()),
                ("selectableFields", !own.selectable.is_empty()),
            ] {
                if !is_own {
                    value.shift_remove(field);
                }
            }
        }
        print(&value, VERSION)
    });
    Value::Array(versions.collect())
}

/// A schema.
pub(super) fn schema(schema: &Value) -> Value {
    print(schema, SCHEMA)
}

/// The items of a schema: a schema, or many.
pub(super) fn items(items: &Value) -> Value {
    field(Some(items), Items)
}

/// The Go names of the fields that a schema has, in Go's order.
pub(super) fn fields(schema: &Value) -> Vec<&'static str> {
    let set = SCHEMA.iter().filter(|(name, ..)| match get(schema, name) {
        Some(Value::Bool(false)) => *name == "x-kubernetes-preserve-unknown-fields" || *name == "default",
        Some(Value::String(text)) => !text.is_empty() || matches!(*name, "$ref" | "default" | "example"),
        value => value.is_some(),
    });
    set.map(|(_, name, _)| *name).collect()
}

fn print(value: &Value, fields: Fields) -> Value {
    let printed = fields.iter().map(|(name, go, kind)| ((*go).to_owned(), field(get(value, name), *kind)));
    Value::Object(printed.collect::<Map<_, _>>())
}

fn field(value: Option<&Value>, kind: Kind) -> Value {
    let one = |value: Option<&Value>| value.map_or(Value::Null, schema);
    let many = |items: &[Value], fields| items.iter().map(|item| print(item, fields)).collect::<Value>();
    match (kind, value) {
        (Text, None) => "".into(),
        (Bool, None) => false.into(),
        (Number, None) => 0.into(),
        (_, None) => Value::Null,
        (Text | Bool | Number | Any, Some(value)) => value.clone(),
        (Struct(fields), Some(value)) => print(value, fields),
        (List(fields), Some(value)) => many(value.as_array().map_or(&[], Vec::as_slice), fields),
        (Schema, Some(value)) => schema(value),
        (Schemas, Some(value)) => many(value.as_array().map_or(&[], Vec::as_slice), SCHEMA),
        (Kind::Map, Some(value)) => {
            let entries = value.as_object().into_iter().flatten();
            entries.map(|(key, value)| (key.clone(), schema(value))).collect::<Map<_, _>>().into()
        }
        (Items, Some(Value::Array(items))) => pair("Schema", Value::Null, "JSONSchemas", many(items, SCHEMA)),
        (Items, schema) => pair("Schema", one(schema), "JSONSchemas", Value::Null),
        (OrBool, Some(Value::Bool(allows))) => pair("Allows", (*allows).into(), "Schema", Value::Null),
        (OrBool, schema) => pair("Allows", true.into(), "Schema", one(schema)),
        (Dependencies, Some(value)) => {
            let entries = value.as_object().into_iter().flatten().map(|(key, value)| {
                let both = match value {
                    Value::Array(_) => pair("Schema", Value::Null, "Property", value.clone()),
                    _ => pair("Schema", one(Some(value)), "Property", Value::Null),
                };
                (key.clone(), both)
            });
            entries.collect::<Map<_, _>>().into()
        }
    }
}

fn pair(first: &str, a: Value, second: &str, b: Value) -> Value {
    Map::from_iter([(first.to_owned(), a), (second.to_owned(), b)]).into()
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[test]
    fn columns_have_a_priority() {
        let spec = json!({"versions": [
            {"name": "a", "additionalPrinterColumns": [{"name": "x", "type": "string", "jsonPath": ".x"}]},
            {"name": "b"},
        ]});
        let printed = versions(&Form::of(&spec));
        assert_eq!(
            printed[0]["AdditionalPrinterColumns"],
            json!([{"Name": "x", "Type": "string", "Format": "", "Description": "", "Priority": 0, "JSONPath": ".x"}])
        );
    }
}
