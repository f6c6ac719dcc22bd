//! The outcome of a validation.

use field::Error;

/// The errors of a value, and how many checks it went through.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) errors: Vec<Error>,
    /// Of several schemas of which none fits, the one with the most passed checks tells its errors.
    pub(super) passed: usize,
}

impl Outcome {
    pub(super) fn add(&mut self, error: Error) {
        self.errors.push(error);
    }

    pub(super) fn count(&mut self) {
        self.passed += 1;
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.errors.extend(other.errors);
        self.passed += other.passed;
    }

    pub(super) fn is_valid(&self) -> bool {
        self.errors.is_empty()
    }
}
