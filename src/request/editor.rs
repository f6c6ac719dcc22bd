//! The body's editor: what may stand in a body, what is wrong with one, and the script that shows both.

mod check;
mod complete;
mod explain;
mod problems;
pub(crate) mod view;
