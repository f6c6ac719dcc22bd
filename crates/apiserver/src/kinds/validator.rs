//! The validation of a kind, as a value.

use json_tree::Value;

use crate::kind::{Kind, Pass, ValidateUpdate};
use crate::validation::name::NameRule;
use field::Error;

type Validate = fn(&Value) -> Vec<Error>;

/// The validation of a kind: the functions and constants of [`Kind`] that say how.
#[derive(Clone, Copy)]
pub(crate) struct Validator {
    /// [`Kind::NAME`]
    pub(crate) name: NameRule,
    /// [`Kind::CHECKS_GENERATE_NAME`]
    pub(crate) checks_generate_name: bool,
    /// [`Kind::UPDATE_PASSES`]
    pub(crate) update_passes: &'static [Pass],
    /// [`Kind::validate`]
    pub(crate) validate: Validate,
    /// [`Kind::validate_new`]
    pub(crate) validate_new: Validate,
    /// [`Kind::validate_update`]
    pub(crate) validate_update: ValidateUpdate,
    /// [`Kind::validate_part`]
    pub(crate) validate_part: fn(&str) -> Option<ValidateUpdate>,
    /// [`Kind::warn`]
    pub(crate) warn: fn(&Value, Option<&Value>) -> Vec<String>,
    /// [`Kind::warn_of_status`]
    pub(crate) warn_of_status: fn(&Value) -> Vec<String>,
}

impl Validator {
    /// Returns the validator of a kind.
    pub(crate) fn of<K: Kind>() -> Self {
        Self {
            name: K::NAME,
            checks_generate_name: K::CHECKS_GENERATE_NAME,
            update_passes: K::UPDATE_PASSES,
            validate: K::validate,
            validate_new: K::validate_new,
            validate_update: K::validate_update,
            validate_part: K::validate_part,
            warn: K::warn,
            warn_of_status: K::warn_of_status,
        }
    }

    /// Returns the validator of a kind that has no checks of its own, such as a custom resource.
    pub(crate) fn plain() -> Self {
        struct Plain;
        impl Kind for Plain {
            const GROUP: &'static str = "";
            const RESOURCE: &'static str = "";
        }
        Self::of::<Plain>()
    }
}
