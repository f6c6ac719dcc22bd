//! The log with rails: every write as a row, and beside it the watches that got it.

mod cells;
mod log;
mod opened;
mod row;
mod rows;
mod versions;
pub(crate) mod view;
mod window;
