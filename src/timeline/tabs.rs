//! The places of the tabs beside the ribbon.

/// The place of the log.
pub(crate) const LOG: usize = 0;
/// The place of the requests.
pub(crate) const REQUESTS: usize = 1;
