//! Structural schemas: every field has one place where it is defined, outside of what only restricts values.
//!
//! See <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema>.

use json_tree::Value;
use structural::Pattern;

use crate::validation::read::{get, is_true, list, map, text};
use field::{AddError, Error, Path};

pub(super) const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";
pub(super) const EMBEDDED: &str = "x-kubernetes-embedded-resource";
const INT_OR_STRING: &str = "x-kubernetes-int-or-string";

/// Fields that can not stand within `allOf`, `anyOf`, `oneOf` and `not`, and what they must be there.
const NOT_NESTED: [(&str, &str); 13] = [
    ("type", "empty"),
    ("additionalProperties", "undefined"),
    ("default", "undefined"),
    ("title", "empty"),
    ("description", "empty"),
    ("nullable", "false"),
    (PRESERVE, "false"),
    (EMBEDDED, "false"),
    (INT_OR_STRING, "false"),
    ("x-kubernetes-list-map-keys", "empty"),
    ("x-kubernetes-list-type", "undefined"),
    ("x-kubernetes-map-type", "undefined"),
    ("x-kubernetes-validations", "empty"),
];

/// The position of a schema.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

/// Validates that a schema is structural. The errors are in alphabetical order.
pub(super) fn validate(schema: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    invariants(schema, Level::Root, path, &mut errors);
    complete(schema, Some(schema), path, path, &mut errors);
    let mut texts: Vec<(String, Error)> =
        errors.into_iter().map(|error| (error.to_string(), error)).collect();
    schema::sort_by(&mut texts, |a, b| a.0.cmp(&b.0));
    texts.into_iter().map(|(_, error)| error).collect()
}

fn invariants(schema: &Value, level: Level, path: &Path, errors: &mut Vec<Error>) {
    let (ty, items) = (text(schema, "type"), get(schema, "items").filter(|items| items.is_object()));
    let (at_type, at_additional) = (path.child("type"), path.child("additionalProperties"));
    match items {
        Some(items) => invariants(items, Level::Item, &path.child("items"), errors),
        None if ty == "array" => {
            errors.required(path.child("items"), "must be specified");
        }
        None => {}
    }
    for (name, property) in map(schema, "properties").into_iter().flatten() {
        invariants(property, Level::Field, &path.child("properties").key(name), errors);
    }
    let additional = get(schema, "additionalProperties");
    if let Some(additional) = additional {
        if level == Level::Root {
            errors.forbidden(&at_additional, "must not be used at the root");
        }
        if additional.is_object() {
            invariants(additional, Level::Field, &at_additional, errors);
        }
    }
    let [preserves, is_embedded, is_int_or_string] =
        [PRESERVE, EMBEDDED, INT_OR_STRING].map(|extension| is_true(schema, extension));
    for (extension, is_set) in [(PRESERVE, preserves), (EMBEDDED, is_embedded)] {
        if is_int_or_string && is_set {
            let why = "must be false if x-kubernetes-int-or-string is true";
            errors.invalid(path.child(extension), true, why);
        }
    }
    let skips = Skips {
        any_of: is_int_or_string_pattern(schema),
        first_any_of: list(schema, "allOf").first().is_some_and(is_int_or_string_pattern),
    };
    values(schema, skips, path, errors);
    if is_embedded && ty != "object" {
        let why = "must be object if x-kubernetes-embedded-resource is true";
        errors.push(match ty {
            "" => Error::required(&at_type, why),
            _ => Error::invalid(&at_type, ty, why),
        });
    } else if ty.is_empty() && !is_int_or_string && !preserves {
        errors.required(
            &at_type,
            match level {
                Level::Root => "must not be empty at the root",
                Level::Item => "must not be empty for specified array items",
                Level::Field => "must not be empty for specified object fields",
            },
        );
    }
    if is_embedded && additional.is_some() {
        let why = "must not be used if x-kubernetes-embedded-resource is set";
        errors.forbidden(&at_additional, why);
    }
    if level == Level::Root && !ty.is_empty() && ty != "object" {
        errors.invalid(&at_type, ty, "must be object at the root");
    }
    meta(schema, level, path, errors);
    let has_properties = map(schema, "properties").is_some_and(|properties| !properties.is_empty());
    if is_embedded && !preserves && !has_properties {
        let why = "must not be empty if x-kubernetes-embedded-resource is true without \
                   x-kubernetes-preserve-unknown-fields";
        errors.required(path.child("properties"), why);
    }
}

/// Validates what the schema of an object says about its type and its metadata.
fn meta(schema: &Value, level: Level, path: &Path, errors: &mut Vec<Error>) {
    let is_object = level == Level::Root || is_true(schema, EMBEDDED);
    let property = |name: &str| map(schema, "properties").and_then(|properties| properties.get(name));
    for (name, wanted) in [("kind", "string"), ("apiVersion", "string"), ("metadata", "object")] {
        if let Some(property) =
            property(name).filter(|property| is_object && text(property, "type") != wanted)
        {
            let at = path.child("properties").key(name).child("type");
            errors.invalid(&at, text(property, "type"), format!("must be {wanted}"));
        }
    }
    if level == Level::Root && property("metadata").is_some_and(|metadata| !restricts_names_only(metadata)) {
        let why = "must not specify anything other than name and generateName, but metadata is implicitly specified";
        errors.forbidden(path.child("properties").key("metadata"), why);
    }
}

