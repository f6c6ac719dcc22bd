//! The parts of which requests are composed: the form, drafts of bodies, presets, and commands that send the same.

pub(crate) mod command;
mod drafts;
pub(crate) mod form;
pub(crate) mod presets;
pub(crate) mod schema;
pub(crate) mod subject;

/// The collection that is shown first.
pub(crate) const CONFIGMAPS: &str = "/api/v1/namespaces/default/configmaps";
