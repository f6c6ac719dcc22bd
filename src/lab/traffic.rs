//! Traffic, made and shown.

pub(crate) mod run;
pub(crate) mod view;
