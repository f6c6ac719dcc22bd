//! The errors of CBOR that cannot be read, in the words of kube-apiserver's decoder.

use std::fmt::{self, Display, Formatter};

/// Why some bytes are not CBOR, or not what they should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Text(String),
    /// A data item of one kind where Go has a type of another.
    Mismatch {
        kind: &'static str,
        go_type: String,
        /// The outermost struct's field that it is in.
        field: Option<String>,
        detail: String,
    },
    UnknownField(usize),
}

impl Error {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self(Kind::Text(text.into()))
    }

    pub(super) fn end() -> Self {
        Self::text("unexpected EOF")
    }

    /// The data item is well-formed, but Kubernetes has no use for it.
    pub(super) fn unacceptable(kind: &'static str, what: impl Display) -> Self {
        Self::text(format!("cbor: data item of cbor type {kind} is not accepted by protocol: {what}"))
    }

    pub(super) fn mismatch(
        kind: &'static str,
        go_type: impl Into<String>,
        detail: impl Into<String>,
    ) -> Self {
        Self(Kind::Mismatch { kind, go_type: go_type.into(), field: None, detail: detail.into() })
    }

    pub(super) fn duplicate(key: impl Display, index: usize) -> Self {
        Self::text(format!("cbor: found duplicate map key \"{key}\" at map element index {index}"))
    }

    pub(super) fn unknown_field(index: usize) -> Self {
        Self(Kind::UnknownField(index))
    }

    pub(super) fn is_unknown_field(&self) -> bool {
        matches!(self.0, Kind::UnknownField(_))
    }

    /// Says in which field of which struct the mismatch is. Of structs in one another, the outermost is named.
    pub(super) fn in_field(mut self, go_struct: &str, name: &str) -> Self {
        if let Kind::Mismatch { field, .. } = &mut self.0 {
            *field = Some(format!("{go_struct}.{name}"));
        }
        self
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Text(text) => f.write_str(text),
            Kind::UnknownField(index) => {
                write!(f, "cbor: found unknown field at map element index {index}")
            }
            Kind::Mismatch { kind, go_type, field, detail } => {
                write!(f, "cbor: cannot unmarshal {kind} into Go ")?;
                match field {
                    Some(field) => write!(f, "struct field {field} of type {go_type}")?,
                    None => write!(f, "value of type {go_type}")?,
                }
                if detail.is_empty() { Ok(()) } else { write!(f, " ({detail})") }
            }
        }
    }
}

impl std::error::Error for Error {}
