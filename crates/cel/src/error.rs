//! Errors of a running program.

/// An error of a running program.
///
/// The texts are those of cel-go. An error of one side of `&&` or `||` is forgotten if the other side decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// An error of the expression, with its text.
    Message(String),
    /// The program has cost more than it may. Nothing absorbs this one.
    Budget,
}

impl Error {
    /// An error with this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self::Message(text.into())
    }

    /// There is no overload of a function for these values.
    pub fn no_such_overload() -> Self {
        Self::new("no such overload")
    }

    /// A map or an object has no such key.
    pub fn no_such_key(key: &str) -> Self {
        Self::Message(["no such key: ", key].concat())
    }

    /// A number is out of bounds.
    pub fn integer_overflow() -> Self {
        Self::new("integer overflow")
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Message(text) => text,
            Self::Budget => "operation cancelled: actual cost limit exceeded",
        })
    }
}

impl std::error::Error for Error {}
