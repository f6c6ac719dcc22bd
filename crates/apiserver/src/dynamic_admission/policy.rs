//! Admission by policies, which are objects: expressions that say what may be written, or what is to be changed of it.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/> and
//! <https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/>.

mod audit;
mod explain;
mod hook;
mod mutating;
mod request;
mod snapshot;
mod validating;

use store::KeyRange;

use crate::storage::Storage;

pub(crate) use mutating::Form;
pub(super) use mutating::{MUTATING, changed_by};
pub(super) use request::Request;
pub(crate) use request::{Attributes, Operation, Payload, as_question, as_stored};
pub(super) use snapshot::{Hook, Snapshot};

/// Returns whether any admission policy is bound. Where none is, nothing is asked of any.
pub(crate) fn are_bound(storage: &Storage) -> bool {
    let bindings = [validating::VALIDATING[1], MUTATING[1]];
    bindings.iter().any(|prefix| storage.store.range(&KeyRange::prefix(prefix)).next().is_some())
}

#[cfg(test)]
mod tests;
