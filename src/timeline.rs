//! The revision ribbon: every write in revision order, and the watches beneath.

pub(crate) mod log;
pub(crate) mod ribbon;
pub(crate) mod view;
