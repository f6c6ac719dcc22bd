//! Views of what the page knows that several panes show.

pub(crate) mod separator;
