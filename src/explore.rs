//! The API resources that a cluster serves, as a tree to look around in; and what a definition offers once its kind
//! is served.

pub(crate) mod offer;
pub(crate) mod view;
pub(crate) mod workloads;
