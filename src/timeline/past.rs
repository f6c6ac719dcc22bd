//! The state of the cluster at a revision.

pub(crate) mod view;
