//! What stands around the panes.

pub(crate) mod rail;
