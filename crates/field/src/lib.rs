//! Errors about fields of an object, as `k8s.io/apimachinery/pkg/util/validation/field` words them.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/>: each error becomes one of
//! the causes of a Status with the reason `Invalid`.
#![deny(missing_docs)]

mod add_error;
pub mod format;
pub mod name;
pub mod time;

use std::collections::HashSet;
use std::fmt;
use std::rc::Rc;

use json_tree::Value;
use smol_str::SmolStr;

pub use add_error::AddError;
pub use golang::strconv::{is_print, quote};

/// The place of a field in an object: `metadata.annotations[a.io/b]`, `spec.containers[0].name`.
///
/// A path is made for every field that is looked at, and printed for those that are wrong. So it is no text, but the last
/// step and the path before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path(Option<Rc<(Self, Step)>>);

/// The last step of a path.
#[derive(Debug)]
enum Step {
    /// To a field: `.name`.
    Field(&'static str),
    /// To a field whose name is not known beforehand: `.name`.
    Named(SmolStr),
    /// To an item of a list: `[0]`.
    Index(usize),
    /// To the value of a key of a map: `[key]`.
    Key(SmolStr),
}

impl PartialEq for Step {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Field(a), Self::Field(b)) => a == b,
            (Self::Field(a), Self::Named(b)) | (Self::Named(b), Self::Field(a)) => b == a,
            (Self::Named(a), Self::Named(b)) | (Self::Key(a), Self::Key(b)) => a == b,
            (Self::Index(a), Self::Index(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Step {}

impl Path {
    /// A path that begins at the root of an object. An empty name is the root itself.
    pub fn new(name: &str) -> Self {
        if name.is_empty() { Self::default() } else { Self::default().named(name) }
    }

    /// The field `name` of what this path points to.
    #[must_use]
    pub fn child(&self, name: &'static str) -> Self {
        self.step(Step::Field(name))
    }

    /// As [`Self::child`], of a name that a schema or a client has given.
    #[must_use]
    pub fn named(&self, name: &str) -> Self {
        self.step(Step::Named(SmolStr::new(name)))
    }

    /// The item at `index` of the list that this path points to.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.step(Step::Index(index))
    }

    /// The value under `key` of the map that this path points to.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        self.step(Step::Key(SmolStr::new(key)))
    }

    fn step(&self, step: Step) -> Self {
        Self(Some(Rc::new((self.clone(), step))))
    }

    fn write(&self, out: &mut String) {
        let Some((before, step)) = self.0.as_deref() else { return };
        before.write(out);
        let dot = if out.is_empty() { "" } else { "." };
        let (open, text, close) = match step {
            Step::Field(name) => (dot, *name, ""),
            Step::Named(name) => (dot, name.as_str(), ""),
            Step::Key(key) => ("[", key.as_str(), "]"),
            Step::Index(index) => ("[", &*index.to_string(), "]"),
        };
        out.extend([open, text, close]);
    }
}

impl fmt::Display for Path {
    /// A path to nothing prints as Go prints a nil path.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write(&mut text);
        f.write_str(if text.is_empty() { "<nil>" } else { &text })
    }
}

/// The place of an error: a [`Path`], or one that is made for the error and is not needed afterwards.
pub trait Place {
    /// The path, printed.
    fn text(self) -> String;
}

impl Place for &Path {
    fn text(self) -> String {
        self.to_string()
    }
}

impl Place for Path {
    fn text(self) -> String {
        self.to_string()
    }
}

/// The kind of an error in a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The value refers to something that does not exist.
    NotFound,
    /// The value is missing or empty.
    Required,
    /// The value must be unique and is not.
    Duplicate,
    /// The value is malformed.
    Invalid,
    /// The value is none of those that are allowed.
    NotSupported,
    /// The value would be valid elsewhere or at another time.
    Forbidden,
    /// The value has too many bytes.
    TooLong,
    /// The list has too many items.
    TooMany,
    /// The value has another type than the schema says.
    TypeInvalid,
    /// The validation failed for a reason that is not the client's.
    InternalError,
}

