//! Changes that have not been made.

pub(crate) mod trial;
