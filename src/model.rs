//! What the page knows, without the page: types and plain functions.

pub(crate) mod change;
pub(crate) mod lab;
pub(crate) mod panes;
pub(crate) mod views;
