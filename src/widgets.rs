//! Views of what the page knows that several panes show.

pub(crate) mod cause;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod difference;
pub(crate) mod separator;
pub(crate) mod version;
