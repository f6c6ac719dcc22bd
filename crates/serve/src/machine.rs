//! How many files the machine lets us open.

/// How many files the process may have open, once it has asked for as many as it can get.
pub(crate) fn open_files() -> u64 {
    // Where that is not known, the system's usual number is.
    rlimit::increase_nofile_limit(u64::MAX).unwrap_or(256)
}
