//! Lists of errors, which grow as an object is looked through.

use json_tree::Value;

use crate::{Error, MOST_ERRORS, Place};

/// A list of what is wrong, to which the constructors of [`Error`] add. Most of what validation finds is said so. A list
/// that has more than [`MOST_ERRORS`] stays as it is.
pub trait AddError {
    /// The value is malformed.
    fn invalid(&mut self, place: impl Place, value: impl Into<Value>, detail: impl Into<String>);
    /// The value is missing or empty.
    fn required(&mut self, place: impl Place, detail: impl Into<String>);
    /// The value may not be there.
    fn forbidden(&mut self, place: impl Place, detail: impl Into<String>);
    /// The value must be unique and is not.
    fn duplicate(&mut self, place: impl Place, value: impl Into<Value>);
    /// Adds the error that the value refers to something that does not exist.
    fn not_found(&mut self, place: impl Place, value: impl Into<Value>);
    /// The value is none of `supported`, which the message lists in the given order.
    fn not_supported(&mut self, place: impl Place, value: impl Into<Value>, supported: &[&str]);
    /// The value has more than `max` bytes.
    fn too_long(&mut self, place: impl Place, max: usize);
    /// The list has `actual` items, more than `max`.
    fn too_many(&mut self, place: impl Place, actual: usize, max: usize);
    /// The value has another type than the schema says.
    fn type_invalid(&mut self, place: impl Place, value: impl Into<Value>, detail: impl Into<String>);
    /// The validation failed for a reason that is not the client's.
    fn internal(&mut self, place: impl Place, detail: impl Into<String>);
}

impl AddError for Vec<Error> {
    fn invalid(&mut self, place: impl Place, value: impl Into<Value>, detail: impl Into<String>) {
        add(self, || Error::invalid(place, value, detail));
    }

    fn required(&mut self, place: impl Place, detail: impl Into<String>) {
        add(self, || Error::required(place, detail));
    }

    fn forbidden(&mut self, place: impl Place, detail: impl Into<String>) {
        add(self, || Error::forbidden(place, detail));
    }

    fn duplicate(&mut self, place: impl Place, value: impl Into<Value>) {
        add(self, || Error::duplicate(place, value));
    }

    fn not_found(&mut self, place: impl Place, value: impl Into<Value>) {
        add(self, || Error::not_found(place, value));
    }

    fn not_supported(&mut self, place: impl Place, value: impl Into<Value>, supported: &[&str]) {
        add(self, || Error::not_supported(place, value, supported));
    }

    fn too_long(&mut self, place: impl Place, max: usize) {
        add(self, || Error::too_long(place, max));
    }

    fn too_many(&mut self, place: impl Place, actual: usize, max: usize) {
        add(self, || Error::too_many(place, actual, max));
    }

    fn type_invalid(&mut self, place: impl Place, value: impl Into<Value>, detail: impl Into<String>) {
        add(self, || Error::type_invalid(place, value, detail));
    }

    fn internal(&mut self, place: impl Place, detail: impl Into<String>) {
        add(self, || Error::internal(place, detail));
    }
}

fn add(errors: &mut Vec<Error>, error: impl FnOnce() -> Error) {
    if errors.len() <= MOST_ERRORS {
        errors.push(error());
    }
}
