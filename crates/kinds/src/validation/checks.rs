//! Checks that many kinds share: required fields, names, and fields that may not change.

use std::collections::HashSet;
use std::hash::Hash;

use json_tree::Value;

use super::read::{get, list, same, text};
use crate::validation::metadata::immutable;
use crate::validation::name;
use field::{AddError, Error, Path};

/// A rule for names: what is wrong with a text.
pub(crate) type NameCheck = fn(&str) -> Vec<String>;

/// Validates `text` by a rule.
pub(crate) fn named(text: &str, rule: NameCheck, path: &Path) -> Vec<Error> {
    rule(text).into_iter().map(|why| Error::invalid(path, text, why)).collect()
}

/// Validates the text under `field` by a rule, unless it is empty.
pub(crate) fn optional_name(value: &Value, field: &'static str, rule: NameCheck, path: &Path) -> Vec<Error> {
    match text(value, field) {
        "" => Vec::new(),
        text => named(text, rule, &path.child(field)),
    }
}

/// Validates the text under `field` by a rule; it must be there.
pub(crate) fn required_name(value: &Value, field: &'static str, rule: NameCheck, path: &Path) -> Vec<Error> {
    match text(value, field) {
        "" => vec![Error::required(path.child(field), "")],
        text => named(text, rule, &path.child(field)),
    }
}

/// The errors of texts that are missing or empty.
pub(crate) fn required(value: &Value, fields: &[&'static str], path: &Path) -> Vec<Error> {
    let missing = fields.iter().filter(|field| text(value, field).is_empty());
    missing.map(|field| Error::required(path.child(field), "")).collect()
}

/// The error of a text that is none of `supported`; an empty one is none of them either.
pub(crate) fn supported(
    value: &Value,
    field: &'static str,
    supported: &[&str],
    path: &Path,
) -> Option<Error> {
    let chosen = text(value, field);
    (!supported.contains(&chosen)).then(|| Error::not_supported(path.child(field), chosen, supported))
}

/// The error of a text that is missing or empty, or none of `choices`.
pub(crate) fn required_choice(
    value: &Value,
    field: &'static str,
    choices: &[&str],
    path: &Path,
) -> Option<Error> {
    if text(value, field).is_empty() {
        return Some(Error::required(path.child(field), ""));
    }
    supported(value, field, choices, path)
}

/// The error of a text that is missing, or is there, be it empty, and none of `choices`.
pub(crate) fn given_choice(
    value: &Value,
    field: &'static str,
    choices: &[&str],
    path: &Path,
) -> Option<Error> {
    match get(value, field) {
        None => Some(Error::required(path.child(field), "")),
        Some(_) => supported(value, field, choices, path),
    }
}

/// The errors of fields that differ and may not.
pub(crate) fn unchanged(object: &Value, old: &Value, fields: &[&'static str], path: &Path) -> Vec<Error> {
    let changed = fields.iter().filter(|field| !same(get(object, field), get(old, field)));
    changed.map(|field| immutable(&path.child(field), go_value(object, field))).collect()
}

/// The value under `field` as Go has it: an empty list or map that was never made is null.
pub(crate) fn go_value(value: &Value, field: &str) -> Value {
    get(value, field).cloned().unwrap_or_default()
}

/// The texts of the list under `field`.
pub(crate) fn texts<'a>(value: &'a Value, field: &str) -> Vec<&'a str> {
    list(value, field).iter().map(|item| item.as_str().unwrap_or_default()).collect()
}

/// Of each item whether it stands before in the list.
pub(crate) fn repeated<T: Hash + Eq>(items: &[T]) -> Vec<bool> {
    let mut seen = HashSet::with_capacity(items.len());
    items.iter().map(|item| !seen.insert(item)).collect()
}

/// The name of a node, a secret or a class.
pub(crate) fn subdomain(text: &str) -> Vec<String> {
    name::subdomain(text)
}

/// The error of a domain that is not of at least `segments` segments.
pub(crate) fn fully_qualified(domain: &str, segments: usize, path: &Path) -> Option<Error> {
    if domain.is_empty() {
        return Some(Error::required(path, ""));
    }
    let complaints = name::subdomain(domain);
    if !complaints.is_empty() {
        return Some(Error::invalid(path, domain, complaints.join(",")));
    }
    let count = if segments == 3 { "three" } else { "two" };
    let why = format!("should be a domain with at least {count} segments separated by dots");
    (domain.split('.').count() < segments).then(|| Error::invalid(path, domain, why))
}

/// Validates the domain name of an endpoint, which may end in a dot.
pub(crate) fn domain_name(domain: &str, path: &Path) -> Option<Error> {
    let domain = domain.strip_suffix('.').filter(|_| domain != ".").unwrap_or(domain);
    let error = fully_qualified(domain, 2, path);
    if error.is_some() {
        return error;
    }
    domain.split('.').find_map(|label| {
        let complaints = name::label(label);
        (!complaints.is_empty()).then(|| Error::invalid(path, label, complaints.join(",")))
    })
}

/// Validates the name of a CSI driver.
pub(crate) fn driver_name(driver: &str, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    if driver.is_empty() {
        errors.required(path, "");
        return errors;
    }
    if driver.len() > 63 {
        errors.too_long(path, 63);
    }
    let complaints = name::subdomain(&driver.to_ascii_lowercase());
    errors.extend(complaints.into_iter().map(|why| Error::invalid(path, driver, why)));
    errors
}

/// Validates the items of a list, or returns the error that they are too many to look at.
pub(crate) fn each<T>(
    items: &[T],
    max: usize,
    path: &Path,
    check: impl Fn(&T, &Path) -> Vec<Error>,
) -> Vec<Error> {
    at_each(items.len(), max, path, &|index, path| check(&items[index], path))
}

/// As [`each`], of items that `check` knows by their indices.
pub(crate) fn at_each(
    count: usize,
    max: usize,
    path: &Path,
    check: &dyn Fn(usize, &Path) -> Vec<Error>,
) -> Vec<Error> {
    let mut errors = Vec::new();
    if count > max {
        errors.too_many(path, count, max);
    } else {
        (0..count).for_each(|index| errors.extend(check(index, &path.index(index))));
    }
    errors
}

/// Validates the items of a list that must differ in the text under `key`.
pub(crate) fn distinct(
    items: &[Value],
    max: usize,
    key: &str,
    path: &Path,
    check: impl Fn(&Value, &Path) -> Vec<Error>,
) -> Vec<Error> {
    let mut errors = each(items, max, path, check);
    if items.len() <= max {
        errors.extend(duplicates(items.iter().map(|item| text(item, key)), path));
    }
    errors
}

/// The errors of texts that come twice.
pub(crate) fn duplicates<'a>(texts: impl Iterator<Item = &'a str>, path: &Path) -> Vec<Error> {
    let mut seen = HashSet::new();
    let twice = texts.enumerate().filter(|(_, text)| !seen.insert(*text));
    twice.map(|(index, text)| Error::duplicate(path.index(index), text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validation::check;

    #[test]
    fn domains() {
        let check = |domain: &str, expected: &str| {
            let errors: Vec<Error> = domain_name(domain, &Path::new("d")).into_iter().collect();
            check(&errors, expected);
        };
        check("a.b", "");
        check("a.b.", "");
        check("", "d: Required value");
        check(
            "a",
            "d: Invalid value: \"a\": should be a domain with at least two segments separated by dots",
        );
    }

    #[test]
    fn drivers() {
        check(&driver_name("X.example.com", &Path::new("d")), "");
        check(&driver_name("", &Path::new("d")), "d: Required value");
    }
}
