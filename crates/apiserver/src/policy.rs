//! Expressions of admission policies: what they may say, and what they say of a request. Functions of JSON; which policies a request
//! concerns, and what becomes of it, is [admission](crate::admission::policy).
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/> and
//! <https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/>.

pub(crate) mod evaluate;
pub(crate) mod expression;
