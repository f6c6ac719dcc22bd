//! Applying manifests of several documents: their files, and what comes of each object.

pub(crate) mod files;
pub(crate) mod run;
pub(crate) mod view;
