//! The cluster as it was at a revision: what is shown of it.

pub(crate) mod view;
