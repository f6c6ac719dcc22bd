//! The open watches and what they have brought.

mod copy;
pub(crate) mod model;
pub(crate) mod view;
