//! The errors of Protobuf that cannot be read, in the words of Go's generated code.

use std::fmt::{self, Display, Formatter};

/// Why some bytes are not the message that they should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// There are no bytes at all.
    Empty,
    /// The bytes do not begin with [`super::PREFIX`].
    Prefix,
    /// Nothing follows the prefix.
    EmptyBody,
    /// The bytes end too early.
    End,
    /// A number has more than 64 bits.
    Overflow,
    /// A length is more than Go can count.
    Length,
    /// A group ends that has not begun.
    EndOfGroup,
    /// Messages stand in one another too deeply.
    Depth,
    /// A wire type that there is not.
    IllegalWireType(u8),
    /// A field of a message has another wire type than it should have.
    WrongWireType {
        /// The wire type.
        wire_type: u8,
        /// The field's name in Go.
        field: String,
    },
    /// A field's number is none, or its wire type the end of a group.
    IllegalTag {
        /// The message's name in Go.
        message: String,
        /// The number.
        number: i32,
        /// The wire type.
        wire_type: u8,
    },
    /// An error in the content of a field.
    Content(String),
}

impl Display for Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("empty data"),
            Self::Prefix => f.write_str(
                "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
            ),
            Self::EmptyBody => f.write_str("empty body"),
            Self::End => f.write_str("unexpected EOF"),
            Self::Overflow => f.write_str("proto: integer overflow"),
            Self::Length => f.write_str("proto: negative length found during unmarshaling"),
            Self::EndOfGroup => f.write_str("proto: unexpected end of group"),
            Self::Depth => f.write_str("exceeded max depth"),
            Self::IllegalWireType(wire_type) => write!(f, "proto: illegal wireType {wire_type}"),
            Self::WrongWireType { wire_type, field } => {
                write!(f, "proto: wrong wireType = {wire_type} for field {field}")
            }
            Self::IllegalTag { message, wire_type: 4, .. } => {
                write!(f, "proto: {message}: wiretype end group for non-group")
            }
            Self::IllegalTag { message, number, wire_type } => {
                write!(f, "proto: {message}: illegal tag {number} (wire type {wire_type})")
            }
            Self::Content(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {}

impl From<schema::decode::Full> for Error {
    fn from(full: schema::decode::Full) -> Self {
        Self::Content(full.to_string())
    }
}
