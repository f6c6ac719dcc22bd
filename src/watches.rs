//! The open watches and what they have brought.

pub(crate) mod copy;
mod event;
pub(crate) mod model;
pub(crate) mod strip;
pub(crate) mod view;
mod ways;
