//! The checks of single values that pods are made of. What is left empty is left to defaulting.

use json_tree::Value;

use crate::validation::read::{get, integer, list, text};
use crate::validation::values::one_of;
use field::{AddError, Error, Path};

/// The validation errors, in the order in which they were found.
pub(super) type Errors = Vec<Error>;

/// The items of the list under `field`, each with its place.
pub(super) fn each<'a>(
    value: &'a Value,
    field: &'static str,
    path: &Path,
) -> impl Iterator<Item = (&'a Value, Path)> + use<'a> {
    let items = list(value, field);
    // Mostly there are none, and nobody asks for their places.
    let path = if items.is_empty() { Path::default() } else { path.child(field) };
    items.iter().enumerate().map(move |(index, item)| (item, path.index(index)))
}

/// The value under `field` with its place, if it is there.
pub(super) fn child<'a>(value: &'a Value, field: &'static str, path: &Path) -> Option<(&'a Value, Path)> {
    get(value, field).map(|inner| (inner, path.child(field)))
}

/// Returns whether `field` is blank: missing, an empty string or an empty list.
pub(super) fn is_blank(value: &Value, field: &'static str) -> bool {
    match get(value, field) {
        None => true,
        Some(Value::String(text)) => text.is_empty(),
        Some(Value::Array(items)) => items.is_empty(),
        Some(_) => false,
    }
}

/// There must be something under each of `fields`.
pub(super) fn required(value: &Value, fields: &[&'static str], path: &Path, errors: &mut Errors) {
    let missing = fields.iter().filter(|field| is_blank(value, field));
    errors.extend(missing.map(|field| Error::required(path.child(field), "")));
}

/// A text must pass `check`.
pub(super) fn well_formed(text: &str, check: fn(&str) -> Vec<String>, path: &Path, errors: &mut Errors) {
    errors.extend(check(text).into_iter().map(|why| Error::invalid(path, text, why)));
}

/// The text under `field` must pass `check`, if there is any.
pub(super) fn named(
    value: &Value,
    field: &'static str,
    check: fn(&str) -> Vec<String>,
    path: &Path,
    errors: &mut Errors,
) {
    let name = text(value, field);
    if !name.is_empty() {
        well_formed(name, check, &path.child(field), errors);
    }
}

/// The text under `field` must pass `check`, and be there.
pub(super) fn required_name(
    value: &Value,
    field: &'static str,
    check: fn(&str) -> Vec<String>,
    path: &Path,
    errors: &mut Errors,
) {
    required(value, &[field], path, errors);
    named(value, field, check, path, errors);
}

/// The text under `field` must be one of `supported`, if the field is there at all.
pub(super) fn choice(
    value: &Value,
    field: &'static str,
    supported: &[&str],
    path: &Path,
    errors: &mut Errors,
) {
    errors.extend(one_of(value, field, supported, path));
}

/// The number under `field` must lie between these, if it is there.
pub(super) fn in_range(
    value: &Value,
    field: &'static str,
    (low, high): (i64, i64),
    path: &Path,
    errors: &mut Errors,
) {
    let number = integer(value, field).filter(|number| !(low..=high).contains(number));
    if let Some(number) = number {
        let why = format!("must be between {low} and {high}, inclusive");
        errors.invalid(path.child(field), number, why);
    }
}

/// The permissions of a file under `field`.
pub(super) fn mode(value: &Value, field: &'static str, path: &Path, errors: &mut Errors) {
    if let Some(mode) = integer(value, field).filter(|mode| !(0..=0o777).contains(mode)) {
        let why = "must be a number between 0 and 0777 (octal), both inclusive";
        errors.invalid(path.child(field), mode, why);
    }
}

/// An address of either family.
pub(super) fn address(text: &str, path: &Path, errors: &mut Errors) {
    errors.extend(crate::validation::address::ip(text, path));
}

/// A path that leads neither up nor out.
pub(super) fn descending_path(place: &str, path: &Path, errors: &mut Errors) {
    if place.starts_with('/') {
        errors.invalid(path, place, "must be a relative path");
    }
    no_backsteps(place, path, errors);
}

/// A path without `..` as one of its parts.
pub(super) fn no_backsteps(place: &str, path: &Path, errors: &mut Errors) {
    if has_backsteps(place) {
        errors.invalid(path, place, "must not contain '..'");
    }
}

pub(super) fn has_backsteps(place: &str) -> bool {
    place.split('/').any(|part| part == "..")
}

/// A path in a volume, whose names that begin with `..` are Kubernetes' own.
pub(super) fn file_path(place: &str, path: &Path, errors: &mut Errors) {
    descending_path(place, path, errors);
    if place.starts_with("..") && !place.starts_with("../") {
        errors.invalid(path, place, "must not start with '..'");
    }
}

/// The name of an environment variable.
pub(super) fn variable_name(name: &str) -> Vec<String> {
    if name.bytes().all(|byte| (b' '..=b'~').contains(&byte) && byte != b'=') {
        return Vec::new();
    }
    let why =
        "a valid environment variable name must consist only of printable ASCII characters other than '='";
    vec![why.to_owned()]
}
