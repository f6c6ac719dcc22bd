//! The cluster that a document runs in, as a host gives it.

use std::time::Duration;

use bytes::Bytes;
use protocol::message::Error;

use crate::message::{Body, Request, Response};

/// The reason why an expression is neither true nor false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evaluation {
    /// It cannot be compiled, whatever the values of the variables are. The text is cel-go's.
    NotValid(String),
    /// The evaluation with these variables has failed: a field is not there, or it costs more than it may. The text is cel-go's.
    Failed(String),
    /// It was not evaluated, for the reason that the text tells. It can be tried again.
    NotEvaluated(String),
}

impl From<Error> for Evaluation {
    fn from(error: Error) -> Self {
        match error {
            Error::Compilation(why) => Self::NotValid(why),
            Error::Evaluation(why) => Self::Failed(why),
            other => Self::NotEvaluated(other.to_string()),
        }
    }
}

/// A cluster in which examples run. Each document has one of its own.
#[expect(async_fn_in_trait, reason = "a document is run by one thread")]
pub trait Server {
    /// Sends a request of the document.
    ///
    /// # Errors
    /// There is no response, for the reason that the text tells.
    async fn send(&self, request: &Request) -> Result<Response, String>;

    /// Sends requests that make what the examples assume, and returns the status and the body of each response. They may be
    /// under way together, as long as each is handled after the one before.
    ///
    /// # Errors
    /// There is no response, for the reason that the text tells.
    async fn arrange(&self, requests: Vec<Request>) -> Result<Vec<(u16, Bytes)>, String>;

    /// Returns the events of a stream so far, when all that is under way has come.
    async fn events(&self, stream: u64) -> Vec<Bytes>;

    /// Lets the cluster's time go on.
    async fn advance(&self, by: Duration);

    /// Returns a document of a media type as JSON.
    ///
    /// # Errors
    /// It cannot be read: the text is the API server's.
    async fn to_json(&self, content_type: &str, document: Bytes) -> Result<Bytes, String>;

    /// Returns a document of JSON in another media type.
    ///
    /// # Errors
    /// It cannot be written: the text is the API server's.
    async fn encode(&self, content_type: &str, json: Bytes) -> Result<Bytes, String>;

    /// Tells whether an expression of CEL is true. `variables` is an object of JSON; each of its fields is a variable of the type
    /// `dyn`.
    ///
    /// # Errors
    /// See [`Evaluation`].
    async fn evaluate(&self, expression: &str, variables: Bytes) -> Result<bool, Evaluation>;

    /// Returns the body of a response, or of a stream its events so far.
    async fn body(&self, response: &Response) -> Vec<Bytes> {
        match &response.body {
            Body::Whole(bytes) => vec![bytes.clone()],
            Body::Stream(stream) => self.events(*stream).await,
        }
    }
}
