//! The Learn view: documents whose examples run where they stand, each in a cluster of its own.
//!
//! A document has an address ([`address`]); the page that is opened there begins without a cluster, and the view starts one for it.
//! The crate `document` has what a document is and how it runs.

mod block;
pub(crate) mod chunk;
mod file;
mod finish;
mod host;
pub(crate) mod lesson;
mod lessons;
mod link;
mod outcome;
pub(crate) mod present;
pub(crate) mod reader;
pub(crate) mod running;
pub(crate) mod shelf;
pub(crate) mod source;
pub(crate) mod step;
pub(crate) mod view;
pub(crate) mod written;
