//! The rows of tables, as the printers of all kinds make them of objects.

pub(crate) mod cells;
pub mod duration;
pub mod row;
pub(crate) mod selector;
