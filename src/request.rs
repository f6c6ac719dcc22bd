//! Composing a request.

pub(crate) mod command;
pub(crate) mod complete;
pub(crate) mod controls;
pub(crate) mod drafts;
pub(crate) mod editor;
pub(crate) mod form;
pub(crate) mod history;
pub(crate) mod json;
pub(crate) mod params;
pub(crate) mod pasted;
pub(crate) mod presets;
pub(crate) mod sent;
pub(crate) mod tabs;

pub(crate) mod view;

pub(crate) use apimachinery::target;
