//! Checks of single values: choices, numbers, percentages and ports.

use json_tree::Value;

use super::read::{at, get, integer};
use field::{Error, Path};

const PERCENT: &str = "a valid percent string must be a numeric string followed by an ending '%' \
    (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/// The error of a text that is there and none of `supported`. An empty text is there only where Go has a pointer or no
/// `omitempty`.
pub(crate) fn one_of(value: &Value, field: &'static str, supported: &[&str], path: &Path) -> Option<Error> {
    let chosen = get(value, field)?.as_str().filter(|chosen| !supported.contains(chosen))?;
    Some(Error::not_supported(path.child(field), chosen, supported))
}

/// The error of a number below zero.
pub(crate) fn not_negative(value: &Value, field: &'static str, path: &Path) -> Option<Error> {
    let number = integer(value, field).filter(|number| *number < 0)?;
    Some(Error::invalid(path.child(field), number, "must be greater than or equal to 0"))
}

/// The error of a field that is neither a number from zero on nor a text like `30%`.
pub(crate) fn int_or_percent(value: &Value, field: &'static str, path: &Path) -> Option<Error> {
    match at(value, &format!("/{field}")) {
        Value::String(text) if percent(text).is_none() => {
            Some(Error::invalid(path.child(field), text.as_str(), PERCENT))
        }
        _ => not_negative(value, field, path),
    }
}

/// The error of a percentage above 100.
pub(crate) fn above_hundred(value: &Value, field: &'static str, path: &Path) -> Option<Error> {
    let text = at(value, &format!("/{field}")).as_str()?;
    let above = percent(text).is_some_and(|percent| percent > 100);
    above.then(|| Error::invalid(path.child(field), text, "must not be greater than 100%"))
}

/// The number in a text like `30%`.
pub(crate) fn percent(text: &str) -> Option<i64> {
    let digits = text.strip_suffix('%').filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()))?;
    if digits.is_empty() { None } else { Some(digits.parse().unwrap_or(i64::MAX)) }
}

/// The error of a number that is no port.
pub(crate) fn port_number(port: i64, path: &Path) -> Option<Error> {
    let valid = (1..=65535).contains(&port);
    (!valid).then(|| Error::invalid(path, port, "must be between 1 and 65535, inclusive"))
}

/// Validates the name of a container port.
pub(crate) fn port_name(name: &str) -> Vec<&'static str> {
    let mut complaints = Vec::new();
    if name.len() > 15 {
        complaints.push("must be no more than 15 characters");
    }
    if name.is_empty() || !name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-') {
        complaints.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
    }
    if !name.bytes().any(|b| b.is_ascii_lowercase()) {
        complaints.push("must contain at least one letter (a-z)");
    }
    if name.contains("--") {
        complaints.push("must not contain consecutive hyphens");
    }
    if name.starts_with('-') || name.ends_with('-') {
        complaints.push("must not begin or end with a hyphen");
    }
    complaints
}

/// Validates a port that may be a number or a name.
pub(crate) fn port_number_or_name(port: &Value, path: &Path) -> Vec<Error> {
    match port {
        Value::String(name) => {
            port_name(name).into_iter().map(|why| Error::invalid(path, name.as_str(), why)).collect()
        }
        number => port_number(number.as_i64().unwrap_or_default(), path).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_ports() {
        let check = |name: &str, expected: &[&str]| assert_eq!(port_name(name), expected, "{name}");
        check("http-1", &[]);
        check("Bad_Name", &["must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"]);
        check("80", &["must contain at least one letter (a-z)"]);
        check("a--b", &["must not contain consecutive hyphens"]);
        check("-a", &["must not begin or end with a hyphen"]);
        check("abcdefghijklmnop", &["must be no more than 15 characters"]);
    }

    #[test]
    fn percentages() {
        let check = |text: &str, expected: Option<i64>| assert_eq!(percent(text), expected, "{text}");
        check("30%", Some(30));
        check("-5%", None);
        check("%", None);
        check("1", None);
    }
}
