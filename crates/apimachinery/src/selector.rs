//! Label and field selectors: which objects of a collection a list or watch is about.

pub mod field;
pub mod label;

pub use field::FieldSelector;
pub use label::LabelSelector;
