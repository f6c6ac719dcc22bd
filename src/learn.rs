//! The Learn view: documents whose examples run where they stand, each in a cluster of its own.
//!
//! A document has an address ([`crate::state::address`]). The page that is opened there begins without a cluster, and the view
//! starts one for it.
//! The crate `document` has what a document is and how it runs.

mod block;
pub(crate) mod chunk;
mod file;
mod finish;
mod host;
mod lesson;
mod lessons;
mod link;
mod outcome;
mod play;
mod present;
mod progress;
mod reader;
mod running;
mod shelf;
mod source;
mod step;
pub(crate) mod view;
mod write;
