//! JSON as Go reads and writes it.
