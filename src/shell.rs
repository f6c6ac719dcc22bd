//! The frame around the panes: the header, the rail that chooses the view, dialogs and notices.

pub(crate) mod address;
pub(crate) mod crash;
pub(crate) mod engine;
pub(crate) mod header;
pub(crate) mod help;
pub(crate) mod notice;
pub(crate) mod palette;
pub(crate) mod rail;
pub(crate) mod recorded;
