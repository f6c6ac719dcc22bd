//! The validation of a kind, as a value.

use crate::kind::{Checks, Kind, Pass};
use crate::validation::name::NameRule;

/// The validation of a kind: what [`Kind`] says of it.
#[derive(Clone, Copy)]
pub(crate) struct Validator {
    /// [`Kind::NAME`]
    pub(crate) name: NameRule,
    /// [`Kind::CHECKS_GENERATE_NAME`]
    pub(crate) checks_generate_name: bool,
    /// [`Kind::CHECKS_NEW_METADATA`]
    pub(crate) checks_new_metadata: bool,
    /// [`Kind::UPDATE_PASSES`]
    pub(crate) update_passes: &'static [Pass],
    /// [`Kind::checks`]
    pub(crate) checks: Checks,
}

impl Validator {
    /// Returns the validator of a kind.
    pub(crate) fn of<K: Kind>() -> Self {
        Self {
            name: K::NAME,
            checks_generate_name: K::CHECKS_GENERATE_NAME,
            checks_new_metadata: K::CHECKS_NEW_METADATA,
            update_passes: K::UPDATE_PASSES,
            checks: K::checks(),
        }
    }
}
