//! Changes that have not been made: what a dry run would change, who owns which field, and how an object goes away.

pub(crate) mod ahead;
pub(crate) mod deletion;
pub(crate) mod difference;
mod extract;
pub(crate) mod merge;
pub(crate) mod patches;
pub(crate) mod trial;
pub(crate) mod walk;
