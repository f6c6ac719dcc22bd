//! Composing a request.

pub(crate) mod chunk;
mod complete;
mod controls;
mod editor;
mod json;
mod params;
pub(crate) mod pasted;
pub(crate) mod sent;
pub(crate) mod tabs;
pub(crate) mod view;
