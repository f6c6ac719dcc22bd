//! The formats of strings that a schema can ask for.
//!
//! See <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation>.
//! A format that is none of its type is ignored.

mod address;
mod email;
mod number;

use std::sync::OnceLock;

use field::format::is_base64;
use field::time::{is_date, is_date_time, parse_duration};
use golang::url::Url;

use crate::pattern::Pattern;
use crate::{Structural, Type};

/// The check of a text.
type Check = fn(&str) -> bool;

/// The formats of strings, by their names without hyphens.
const CHECKS: [(&str, Check); 26] = [
    ("bsonobjectid", |text| text.len() == 24 && is_hex(text)),
    ("uri", |text| Url::parse_request_uri(text).is_ok()),
    ("email", email::is_address),
    ("hostname", address::is_hostname),
    ("ipv4", address::is_ipv4),
    ("ipv6", address::is_ipv6),
    ("cidr", address::is_cidr),
    ("mac", address::is_mac),
    ("uuid", |text| UUID.matches(text)),
    ("uuid3", |text| UUID3.matches(text)),
    ("uuid4", |text| UUID4.matches(text)),
    ("uuid5", |text| UUID5.matches(text)),
    ("isbn", |text| number::is_isbn10(text) || number::is_isbn13(text)),
    ("isbn10", number::is_isbn10),
    ("isbn13", number::is_isbn13),
    ("creditcard", number::is_credit_card),
    ("ssn", |text| text.len() == 11 && SSN.matches(text)),
    ("hexcolor", |text| {
        let digits = text.strip_prefix('#').unwrap_or(text);
        matches!(digits.len(), 3 | 6) && is_hex(digits)
    }),
    ("rgbcolor", |text| RGB.matches(text)),
    ("byte", is_base64),
    ("password", |_| true),
    ("date", is_date),
    ("duration", |text| parse_duration(text).is_some()),
    ("datetime", is_date_time),
    ("quantity", |text| QUANTITY.matches(text)),
    ("k8sshortname", |text| text.len() <= 63 && is_label(text)),
];

/// One more than [`CHECKS`] has, for it is made of another.
const LONG_NAME: (&str, Check) = ("k8slongname", |text| text.len() <= 253 && text.split('.').all(is_label));

static UUID: Lazy = Lazy::new("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$");
static UUID3: Lazy = Lazy::new("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$");
static UUID4: Lazy =
    Lazy::new("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$");
static UUID5: Lazy =
    Lazy::new("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$");
static SSN: Lazy = Lazy::new(r"^\d{3}[- ]?\d{2}[- ]?\d{4}$");
static RGB: Lazy = Lazy::new(concat!(
    r"^rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,",
    r"\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$"
));
static QUANTITY: Lazy = Lazy::new("^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$");

/// A pattern that is compiled once.
struct Lazy {
    source: &'static str,
    pattern: OnceLock<Pattern>,
}

impl Lazy {
    const fn new(source: &'static str) -> Self {
        Self { source, pattern: OnceLock::new() }
    }

    fn matches(&self, text: &str) -> bool {
        self.pattern.get_or_init(|| Pattern::new(self.source)).is_match(text).unwrap_or(false)
    }
}

/// The format that counts: that of the schema, if its type has it, or else nothing.
pub(crate) fn effective(schema: &Structural) -> &str {
    let format = schema.format.as_str();
    let known = match schema.ty {
        _ if format.is_empty() => false,
        _ if schema.int_or_string => find(format).is_some(),
        None | Some(Type::String) => find(format).is_some(),
        Some(Type::Integer) => matches!(format, "int32" | "int64"),
        Some(Type::Number) => matches!(format, "float" | "double"),
        Some(Type::Object | Type::Array | Type::Boolean) => false,
    };
    if known { format } else { "" }
}

/// Reports whether `text` has the format; None if there is no such format of strings.
pub(crate) fn check(format: &str, text: &str) -> Option<bool> {
    find(format).map(|check| check(text))
}

/// Reports whether Kubernetes knows `format` for this type, or for values of any type. If not,
/// whoever creates the definition is warned.
pub fn is_known_format(ty: Option<Type>, format: &str) -> bool {
    let schema = Structural { ty, format: format.to_owned(), ..Structural::default() };
    format.is_empty() || !effective(&schema).is_empty()
}

fn find(format: &str) -> Option<Check> {
    let name = format.replace('-', "");
    CHECKS.iter().chain([&LONG_NAME]).find(|(known, _)| *known == name).map(|(_, check)| *check)
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Letters, digits and hyphens, the last of these not at an end.
fn is_label(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = text.as_bytes();
    bytes.first().is_some_and(|byte| inner(*byte))
        && bytes.last().is_some_and(|byte| inner(*byte))
        && bytes.iter().all(|byte| inner(*byte) || *byte == b'-')
}

#[cfg(test)]
mod tests;
