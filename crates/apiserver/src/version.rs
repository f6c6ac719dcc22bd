//! The version of kube-apiserver whose responses these are.

/// The major version.
pub(crate) const MAJOR: &str = "1";
/// The minor version.
pub(crate) const MINOR: &str = "36";
/// The name of the version.
pub(crate) const GIT_VERSION: &str = concat!("v1.36.0+kubeglass-", env!("CARGO_PKG_VERSION"));
