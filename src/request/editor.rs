//! The body's editor: what may stand in a body, what is wrong with one, and the script that shows both.

pub(crate) mod check;
pub(crate) mod complete;
pub(crate) mod explain;
pub(crate) mod problems;
pub(crate) mod view;
