//! The live picture: the ribbon of revisions, the log with rails, the waterfall of requests, and the state at the
//! cursor, all over one history.

pub(crate) mod details;
pub(crate) mod past;
pub(crate) mod rails;
pub(crate) mod ribbon;
mod tabs;
pub(crate) mod view;
pub(crate) mod waterfall;
