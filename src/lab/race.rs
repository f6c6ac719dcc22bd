//! The race of two clients, played and shown.

pub(crate) mod run;
pub(crate) mod view;
