//! The log with rails: every write as a row, and beside it the watches that got it.

pub(crate) mod view;
