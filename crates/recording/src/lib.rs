//! Recordings: files that keep the [trace](protocol::trace) of a run, to be taken away, printed, and looked at in the page.
//!
//! A [`Writer`] makes one of the batches of a trace. [`Recording::open`] reads where its blocks are, which takes no longer where
//! there is more in them, and gives the batches from any time or revision on. [`Text`] prints them. Nothing here reads or
//! writes files, or looks at a clock. `docs/recording.md` describes the format.
#![deny(missing_docs)]

mod block;
mod delta;
mod entry;
mod error;
mod reader;
mod redact;
mod text;
mod writer;

pub use block::{Block, Kind};
pub use error::{Ending, Error};
pub use reader::{Batches, Recording};
pub use redact::{LEFT_OUT, redact};
pub use text::Text;
pub use writer::{Options, Writer};

/// The version of the format. It changes whenever a reader of before could misread what is written.
pub const VERSION: u16 = 1;

/// The oldest version of the trace that can be read. What has been told since is told by events of their own.
pub const OLDEST_TRACE: u32 = 2;
