//! Admission policies: what they said of a request, and in a fork everything that became of them.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/>

use serde::{Deserialize, Serialize};

/// What an admission policy said of a request, or did to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// The name of the policy.
    pub policy: String,
    /// The name of its binding; empty, if it is the policy that could not be used.
    pub binding: String,
    /// `Deny`, `Warn`, `Audit`, or `Mutate`.
    pub action: String,
    /// What it said.
    pub message: String,
}

/// What became of an admission policy, by one of its bindings and with one object of parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Considered {
    /// The name of the policy.
    pub policy: String,
    /// Whether it is a MutatingAdmissionPolicy.
    pub mutates: bool,
    /// The name of its binding; empty, if it did not come to that.
    pub binding: String,
    /// The name of the object, as refusals call it.
    pub object: String,
    /// The parameters, as `NAMESPACE/NAME` or `NAME`; empty, if there are none.
    pub params: String,
    /// What was found out.
    pub found: Found,
}

/// How far it came with a policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Found {
    /// The request is none that the policy (or with a name the binding) is for.
    Unmatched(Mismatch),
    /// The policy (or with a name the binding) cannot be used, and why.
    Unusable(String),
    /// The binding names parameters, and there are none, which it allows: nothing was asked.
    NoParams,
    /// It was asked, and this is what its expressions gave, in the order in which they were looked at.
    Asked(Vec<Step>),
}

/// Why constraints do not match.
///
/// <https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-rules>
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mismatch {
    /// The field of theirs: `namespaceSelector`, `objectSelector`, `excludeResourceRules` or `resourceRules`.
    pub field: String,
    /// If it is `resourceRules`: of each rule the first of its fields that does not match, and what the request has there.
    pub rules: Vec<(String, String)>,
}

/// What an expression of a policy gave.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Where in the policy it stands: `matchConditions`, `variables`, `validations`, `messageExpression`,
    /// `auditAnnotations` or `mutations`. Empty, if it is about all of them.
    pub list: String,
    /// Its place there.
    pub index: usize,
    /// Its value as JSON; long ones are cut. Empty, if there is none.
    pub value: String,
    /// What went wrong; empty, if nothing did.
    pub error: String,
    /// What is said of it: why a validation denies.
    pub message: String,
}
