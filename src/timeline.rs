//! The live picture: the ribbon of revisions, the log with rails, the waterfall of requests, the state at the
//! cursor and who owns whom there, all over one history.

mod details;
mod owners;
pub(crate) mod past;
mod rails;
mod ribbon;
mod tabs;
pub(crate) mod view;
pub(crate) mod waterfall;
