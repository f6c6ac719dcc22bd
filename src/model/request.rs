//! What requests are composed of: the form, drafts of bodies, presets, and commands that send the same.

pub(crate) mod command;
pub(crate) mod drafts;
pub(crate) mod form;
pub(crate) mod presets;
pub(crate) mod schema;
pub(crate) mod subject;
