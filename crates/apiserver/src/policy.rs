//! The evaluation of the expressions of admission policies, as a function of JSON. Which policies concern a
//! request, and what follows from their results, is [admission](crate::dynamic_admission::policy).
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/> and
//! <https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/>.

pub(crate) mod evaluate;
