//! What the ribbon says.
