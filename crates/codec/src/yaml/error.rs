//! Go's errors for a document that is not YAML, or that JSON cannot express.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};

/// Why a document cannot be read or a value not be written, in the words of go-yaml v2 and `encoding/json`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    package: &'static str,
    line: Option<usize>,
    problem: Cow<'static, str>,
}

impl Error {
    /// The line that the message names. Go counts from one what its scanner finds, and from zero what its
    /// parser finds; it names no line zero, nor the first line where it counts from one.
    pub fn line(&self) -> Option<usize> {
        self.line
    }

    pub(super) fn new(problem: impl Into<Cow<'static, str>>) -> Self {
        Self { package: "yaml", line: None, problem: problem.into() }
    }

    /// Makes an error of the scanner on a line, counted from zero.
    pub(super) fn scanner(line: usize, problem: &'static str) -> Self {
        Self { line: (line > 0).then_some(line + 1), ..Self::new(problem) }
    }

    /// Makes an error of the parser on a line, counted from zero.
    pub(super) fn parser(line: usize, problem: &'static str) -> Self {
        Self { line: (line > 0).then_some(line), ..Self::new(problem) }
    }

    pub(super) fn unsupported_value(value: &'static str) -> Self {
        Self { package: "json", ..Self::new(format!("unsupported value: {value}")) }
    }

    pub(super) fn unsupported_key(problem: String) -> Self {
        Self { package: "", ..Self::new(problem) }
    }

    pub(super) fn control_character() -> Self {
        Self::new("control characters are not allowed")
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.package.is_empty() {
            write!(f, "{}: ", self.package)?;
        }
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.problem)
    }
}

impl std::error::Error for Error {}
