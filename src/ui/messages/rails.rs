//! What the log with rails says.
