//! Admission by policies, which are objects: expressions that say what may be written, or what is to be changed of it.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/> and
//! <https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/>.

pub(crate) mod evaluate;
mod explain;
pub(crate) mod expression;
mod mutating;
mod request;
mod validating;

pub(crate) use request::{Asked, Operation, Sent, as_question, as_stored};
