//! The log with rails: every write as a row, and beside it the watches that got it.

pub(crate) mod cells;
pub(crate) mod diff;
pub(crate) mod difference;
pub(crate) mod lines;
pub(crate) mod opened;
pub(crate) mod ownership;
pub(crate) mod reason;
pub(crate) mod row;
pub(crate) mod rows;
pub(crate) mod tracks;
pub(crate) mod versions;
pub(crate) mod view;
pub(crate) mod window;
