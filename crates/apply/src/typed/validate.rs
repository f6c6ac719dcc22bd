//! Validation of a value by its type.

use std::collections::BTreeSet;
use std::fmt;

use json_tree::Value;
use schema::Types;
use schema::go::{show, type_name};

use super::Kind;
use super::items;
use crate::path::PathElement;
use crate::shape::{List, Map, Relation, Scalar, Shape};
use crate::value::write_source;

/// How it begins that an item stands twice.
const DUPLICATE: &str = "duplicate entries for key ";

/// Something in a value that its type does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValidationError {
    /// The path of the invalid value: `.spec.containers[name="x"]`.
    pub path: String,
    /// The error message.
    pub message: String,
}

impl ValidationError {
    /// All of them, in the words of Go.
    pub fn join(errors: &[Self]) -> String {
        if let [error] = errors {
            return error.to_string();
        }
        errors.iter().fold("errors:".to_owned(), |text, error| text + "\n  " + &error.to_string())
    }

    /// Returns whether the error only says that an item occurs twice.
    pub fn is_duplicate(&self) -> bool {
        self.message.starts_with(DUPLICATE)
    }

    fn new(message: impl Into<String>) -> Self {
        Self { path: String::new(), message: message.into() }
    }
}

impl fmt::Display for ValidationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            f.write_str(&self.path)?;
            f.write_str(": ")?;
        }
        f.write_str(&self.message)
    }
}

pub(super) fn validate(types: &Types, shape: Shape<'_>, value: &Value, errors: &mut Vec<ValidationError>) {
    match shape.resolve(types).deduce(Some(value)).kind() {
        Some(Kind::Map(map)) => entries(types, &map, value, errors),
        Some(Kind::List(list)) => list_items(types, &list, value, errors),
        Some(Kind::Scalar(kind)) => errors.extend(scalar(kind, value)),
        None => {}
    }
}

fn entries(types: &Types, map: &Map<'_>, value: &Value, errors: &mut Vec<ValidationError>) {
    let fields = match value {
        Value::Null => return,
        Value::Object(fields) => fields,
        other => return errors.push(ValidationError::new(pointer("expected map, got &{", other))),
    };
    for (key, value) in fields {
        let first = errors.len();
        let known = map.child(key);
        match known {
            Some(shape) => validate(types, shape, value, errors),
            None => errors.push(ValidationError::new("field not declared in schema")),
        }
        prefix(&mut errors[first..], || PathElement::field(key));
        if known.is_none() {
            return;
        }
    }
}

fn list_items(types: &Types, list: &List<'_>, value: &Value, errors: &mut Vec<ValidationError>) {
    let items = match value {
        Value::Null => return,
        Value::Array(items) => items,
        other => return errors.push(ValidationError::new(pointer("expected list, got &{", other))),
    };
    let mut seen = BTreeSet::new();
    for (index, item) in items.iter().enumerate() {
        let element = if list.relation == Relation::Atomic {
            PathElement::Index(index as i64)
        } else {
            match items::element(types, list, item) {
                Ok(element) => element,
                Err(why) => {
                    // Without a name, nothing can be said of what is inside.
                    return errors.push(ValidationError::new(format!("element {index}: {why}")));
                }
            }
        };
        if list.relation != Relation::Atomic {
            if seen.contains(&element) {
                errors.push(ValidationError::new(format!("{DUPLICATE}{element}")));
            } else {
                seen.insert(element.clone());
            }
        }
        let first = errors.len();
        validate(types, list.item, item, errors);
        prefix(&mut errors[first..], || element);
    }
}

fn scalar(kind: Scalar, value: &Value) -> Option<ValidationError> {
    let message = match (kind, value) {
        (_, Value::Null)
        | (Scalar::Numeric, Value::Number(_))
        | (Scalar::String, Value::String(_))
        | (Scalar::Boolean, Value::Bool(_))
        | (Scalar::Untyped, Value::Number(_) | Value::String(_) | Value::Bool(_)) => return None,
        (Scalar::Numeric, other) => ["expected numeric (int or float), got ", type_name(other)].concat(),
        (Scalar::String, other) => {
            let mut text = "expected string, got &value.valueUnstructured{Value:".to_owned();
            write_source(other, &mut text);
            text.push('}');
            text
        }
        (Scalar::Boolean, other) => pointer("expected boolean, got &{", other),
        (Scalar::Untyped, other) => pointer("expected any scalar, got &{", other),
    };
    Some(ValidationError::new(message))
}

/// Returns whether a value can be a scalar of this kind.
pub(super) fn is_scalar(kind: Scalar, value: Option<&Value>) -> bool {
    value.is_none_or(|value| scalar(kind, value).is_none())
}

/// As Go prints a pointer to the value.
fn pointer(before: &str, value: &Value) -> String {
    [before, &show(value), "}"].concat()
}

fn prefix(errors: &mut [ValidationError], element: impl FnOnce() -> PathElement) {
    if !errors.is_empty() {
        let element = element().to_string();
        errors.iter_mut().for_each(|error| error.path.insert_str(0, &element));
    }
}
