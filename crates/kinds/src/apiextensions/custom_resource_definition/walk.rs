//! Schemas within schemas.

use json_tree::Value;

use super::form::Form;
use crate::validation::read::{at, get, is_true, list, map, text};

/// Formats that texts can be checked for.
const FORMATS: &str = "bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 \
    creditcard ssn hexcolor rgbcolor byte password date duration datetime k8sshortname k8slongname";

/// The schemas directly within one.
fn children(schema: &Value) -> Vec<&Value> {
    let mut children = Vec::new();
    match get(schema, "items") {
        Some(Value::Array(items)) => children.extend(items),
        Some(items) => children.push(items),
        None => {}
    }
    for field in ["allOf", "anyOf", "oneOf"] {
        children.extend(list(schema, field));
    }
    children.extend(get(schema, "not"));
    for field in ["properties", "additionalProperties", "patternProperties", "additionalItems", "definitions"]
    {
        match get(schema, field) {
            Some(one) if field.starts_with("additional") => children.push(one),
            Some(Value::Object(all)) => children.extend(all.values()),
            _ => {}
        }
    }
    children.extend(map(schema, "dependencies").into_iter().flat_map(|all| all.values()));
    children.retain(|child| child.is_object());
    children
}

/// Returns whether `is` holds for any schema of a definition.
pub(super) fn any(form: &Form<'_>, is: fn(&Value) -> bool) -> bool {
    form.schemas().any(|schema| any_within(schema, is))
}

fn any_within(schema: &Value, is: fn(&Value) -> bool) -> bool {
    is(schema) || children(schema).into_iter().any(|child| any_within(child, is))
}

/// The formats of texts in a definition's schemas that nobody checks, each once.
pub fn unrecognized_formats(definition: &Value) -> Vec<String> {
    let mut formats = Vec::new();
    for schema in Form::of(at(definition, "/spec")).schemas() {
        collect_formats(schema, &mut formats);
    }
    formats
}

fn collect_formats(schema: &Value, formats: &mut Vec<String>) {
    let format = text(schema, "format");
    let known = FORMATS.split(' ').any(|known| known == format.replace('-', ""));
    if !format.is_empty() && text(schema, "type") == "string" && !known {
        let format = format.to_owned();
        if !formats.contains(&format) {
            formats.push(format);
        }
    }
    for child in children(schema) {
        collect_formats(child, formats);
    }
}

/// Returns why a schema can not be structural at all, if anything in it keeps it from that.
///
/// See <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema>.
pub(super) fn unsupported(schema: &Value) -> Option<&'static str> {
    let has = |field: &str| match get(schema, field) {
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Object(map)) => !map.is_empty() || field == "additionalItems",
        Some(_) => true,
        None => false,
    };
    if has("id") {
        return Some("OpenAPIV3Schema 'id' is not supported");
    }
    if has("$schema") {
        return Some("OpenAPIV3Schema 'schema' is not supported");
    }
    if has("$ref") {
        return Some("OpenAPIV3Schema '$ref' is not supported");
    }
    if has("patternProperties") {
        return Some("OpenAPIV3Schema 'patternProperties' is not supported");
    }
    if has("dependencies") {
        return Some("OpenAPIV3Schema 'dependencies' is not supported");
    }
    if has("additionalItems") {
        return Some("OpenAPIV3Schema 'additionalItems' is not supported");
    }
    if has("definitions") {
        return Some("OpenAPIV3Schema 'definitions' is not supported");
    }
    let within = |field: &str| match get(schema, field) {
        Some(Value::Array(all)) => all.iter().find_map(unsupported),
        Some(Value::Object(all)) if field == "properties" => all.values().find_map(unsupported),
        Some(one) => unsupported(one),
        None => None,
    };
    let before = ["not", "allOf", "anyOf", "oneOf", "additionalProperties"].into_iter().find_map(within);
    if before.is_some() {
        return before;
    }
    let preserve = "x-kubernetes-preserve-unknown-fields";
    if get(schema, preserve).is_some() && !is_true(schema, preserve) {
        return Some("internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined");
    }
    if get(schema, "items").is_some_and(|items| items.as_array().is_some_and(|items| !items.is_empty())) {
        return Some("OpenAPIV3Schema 'items' must be a schema, but is an array");
    }
    ["items", "properties"].into_iter().find_map(within)
}
