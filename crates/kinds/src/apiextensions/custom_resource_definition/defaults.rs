//! Defaults in a schema must be what the schema allows.
//!
//! See <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting>.

use json_tree::{Map, Value, json};
use structural::{Malformed, Structural, rules};

use crate::validation::embedded::{embedded, moved};
use field::{AddError, Error, Path, aggregate};

/// A step from an object to what is in it.
#[derive(Clone)]
enum Step {
    Item,
    Field(String),
}

/// The object around a schema.
#[derive(Clone, Copy)]
struct Around<'a> {
    /// The object's schema.
    schema: &'a Structural,
    /// True if the value that is looked at is of the object's type or its metadata.
    meta: bool,
}

/// Validates the defaults of a schema that is structural.
pub(super) fn validate(schema: &Value, path: &Path) -> Vec<Error> {
    let mut root = Structural::parse(schema);
    root.embedded_resource = true;
    let mut errors = Vec::new();
    walk(&root, Around { schema: &root, meta: false }, &mut Vec::new(), path, &mut errors);
    errors
}

fn walk<'a>(
    schema: &'a Structural,
    mut around: Around<'a>,
    steps: &mut Vec<Step>,
    path: &Path,
    errors: &mut Vec<Error>,
) {
    let mut own_steps = Vec::new();
    let steps = if schema.embedded_resource {
        around = Around { schema, meta: false };
        &mut own_steps
    } else {
        steps
    };
    if let Some(value) = &schema.default {
        let at = path.child("default");
        if around.meta {
            errors.extend(of_meta(value, schema, around.schema, steps, &at));
        } else {
            errors.extend(one(value, schema, &at));
        }
    }
    if let Some(items) = &schema.items {
        steps.push(Step::Item);
        walk(items, around, steps, &path.child("items"), errors);
        steps.pop();
    }
    for (name, property) in &schema.properties {
        let is_meta = matches!(name.as_str(), "metadata" | "apiVersion" | "kind");
        let meta = around.meta || (schema.embedded_resource && is_meta);
        steps.push(Step::Field(name.clone()));
        walk(property, Around { meta, ..around }, steps, &path.child("properties").key(name), errors);
        steps.pop();
    }
}

/// Validates a default.
fn one(value: &Value, schema: &Structural, at: &Path) -> Vec<Error> {
    let mut pruned = value.clone();
    structural::prune(&mut pruned, schema, schema.embedded_resource);
    let mut errors = Vec::new();
    if pruned != *value {
        errors.invalid(at, value.clone(), "must not have unknown fields");
    }
    let mut coerced = value.clone();
    if let Err(error) = structural::coerce_metadata(&mut coerced, schema, Malformed::Refuse) {
        errors.push(moved(*error, "", at));
        return errors;
    }
    let wrong = embedded(&coerced, schema);
    if !wrong.is_empty() {
        errors.extend(wrong.into_iter().map(|error| moved(error, "", at)));
        return errors;
    }
    let wrong = structural::validate_below(&coerced, schema, at);
    if wrong.is_empty() {
        errors.extend(by_rules(&coerced, schema, at));
    }
    errors.extend(wrong);
    errors
}

/// Returns the errors that the rules of a schema give for a default.
fn by_rules(value: &Value, schema: &Structural, at: &Path) -> Vec<Error> {
    let compiled = rules::compile(schema, at, &[]).0;
    let found = rules::validate(&compiled, schema, value, None, rules::BUDGET);
    found.errors.into_iter().map(|error| moved(error, "", at)).collect()
}

/// Validates a default within the type or the metadata of the object around it.
fn of_meta(value: &Value, schema: &Structural, around: &Structural, steps: &[Step], at: &Path) -> Vec<Error> {
    let wrong = |why: String| {
        vec![Error::invalid(at, value.clone(), format!("must result in valid metadata: {why}"))]
    };
    let mut object = value.clone();
    for step in steps.iter().rev() {
        object = match step {
            Step::Item => Value::Array(vec![object]),
            Step::Field(name) => Map::from_iter([(name.clone(), object)]).into(),
        };
    }
    if let Some(fields) = object.as_object_mut() {
        fields.insert("kind".to_owned(), json!("Validation"));
        fields.insert("apiVersion".to_owned(), json!("validation/v1"));
    }
    if let Err(error) = structural::coerce_metadata(&mut object, around, Malformed::Refuse) {
        return wrong(error.to_string());
    }
    let errors = embedded(&object, around);
    if !errors.is_empty() {
        return wrong(aggregate(&errors));
    }
    let errors = structural::validate_below(value, schema, at);
    if errors.is_empty() { by_rules(value, schema, at) } else { errors }
}
