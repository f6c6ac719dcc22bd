//! The view of an admission policy that is tried.

pub(crate) mod view;
