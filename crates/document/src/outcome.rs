//! The outcome of a block that was run: what was sent, what came, and how that differs from what is documented.

use bytes::Bytes;

use crate::compare::Difference;
use crate::message::{Request, Response};
use crate::names::Named;

/// A request that was sent, and what came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// The request.
    pub request: Request,
    /// The response.
    pub response: Response,
    /// The body of the response; of a stream the events so far.
    pub body: Vec<Bytes>,
    /// The notes about it.
    pub notes: Vec<Note>,
    /// The differences to what is documented.
    pub differences: Vec<Difference>,
    /// True if the response is documented.
    pub documented: bool,
}

/// Something that is to be said of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The body is an example.
    Filled,
    /// The body was written in another media type.
    Media(String),
    /// A value took the place of a documented one.
    Named(Named),
    /// A version took the place of a documented one.
    Version(String),
    /// Something was made first.
    Made(String),
    /// Something was done while the watch was open.
    Meanwhile(String),
    /// So many seconds passed.
    Waited(u64),
    /// A header or a parameter was added that the document leaves out.
    Added(String),
}

/// The outcome of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The requests that were sent, in order.
    pub sent: Vec<Sent>,
    /// The text that the commands print; `None` if there are none.
    pub printed: Option<String>,
    /// The differences between that and what is documented.
    pub differences: Vec<Difference>,
    /// The reason why it could not be run to its end.
    pub failed: Option<String>,
}

impl Outcome {
    /// Adds what came of another block, which ran after this one.
    pub fn add(&mut self, other: Self) {
        self.sent.extend(other.sent);
        self.printed = match (self.printed.take(), other.printed) {
            (Some(before), Some(after)) => Some(before + &after),
            (before, after) => before.or(after),
        };
        self.differences.extend(other.differences);
        self.failed = self.failed.take().or(other.failed);
    }

    /// Returns all differences to what is documented.
    pub fn all_differences(&self) -> impl Iterator<Item = &Difference> {
        self.sent.iter().flat_map(|sent| &sent.differences).chain(&self.differences)
    }

    /// Returns whether it could be run, and nothing differs from what is documented.
    pub fn is_as_documented(&self) -> bool {
        self.failed.is_none() && self.all_differences().next().is_none()
    }
}