impl ErrorKind {
    /// The `reason` of the cause.
    pub fn reason(self) -> &'static str {
        self.words().0
    }

    fn title(self) -> &'static str {
        self.words().1
    }

    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::NotFound => ("FieldValueNotFound", "Not found"),
            Self::Required => ("FieldValueRequired", "Required value"),
            Self::Duplicate => ("FieldValueDuplicate", "Duplicate value"),
            Self::Invalid => ("FieldValueInvalid", "Invalid value"),
            Self::NotSupported => ("FieldValueNotSupported", "Unsupported value"),
            Self::Forbidden => ("FieldValueForbidden", "Forbidden"),
            Self::TooLong => ("FieldValueTooLong", "Too long"),
            Self::TooMany => ("FieldValueTooMany", "Too many"),
            Self::TypeInvalid => ("FieldValueTypeInvalid", "Invalid value"),
            Self::InternalError => ("InternalError", "Internal error"),
        }
    }
}

/// One thing that is wrong with one field. It displays as `metadata.name: Invalid value: "A": why`.
#[derive(Clone, Debug, PartialEq)]
pub struct Error {
    /// The kind of the error.
    pub kind: ErrorKind,
    /// The field: a printed [`Path`].
    pub field: String,
    /// The value that is wrong. `None` leaves it out of the message.
    pub bad_value: Option<Value>,
    /// Why; may be empty.
    pub detail: String,
}

impl Error {
    /// The value is malformed.
    pub fn invalid(place: impl Place, value: impl Into<Value>, detail: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, place, Some(value.into()), detail)
    }

    /// The value is missing or empty.
    pub fn required(place: impl Place, detail: impl Into<String>) -> Self {
        Self::new(ErrorKind::Required, place, None, detail)
    }

    /// The value may not be there.
    pub fn forbidden(place: impl Place, detail: impl Into<String>) -> Self {
        Self::new(ErrorKind::Forbidden, place, None, detail)
    }

    /// The value must be unique and is not.
    pub fn duplicate(place: impl Place, value: impl Into<Value>) -> Self {
        Self::new(ErrorKind::Duplicate, place, Some(value.into()), "")
    }

    /// Makes the error that the value refers to something that does not exist.
    pub fn not_found(place: impl Place, value: impl Into<Value>) -> Self {
        Self::new(ErrorKind::NotFound, place, Some(value.into()), "")
    }

    /// The value is none of `supported`, which the message lists in the given order.
    pub fn not_supported(place: impl Place, value: impl Into<Value>, supported: &[&str]) -> Self {
        let list: Vec<String> = supported.iter().map(|value| quote(value)).collect();
        let detail =
            if list.is_empty() { String::new() } else { format!("supported values: {}", list.join(", ")) };
        Self::new(ErrorKind::NotSupported, place, Some(value.into()), detail)
    }

    /// The value has more than `max` bytes.
    pub fn too_long(place: impl Place, max: usize) -> Self {
        Self::new(ErrorKind::TooLong, place, None, format!("may not be more than {max} bytes"))
    }

    /// The list has `actual` items, more than `max`.
    pub fn too_many(place: impl Place, actual: usize, max: usize) -> Self {
        Self::new(
            ErrorKind::TooMany,
            place,
            Some(actual.into()),
            format!("must have at most {max} item{}", if max == 1 { "" } else { "s" }),
        )
    }

    /// The value has another type than the schema says.
    pub fn type_invalid(place: impl Place, value: impl Into<Value>, detail: impl Into<String>) -> Self {
        Self::new(ErrorKind::TypeInvalid, place, Some(value.into()), detail)
    }

    /// The validation failed for a reason that is not the client's.
    pub fn internal(place: impl Place, detail: impl Into<String>) -> Self {
        Self::new(ErrorKind::InternalError, place, None, detail)
    }

    fn new(kind: ErrorKind, place: impl Place, bad_value: Option<Value>, detail: impl Into<String>) -> Self {
        Self { kind, field: place.text(), bad_value, detail: detail.into() }
    }

    /// The `reason` of the cause.
    pub fn reason(&self) -> &'static str {
        self.kind.reason()
    }

    /// The `message` of the cause: the error without its field.
    pub fn message(&self) -> String {
        let mut text = self.kind.title().to_owned();
        if let Some(value) = &self.bad_value {
            text.push_str(": ");
            text.push_str(&go_value(value));
        }
        if !self.detail.is_empty() {
            text.push_str(": ");
            text.push_str(&self.detail);
        }
        text
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message())
    }
}

