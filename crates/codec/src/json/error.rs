//! The errors of Go's scanner for a document that is not JSON.

use std::fmt::{self, Display, Formatter};

/// Why some bytes are not JSON, in the words of Go's scanner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// How many bytes were read before the error showed, the offending one included.
    pub offset: usize,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    End,
    Byte { byte: u8, context: &'static str },
}

impl SyntaxError {
    pub(super) fn end(offset: usize) -> Self {
        Self { offset, kind: Kind::End }
    }

    /// The byte at `at` cannot stand there: `context` says where that is. Where the document ends within
    /// a word, a number or an escape, Go complains about a space that would be next.
    pub(super) fn byte(bytes: &[u8], at: usize, context: &'static str) -> Self {
        match bytes.get(at) {
            Some(&byte) => Self { offset: at + 1, kind: Kind::Byte { byte, context } },
            None => Self { offset: bytes.len(), kind: Kind::Byte { byte: b' ', context } },
        }
    }
}

impl Display for SyntaxError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::End => f.write_str("unexpected end of JSON input"),
            Kind::Byte { byte, context } => write!(f, "invalid character {} {context}", Quoted(byte)),
        }
    }
}

impl std::error::Error for SyntaxError {}

/// A byte as a Go character literal. A byte outside ASCII is taken for the code point of that number.
struct Quoted(u8);

impl Display for Quoted {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let byte = self.0;
        match byte {
            b'\'' => f.write_str(r"'\''"),
            b'\\' => f.write_str(r"'\\'"),
            0x07 => f.write_str(r"'\a'"),
            0x08 => f.write_str(r"'\b'"),
            0x0b => f.write_str(r"'\v'"),
            0x0c => f.write_str(r"'\f'"),
            b'\n' => f.write_str(r"'\n'"),
            b'\r' => f.write_str(r"'\r'"),
            b'\t' => f.write_str(r"'\t'"),
            0..=0x1f | 0x7f => write!(f, r"'\x{byte:02x}'"),
            // C1 controls, the no-break space and the soft hyphen do not print.
            0x80..=0xa0 | 0xad => write!(f, r"'\u{byte:04x}'"),
            _ => write!(f, "'{}'", char::from(byte)),
        }
    }
}
