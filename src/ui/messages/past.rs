//! What is said of the state at a revision.
