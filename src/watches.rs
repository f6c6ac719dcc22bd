//! The open watches and what they have brought.

pub(crate) mod copy;
pub(crate) mod strip;
pub(crate) mod view;
mod ways;
