//! Admission policies: what they said of a request, and in a fork everything that became of them.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/>

use serde::{Deserialize, Serialize};

/// The judgement of an admission policy on a request: what it said, or changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Judgement {
    /// The name of the policy.
    pub policy: String,
    /// The name of its binding; empty, if it is the policy that could not be used.
    pub binding: String,
    /// `Deny`, `Warn`, `Audit`, or `Mutate`.
    pub action: String,
    /// The text of the judgement.
    pub message: String,
}

/// The course of an admission policy, by one of its bindings and with one object of parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Considered {
    /// The name of the policy.
    pub policy: String,
    /// `true` for a MutatingAdmissionPolicy.
    pub mutates: bool,
    /// The name of its binding; empty, if it did not come to that.
    pub binding: String,
    /// The name of the object, as refusals call it.
    pub object: String,
    /// The parameters, as `NAMESPACE/NAME` or `NAME`; empty, if there are none.
    pub params: String,
    /// The step that it came to.
    pub found: Found,
}

/// The steps that a policy can come to, with what was found out there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
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
#[serde(rename_all = "camelCase")]
pub struct Mismatch {
    /// The field of theirs: `namespaceSelector`, `objectSelector`, `excludeResourceRules` or `resourceRules`.
    pub field: String,
    /// If it is `resourceRules`: of each rule the first of its fields that does not match, and what the request has there.
    pub rules: Vec<(String, String)>,
}

/// The value of an expression of a policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// The list of the policy that it stands in: `matchConditions`, `variables`, `validations`, `messageExpression`,
    /// `auditAnnotations` or `mutations`. Empty, if it is about all of them.
    pub list: String,
    /// The place in that list.
    pub index: usize,
    /// The value as JSON; long ones are cut. Empty, if there is none.
    pub value: String,
    /// The error; empty, if there is none.
    pub error: String,
    /// The message: why a validation denies.
    pub message: String,
}