impl std::error::Error for Error {}

/// How many errors may show a value of so many bytes each: what shows itself once for each of its parts would be as long
/// as its square.
pub fn most_that_show(size: usize) -> usize {
    const SHOWN: usize = 1 << 20;
    (SHOWN / size.max(1)).max(1)
}

/// How many errors are told of one object. A list of them ends with one more, which says that there are others.
pub const MOST_ERRORS: usize = 10_000;

/// All `errors` in one line, as a Status' message has them: one stands alone, several in brackets; what reads the
/// same is said once.
pub fn aggregate(errors: &[Error]) -> String {
    let all: Vec<String> = errors.iter().map(Error::to_string).collect();
    let mut said = HashSet::with_capacity(all.len());
    let texts: Vec<&str> = all.iter().map(String::as_str).filter(|text| said.insert(*text)).collect();
    match texts.as_slice() {
        [one] => (*one).to_owned(),
        _ => format!("[{}]", texts.join(", ")),
    }
}

/// A value as Go prints it: strings quoted, numbers and booleans bare, the rest as JSON with `<`, `>` and `&` escaped.
fn go_value(value: &Value) -> String {
    match value {
        Value::String(text) => quote(text),
        Value::Array(_) | Value::Object(_) => {
            String::from_utf8_lossy(&codec::json::to_vec(value)).into_owned()
        }
        Value::Number(number) if number.is_f64() => schema::go::show(value),
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check(error: &Error, text: &str) {
        assert_eq!(error.to_string(), text);
    }

    fn path() -> Path {
        Path::new("spec").child("containers").index(0).child("name")
    }

    #[test]
    fn errors_read_as_in_go() {
        let at = path();
        check(
            &Error::invalid(&at, "A\n\"", "why"),
            r#"spec.containers[0].name: Invalid value: "A\n\"": why"#,
        );
        check(&Error::invalid(&at, -1, "why"), "spec.containers[0].name: Invalid value: -1: why");
        check(&Error::invalid(&at, 0.0, "why"), "spec.containers[0].name: Invalid value: 0: why");
        check(&Error::invalid(&at, Value::Null, "why"), "spec.containers[0].name: Invalid value: null: why");
        check(&Error::invalid(&at, true, "why"), "spec.containers[0].name: Invalid value: true: why");
        check(
            &Error::invalid(&at, json!({"b": "<", "a": [1]}), ""),
            r#"spec.containers[0].name: Invalid value: {"b":"\u003c","a":[1]}"#,
        );
        check(
            &Error::not_supported(&at, "x", &["b", "a"]),
            r#"spec.containers[0].name: Unsupported value: "x": supported values: "b", "a""#,
        );
        check(&Error::required(&at, ""), "spec.containers[0].name: Required value");
        check(&Error::required(&at, "why"), "spec.containers[0].name: Required value: why");
        check(&Error::forbidden(&at, "why"), "spec.containers[0].name: Forbidden: why");
        check(&Error::duplicate(&at, "x"), r#"spec.containers[0].name: Duplicate value: "x""#);
        check(&Error::not_found(&at, "x"), r#"spec.containers[0].name: Not found: "x""#);
        check(&Error::too_long(&at, 63), "spec.containers[0].name: Too long: may not be more than 63 bytes");
        check(&Error::too_many(&at, 3, 2), "spec.containers[0].name: Too many: 3: must have at most 2 items");
        check(&Error::invalid(Path::default(), "x", "why"), r#"<nil>: Invalid value: "x": why"#);
    }

    #[test]
    fn paths_print_with_dots_and_brackets() {
        assert_eq!(
            Path::new("metadata").child("annotations").key("a.io/b").to_string(),
            "metadata.annotations[a.io/b]"
        );
        assert_eq!(Path::default().child("a").index(2).to_string(), "a[2]");
    }

    #[test]
    fn an_aggregate_says_nothing_twice() {
        let (a, b) = (Error::required(Path::new("a"), ""), Error::required(Path::new("b"), ""));
        assert_eq!(aggregate(std::slice::from_ref(&a)), "a: Required value");
        assert_eq!(aggregate(&[a.clone(), a.clone()]), "a: Required value");
        assert_eq!(aggregate(&[a.clone(), b, a]), "[a: Required value, b: Required value]");
    }
}