fn restricts_names_only(metadata: &Value) -> bool {
    let fields = metadata.as_object().into_iter().flatten();
    fields.into_iter().all(|(field, value)| match field.as_str() {
        "type" | "default" | "externalDocs" | "example" => true,
        "properties" => {
            let mut names = value.as_object().into_iter().flat_map(|names| names.keys());
            names.all(|name| matches!(name.as_str(), "name" | "generateName"))
        }
        _ => false,
    })
}

/// Returns whether `anyOf` consists of an integer and a string, with no other constraint on either.
fn is_int_or_string_pattern(schema: &Value) -> bool {
    let is = |schema: &Value, ty: &str| {
        schema.as_object().is_some_and(|fields| fields.len() == 1) && text(schema, "type") == ty
    };
    matches!(list(schema, "anyOf"), [integer, string] if is(integer, "integer") && is(string, "string"))
}

/// Places where the types of [`is_int_or_string_pattern`] are allowed.
#[derive(Clone, Copy, Default)]
struct Skips {
    any_of: bool,
    first_any_of: bool,
}

/// Validates the parts of a schema that restrict values.
fn values(schema: &Value, skips: Skips, path: &Path, errors: &mut Vec<Error>) {
    for field in ["anyOf", "allOf", "oneOf"] {
        if field == "anyOf" && skips.any_of {
            continue;
        }
        for (index, one) in list(schema, field).iter().enumerate() {
            let any_of = field == "allOf" && index == 0 && skips.first_any_of;
            nested(one, Skips { any_of, first_any_of: false }, &path.child(field).index(index), errors);
        }
    }
    if let Some(not) = get(schema, "not") {
        nested(not, Skips::default(), &path.child("not"), errors);
    }
    let expression = text(schema, "pattern");
    if let Err(why) = Pattern::new(expression).check() {
        let why = format!("must be a valid regular expression, but isn't: {why}");
        errors.invalid(path.child("pattern"), expression, why);
    }
}

/// Validates a schema within `allOf`, `anyOf`, `oneOf` or `not`, which may restrict values only.
fn nested(schema: &Value, skips: Skips, path: &Path, errors: &mut Vec<Error>) {
    values(schema, skips, path, errors);
    if let Some(items) = get(schema, "items") {
        nested(items, Skips::default(), &path.child("items"), errors);
    }
    let properties = map(schema, "properties");
    for (name, property) in properties.into_iter().flatten() {
        nested(property, Skips::default(), &path.child("properties").key(name), errors);
    }
    for (field, wanted) in NOT_NESTED {
        let is_set = match get(schema, field) {
            value if field == "default" => value.is_some(),
            Some(Value::Bool(is_set)) => *is_set && field != "additionalProperties",
            Some(Value::String(text)) => !text.is_empty() || wanted == "undefined",
            Some(Value::Array(items)) => !items.is_empty() || wanted == "undefined",
            value => value.is_some(),
        };
        if is_set {
            errors.forbidden(path.child(field), format!("must be {wanted} to be structural"));
        }
    }
    if properties.is_some_and(|properties| properties.contains_key("metadata")) {
        let at = path.child("properties").key("metadata");
        errors.forbidden(&at, "must not be specified in a nested context");
    }
}

/// Validates that everything that `restriction` mentions is also in `schema`, its counterpart outside.
fn complete(restriction: &Value, schema: Option<&Value>, at: &Path, from: &Path, errors: &mut Vec<Error>) {
    if let Some(not) = get(restriction, "not") {
        complete_nested(not, schema, at, &from.child("not"), errors);
    }
    for field in ["allOf", "anyOf", "oneOf"] {
        for (index, one) in list(restriction, field).iter().enumerate() {
            complete_nested(one, schema, at, &from.child(field).index(index), errors);
        }
    }
}

fn complete_nested(
    restriction: &Value,
    schema: Option<&Value>,
    at: &Path,
    from: &Path,
    errors: &mut Vec<Error>,
) {
    let missing = |at: &Path, from: &Path| Error::required(at, format!("because it is defined in {from}"));
    let Some(schema) = schema else {
        errors.push(missing(at, from));
        return;
    };
    complete(restriction, Some(schema), at, from, errors);
    if let Some(items) = get(restriction, "items") {
        complete_nested(items, get(schema, "items"), &at.child("items"), &from.child("items"), errors);
    }
    for (name, property) in map(restriction, "properties").into_iter().flatten() {
        let (at, from) = (at.child("properties").key(name), from.child("properties").key(name));
        match map(schema, "properties").and_then(|properties| properties.get(name)) {
            None => errors.push(missing(&at, &from)),
            outside => complete_nested(property, outside, &at, &from, errors),
        }
    }
}
