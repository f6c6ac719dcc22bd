//! Why a patch cannot be applied.

use std::fmt::{self, Display, Formatter};

/// How many operations a patch may have.
pub const MAX_OPERATIONS: usize = 10_000;
/// How the text of a test ends that has failed.
pub(crate) const TEST_FAILED: &str = " failed: test failed";

/// Why a patch cannot be applied, by how kube-apiserver answers it. It displays as the message of the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// 400: the patch is not in the form that it should have.
    BadRequest(String),
    /// 413: a JSON Patch has more than [`MAX_OPERATIONS`] operations: this many.
    TooManyOperations(usize),
    /// 422: the patch does not fit the object. What exactly does not fit is not told to the client.
    Unprocessable(String),
    /// 500 without a reason: kube-apiserver did not classify the error.
    Unclassified(String),
}

impl Error {
    /// Reports whether the error is a failed `test` of a JSON Patch.
    pub fn is_failed_test(&self) -> bool {
        matches!(self, Self::Unprocessable(text) if text.ends_with(TEST_FAILED))
    }

    pub(crate) fn bad_request(text: impl Into<String>) -> Self {
        Self::BadRequest(text.into())
    }

    pub(crate) fn unprocessable(text: impl Into<String>) -> Self {
        Self::Unprocessable(text.into())
    }

    pub(crate) fn unclassified(text: impl Into<String>) -> Self {
        Self::Unclassified(text.into())
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadRequest(text) | Self::Unclassified(text) => f.write_str(text),
            Self::TooManyOperations(count) => write!(
                f,
                "Request entity too large: The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {count}"
            ),
            Self::Unprocessable(_) => {
                f.write_str("the server rejected our request due to an error in our request")
            }
        }
    }
}

impl std::error::Error for Error {}
