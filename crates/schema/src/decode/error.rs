//! The errors of a document that does not decode, and the strict errors of one that does.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};

use golang::strconv::quote;

/// A value that its field cannot take, in the words of Go's decoder.
///
/// kube-apiserver answers 400 with this text after `ConfigMap in version "v1" cannot be handled as a
/// ConfigMap: `.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError(Box<Kind>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// A value of another JSON type, or a number out of range.
    Type { value: Cow<'static, str>, place: Option<Place>, go_type: String },
    /// Any other text, of which Go does not say where it belongs.
    Text(String),
}

/// The place where Go saw a wrong type: the innermost struct, and the path to the field from the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) go_struct: String,
    pub(super) path: String,
}

impl DecodeError {
    /// `value` (`string`, `number 1.5`) cannot be a `go_type`.
    pub(super) fn wrong_type(value: impl Into<Cow<'static, str>>, go_type: impl Into<String>) -> Self {
        Self(Box::new(Kind::Type { value: value.into(), place: None, go_type: go_type.into() }))
    }

    pub(super) fn text(text: impl Into<String>) -> Self {
        Self(Box::new(Kind::Text(text.into())))
    }

    /// The same error with the place in which the outermost decoder saw it, as in Go: the path goes on with that of the decoder
    /// within.
    pub(super) fn at(mut self, outer: Option<Place>) -> Self {
        if let (Kind::Type { place, .. }, Some(mut outer)) = (&mut *self.0, outer) {
            if let Some(inner) = place {
                outer.path.push('.');
                outer.path.push_str(&inner.path);
            }
            *place = Some(outer);
        }
        self
    }
}

impl Display for DecodeError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Kind::Text(text) => f.write_str(text),
            Kind::Type { value, place: Some(Place { go_struct, path }), go_type } => {
                write!(
                    f,
                    "json: cannot unmarshal {value} into Go struct field {go_struct}.{path} of type {go_type}"
                )
            }
            Kind::Type { value, place: None, go_type } => {
                write!(f, "json: cannot unmarshal {value} into Go value of type {go_type}")
            }
        }
    }
}

impl std::error::Error for DecodeError {}

/// A field that decoding had to drop. It is a response's warning or its error, as `fieldValidation` says.
/// See <https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation>.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StrictError {
    /// The type has no field of this name. The text is the path: `spec.containers[0].foo`.
    Unknown(String),
    /// The field stands more than once in its object.
    Duplicate(String),
}

impl StrictError {
    /// The path of the field: `spec.containers[0].foo`.
    pub fn path(&self) -> &str {
        match self {
            Self::Unknown(path) | Self::Duplicate(path) => path,
        }
    }
}

impl Display for StrictError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(path) => write!(f, "unknown field {}", quote(path)),
            Self::Duplicate(path) => write!(f, "duplicate field {}", quote(path)),
        }
    }
}
