//! Errors.

use std::io;

/// Boxes an error of somebody else.
pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The reason why something cannot be done to a cluster.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system gives no random bytes, of which uids are made. With a seed there is no need of them.
    #[error("the operating system gives no random bytes: {0}")]
    Random(#[source] io::Error),
    /// The clock goes by itself, and cannot be advanced.
    #[error("the clock goes by itself: only a cluster that was built with a ManualClock can be advanced")]
    ClockNotManual,
    /// No resource of that name is served.
    #[error("no resource {0:?} is served: names are plural, with their group, such as \"deployments.apps\"")]
    UnknownResource(String),
    /// A name, a token or a User-Agent has characters that no header can carry.
    #[error("{0:?} has characters that no header can carry")]
    Header(String),
    /// There is no such controller.
    #[error("{0}")]
    Controllers(String),
    /// A document of a manifest cannot be read.
    #[error("document {document} of the manifest: {message}")]
    Manifest {
        /// The number of the document in the manifest; the first is 1.
        document: usize,
        /// The reason.
        message: String,
    },
    /// The API server refuses an object of a manifest.
    #[error("{method} {path}: {code}: {message}")]
    Refused {
        /// The method of the request.
        method: String,
        /// The path of the request.
        path: String,
        /// The status code of the response.
        code: u16,
        /// The message of the response.
        message: String,
    },
    /// An object is not what it is to be read as.
    #[error("an object of {resource} cannot be read: {source}")]
    Object {
        /// The resource.
        resource: String,
        /// The reason.
        source: serde_json::Error,
    },
    /// A request of a manifest has no response.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The address cannot be listened on.
    #[cfg(feature = "serve")]
    #[error("cannot serve: {0}")]
    Serve(#[source] BoxError),
}

/// The reason why a request has no response.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The connection broke before there was a response: [`Fault::Cut`](crate::Fault::Cut) does that.
    #[error("the connection was closed before there was a response")]
    Cut,
    /// The body of the request could not be read.
    #[error("the body of the request cannot be read: {0}")]
    Body(#[source] BoxError),
}
