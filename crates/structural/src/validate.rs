//! Validation of objects by a schema.
//!
//! See <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation>
//! and, for what may stay wrong on update, `#validation-ratcheting` there. The texts and their order are those of
//! `k8s.io/kube-openapi/pkg/validation`, in which a schema is a row of validators: of the type, of `allOf` and its kin,
//! of strings, formats, numbers, lists, `enum`, objects. Fields of objects are visited in the order of the alphabet.

mod allowed;
mod combine;
mod number;
mod outcome;
mod place;

use std::collections::HashSet;

use field::{Error, Path};
use json_tree::{Map, Value};

use crate::correlation::{Correlated, Keys};
use crate::format;
use crate::prune::is_meta;
use crate::{AdditionalProperties, Structural, Type};

use outcome::Outcome;
use place::{At, Step};

/// Returns the errors of `new`. On update, errors in a part that is unchanged from `old` are tolerated.
pub fn validate(new: &Value, old: Option<&Value>, schema: &Structural) -> Vec<Error> {
    let mut errors = validate_at(new, old, schema, &At::ROOT).errors;
    if errors.len() > 1 {
        let mut seen = HashSet::new();
        errors.retain(|error| seen.insert(error.to_string()));
    }
    errors
}

/// Returns the errors of a value that stands at `path` of something else, such as a default in a schema.
pub fn validate_below(value: &Value, schema: &Structural, path: &Path) -> Vec<Error> {
    let mut errors = validate(value, None, schema);
    let nowhere = Path::default().to_string();
    for error in &mut errors {
        let at = if error.field == nowhere { path.clone() } else { path.named(&error.field) };
        error.field = at.to_string();
    }
    errors
}

/// Validates a value by its schema. `old` is what it was, if that can be told.
fn validate_at(value: &Value, old: Option<&Value>, schema: &Structural, at: &At<'_>) -> Outcome {
    let mut outcome = Outcome::default();
    let format = format::effective(schema);
    let typed = schema.int_or_string || schema.ty.is_some() || !format.is_empty();
    if value.is_null() {
        check_type(value, schema, format, at, &mut outcome);
        if let Some(error) = allowed::check(value, schema, at) {
            outcome.add(error);
        }
    } else {
        if typed {
            check_type(value, schema, format, at, &mut outcome);
            outcome.count();
        }
        combine::check(value, schema, at, &mut outcome);
        outcome.count();
        match value {
            Value::String(text) => check_text(text, schema, format, at, &mut outcome),
            Value::Number(number) => number::check(number, schema, format, at, &mut outcome),
            Value::Array(items) => check_items(items, old, schema, at, &mut outcome),
            _ => {}
        }
        if let Some(error) = allowed::check(value, schema, at) {
            outcome.add(error);
        }
        outcome.count();
        if let Value::Object(fields) = value {
            check_fields(fields, old, schema, at, &mut outcome);
            outcome.count();
        }
        outcome.count();
    }
    if !outcome.errors.is_empty() && old.is_some_and(|old| Correlated { new: value, old, schema }.unchanged())
    {
        outcome.errors.clear();
    }
    outcome
}

/// The types that the schema allows, as messages have them.
fn wanted(schema: &Structural) -> &'static str {
    if schema.int_or_string { "integer,string" } else { schema.ty.map_or("", Type::name) }
}

fn check_type(value: &Value, schema: &Structural, format: &str, at: &At<'_>, outcome: &mut Outcome) {
    let wrong = |wanted: &str, found: &str| {
        Error::type_invalid(
            at.path(),
            found,
            format!("{at} in body must be of type {wanted}: {}", field::quote(found)),
        )
    };
    let has = |ty: Type| match schema.int_or_string {
        true => matches!(ty, Type::Integer | Type::String),
        false => schema.ty == Some(ty),
    };
    let any = !schema.int_or_string && schema.ty.is_none();
    let (found, of_float, fits) = match value {
        Value::Null => {
            if any || schema.nullable {
                outcome.count();
            } else {
                outcome.add(wrong(wanted(schema), "null"));
            }
            return;
        }
        Value::Bool(_) => (Type::Boolean, "", false),
        Value::String(_) => (Type::String, "", false),
        Value::Array(_) => (Type::Array, "", false),
        Value::Object(_) => (Type::Object, "", false),
        Value::Number(number) => match number.as_i64() {
            Some(_) => (Type::Integer, "int64", has(Type::Number)),
            None => {
                let whole = number.as_f64().is_some_and(number::is_whole);
                (Type::Number, "float64", whole && has(Type::Integer))
            }
        },
    };
    let fits = fits || has(found);
    let textual = matches!(found, Type::String | Type::Array);
    if !textual && !format.is_empty() && !fits && format != of_float {
        outcome.add(wrong(format, of_float));
    } else if textual && !format.is_empty() && !has(Type::Number) && !has(Type::Integer) || fits {
        outcome.count();
    } else {
        outcome.add(wrong(wanted(schema), found.name()));
    }
}

