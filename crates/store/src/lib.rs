//! Revisions of keyed values.
#![deny(missing_docs)]
