//! The cluster of this tab as a thing to keep, to go back with, to export and to share: the dialog about it.

pub(crate) mod export;
pub(crate) mod view;
