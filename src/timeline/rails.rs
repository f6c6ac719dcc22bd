//! The log with rails: every write as a row, and beside it the watches that got it.

pub(crate) mod cells;
pub(crate) mod log;
pub(crate) mod opened;
pub(crate) mod row;
pub(crate) mod rows;
pub(crate) mod versions;
pub(crate) mod view;
pub(crate) mod window;