fn check_text(text: &str, schema: &Structural, format: &str, at: &At<'_>, outcome: &mut Outcome) {
    if let Some(error) = text_error(text, schema, at) {
        outcome.add(error);
    }
    outcome.count();
    if let Some(valid) = format::check(format, text) {
        if !valid {
            let quoted = field::quote(text);
            let why = format!("{at} in body must be of type {format}: {quoted}");
            outcome.add(Error::type_invalid(at.path(), text, why));
        }
        outcome.count();
    }
}

/// The first thing that is wrong with a text: its length or its pattern.
fn text_error(text: &str, schema: &Structural, at: &At<'_>) -> Option<Error> {
    if schema.max_length.is_some() || schema.min_length.is_some() {
        let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        if let Some(max) = schema.max_length.filter(|max| length > *max) {
            return Some(Error::too_long(at.path(), usize::try_from(max).unwrap_or(0)));
        }
        if let Some(min) = schema.min_length.filter(|min| length < *min) {
            let why = format!("{at} in body should be at least {min} chars long");
            return Some(Error::invalid(at.path(), text, why));
        }
    }
    let source = schema.pattern.source();
    if source.is_empty() {
        return None;
    }
    let why = match schema.pattern.is_match(text) {
        Ok(true) => return None,
        Ok(false) => format!("{at} in body should match '{source}'"),
        Err(why) => format!("{at} in body should match '{source}, but pattern is invalid: {why}'"),
    };
    Some(Error::invalid(at.path(), text, why))
}

fn check_items(
    items: &[Value],
    old: Option<&Value>,
    schema: &Structural,
    at: &At<'_>,
    outcome: &mut Outcome,
) {
    if let Some(inner) = &schema.items {
        let old = old.and_then(Value::as_array).map(|old| Keys::new(schema, old));
        for (index, item) in items.iter().enumerate() {
            let old = old.as_ref().and_then(|old| old.find(item));
            outcome.merge(validate_at(item, old, inner, &at.step(Step::Index(index))));
        }
    }
    let count = items.len();
    if let Some(min) = schema.min_items.filter(|min| (count as i64) < *min) {
        let why = format!("{at} in body should have at least {min} items");
        outcome.add(Error::invalid(at.path(), count, why));
    }
    if let Some(max) = schema.max_items.filter(|max| count as i64 > *max) {
        outcome.add(Error::too_many(at.path(), count, usize::try_from(max).unwrap_or(0)));
    }
    if schema.unique_items && has_duplicates(items) {
        let why = format!("{at} in body shouldn't contain duplicates");
        outcome.add(Error::invalid(at.path(), "", why));
    }
    outcome.count();
    outcome.count();
}

fn has_duplicates(items: &[Value]) -> bool {
    let mut texts: Vec<(Vec<u8>, bool)> =
        items.iter().map(|item| (codec::json::to_vec(item), item.is_f64())).collect();
    schema::sort(&mut texts);
    texts.windows(2).any(|pair| pair[0] == pair[1])
}

fn check_fields(
    fields: &Map<String, Value>,
    old: Option<&Value>,
    schema: &Structural,
    at: &At<'_>,
    outcome: &mut Outcome,
) {
    let count = fields.len();
    if let Some(min) = schema.min_properties.filter(|min| (count as i64) < *min) {
        let why = format!("{at} in body should have at least {min} properties");
        outcome.add(Error::invalid(at.path(), count, why));
    }
    if let Some(max) = schema.max_properties.filter(|max| count as i64 > *max) {
        outcome.add(Error::too_many(at.path(), count, usize::try_from(max).unwrap_or(0)));
    }
    let old_of = |name: &str| match at.is_root() && is_meta(name) && name != "metadata" {
        true => None,
        false => old.and_then(|old| old.get(name)),
    };
    match &schema.additional_properties {
        Some(AdditionalProperties::Any(false)) => {
            for name in fields.keys().filter(|name| schema.property(name).is_none()) {
                let why = format!("{at}.{name} in body is a forbidden property");
                outcome.add(Error::invalid(at.path(), name.clone(), why));
            }
        }
        Some(AdditionalProperties::Schema(additional)) => {
            for (name, value) in fields.iter().filter(|(name, _)| schema.property(name).is_none()) {
                let at = at.step(Step::Additional(name));
                outcome.merge(validate_at(value, old_of(name), additional, &at));
            }
        }
        Some(AdditionalProperties::Any(true)) | None => {}
    }
    for (name, property) in &schema.properties {
        if let Some(value) = fields.get(name) {
            let at = at.step(Step::Property(name));
            outcome.merge(validate_at(value, old_of(name), property, &at));
        }
    }
    for name in schema.required.iter().filter(|name| !fields.contains_key(*name)) {
        outcome.add(Error::required(at.step(Step::Additional(name)).path(), ""));
    }
}

#[cfg(test)]
mod tests;
