//! The validation of the objects of a kind.

use json_tree::Value;

use field::Error;

/// Validates an object.
type Validate = fn(&Value) -> Vec<Error>;
/// Validates a change: the new object, then the old one.
type ValidateUpdate = fn(&Value, &Value) -> Vec<Error>;

/// The validation of a change by way of a subresource.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    /// Validates the change.
    pub(crate) validate: ValidateUpdate,
    /// True if the change of the metadata is checked by the rules of the kind too, and not by those for all kinds alone.
    pub(crate) checks_metadata: bool,
}

/// The most subresources of a kind that have checks of their own.
const PARTS: usize = 3;

/// The functions that validate the objects of a kind, and those that warn their writers. They are called through this value,
/// which code makes: as a constant it would be data, and lead to them from wherever kinds are listed.
#[derive(Clone, Copy)]
pub(crate) struct Checks {
    /// Validates an object, new or changed, beyond its metadata.
    pub(crate) validate: Validate,
    /// Validates a name, by more than the rule for names: what is wrong comes right after the errors of that rule.
    pub(crate) name: Validate,
    /// Validates what is asked of new objects only.
    pub(crate) validate_new: Validate,
    /// Validates a change.
    pub(crate) validate_update: ValidateUpdate,
    /// By subresource, for those whose changes are not validated as changes of the object.
    parts: [Option<(&'static str, Part)>; PARTS],
    /// Returns the warnings that a write of a valid object earns, in place of the old one, if there is one.
    pub(crate) warn: fn(&Value, Option<&Value>) -> Vec<String>,
    /// Returns the warnings that a write of the status of an object earns.
    pub(crate) warn_of_status: fn(&Value) -> Vec<String>,
}

impl Checks {
    /// No checks, and no warnings.
    pub(crate) fn none() -> Self {
        Self {
            validate: |_| Vec::new(),
            name: |_| Vec::new(),
            validate_new: |_| Vec::new(),
            validate_update: |_, _| Vec::new(),
            parts: [None; PARTS],
            warn: |_, _| Vec::new(),
            warn_of_status: |_| Vec::new(),
        }
    }

    pub(crate) fn validate(self, validate: Validate) -> Self {
        Self { validate, ..self }
    }

    pub(crate) fn validate_name(self, name: Validate) -> Self {
        Self { name, ..self }
    }

    pub(crate) fn validate_new(self, validate_new: Validate) -> Self {
        Self { validate_new, ..self }
    }

    pub(crate) fn validate_update(self, validate_update: ValidateUpdate) -> Self {
        Self { validate_update, ..self }
    }

    /// Has changes by way of a subresource validated by a function of its own.
    pub(crate) fn validate_part(self, subresource: &'static str, validate: ValidateUpdate) -> Self {
        self.part_of(subresource, Part { validate, checks_metadata: true })
    }

    /// As [`Checks::validate_part`], where the kind has no checks of the metadata.
    pub(crate) fn validate_part_alone(self, subresource: &'static str, validate: ValidateUpdate) -> Self {
        self.part_of(subresource, Part { validate, checks_metadata: false })
    }

    fn part_of(mut self, subresource: &'static str, part: Part) -> Self {
        if let Some(free) = self.parts.iter_mut().find(|part| part.is_none()) {
            *free = Some((subresource, part));
        } else {
            debug_assert!(false, "a kind has more than {PARTS} subresources with checks");
        }
        self
    }

    pub(crate) fn warn(self, warn: fn(&Value, Option<&Value>) -> Vec<String>) -> Self {
        Self { warn, ..self }
    }

    pub(crate) fn warn_of_status(self, warn_of_status: fn(&Value) -> Vec<String>) -> Self {
        Self { warn_of_status, ..self }
    }

    /// Returns what validates a change by way of a subresource; `None`: it is validated as a change of the object.
    pub(crate) fn part(&self, subresource: &str) -> Option<Part> {
        self.parts.iter().flatten().find(|(name, _)| *name == subresource).map(|(_, part)| *part)
    }
}

/// One of the checks that an update goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pass {
    /// The new object, as if it were created.
    Create,
    /// The change.
    Update,
    /// The kind's own checks of the new object, without its metadata.
    Spec,
    /// The metadata of the new object.
    Metadata,
    /// The change of the metadata.
    MetadataUpdate,
    /// The kind's own checks of the change, without the metadata.
    Change,
}

/// The orders of checks that several kinds share.
pub(crate) mod passes {
    use super::Pass::{self, Change, Create, Metadata, Spec, Update};

    pub(crate) const CREATE: &[Pass] = &[Create];
    pub(crate) const UPDATE: &[Pass] = &[Update];
    pub(crate) const UPDATE_CREATE: &[Pass] = &[Update, Create];
    pub(crate) const CREATE_UPDATE: &[Pass] = &[Create, Update];
    pub(crate) const METADATA_UPDATE: &[Pass] = &[Metadata, Update];
    pub(crate) const SPEC: &[Pass] = &[Spec];
    /// The change alone, which looks at the new object again, by what the old one was allowed to be.
    pub(crate) const CHANGE: &[Pass] = &[Metadata, Change];
}
