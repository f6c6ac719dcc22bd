//! Changing objects: what a dry run would change, who owns which field, and how an object goes away.

pub(crate) mod going;
pub(crate) mod owned;
pub(crate) mod trial;
