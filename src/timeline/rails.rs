//! The log with rails: every write as a row, and beside it the watches that got it.

pub(crate) mod diff;
pub(crate) mod lines;
pub(crate) mod ownership;
pub(crate) mod rows;
pub(crate) mod tracks;
pub(crate) mod view;
pub(crate) mod window;
