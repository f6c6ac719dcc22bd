//! Composing a request.

pub(crate) mod chunk;
pub(crate) mod complete;
pub(crate) mod controls;
pub(crate) mod editor;
pub(crate) mod json;
pub(crate) mod params;
pub(crate) mod pasted;
pub(crate) mod sent;
pub(crate) mod tabs;

pub(crate) mod view;
