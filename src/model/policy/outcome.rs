//! The outcome of a policy that was tried.

use json_tree::Value;
use protocol::trace::{Considered, Found};

use crate::cluster::Request;
use crate::cluster::status::Status;
use crate::model::change::difference::difference;
use crate::model::change::trial::Trial;
use crate::model::policy::{Kind, steps};

/// The outcome of a policy that was tried.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) kind: Kind,
    /// The response to the policy itself, with its warnings.
    pub(crate) policy: Trial,
    /// Why the binding is refused.
    pub(crate) unbound: Option<Status>,
    /// The request that it was tried against; `None` if it did not come to that.
    pub(crate) request: Option<Request>,
    /// The request that its constraints suggest.
    pub(crate) example: Option<Request>,
    /// The revision of the cluster that the request was sent to.
    pub(crate) at: u64,
    /// The response to the request without the policy, and with it.
    pub(crate) without: Trial,
    pub(crate) with: Trial,
    /// The records of how the policy was considered.
    pub(crate) considered: Vec<Considered>,
    /// True if any bindings of the policy are stored.
    pub(crate) stored: bool,
    /// The bindings that it was tried with, as they were put in.
    pub(crate) bindings: Vec<Value>,
    /// The names of the objects that could be its parameters; `None` if it has none.
    pub(crate) params: Option<Vec<String>>,
    /// That of those that it was tried with; empty for none.
    pub(crate) chosen: String,
}

/// The first thing to say of the outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The policy is not one.
    Refused,
    /// The binding is not one.
    Unbound,
    /// There is no request to try it against.
    Nothing,
    /// The request fails by itself.
    Failed,
    /// No policy is asked about such requests.
    Unasked,
    /// The policy is not for this request.
    Unmatched,
    /// It denies the request, or keeps it from being done.
    Denied,
    /// Something is not as it should be, but the binding does not deny.
    Noted,
    /// It changes what was sent.
    Changed,
    /// It lets the request pass as it is.
    Passed,
}

impl Outcome {
    /// Returns the first thing to say of the outcome.
    pub(crate) fn verdict(&self) -> Verdict {
        let fails = [&self.without, &self.with].map(|trial| trial.failure.is_some());
        if self.policy.failure.is_some() {
            Verdict::Refused
        } else if self.unbound.is_some() {
            Verdict::Unbound
        } else if self.request.is_none() {
            Verdict::Nothing
        } else if fails[1] && (fails[0] || self.considered.is_empty()) {
            Verdict::Failed
        } else if fails[1] {
            Verdict::Denied
        } else if self.considered.is_empty() {
            Verdict::Unasked
        } else if self.considered.iter().all(is_unmatched) {
            Verdict::Unmatched
        } else if self.changes() > 0 {
            Verdict::Changed
        } else if self.considered.iter().any(steps::complains) {
            Verdict::Noted
        } else {
            Verdict::Passed
        }
    }

    /// The status code that tells of it.
    pub(crate) fn code(&self) -> u16 {
        if self.policy.failure.is_some() { self.policy.code } else { self.with.code }
    }

    /// How many fields are another way because of the policy.
    pub(crate) fn changes(&self) -> usize {
        match self.kind {
            Kind::Validating => 0,
            Kind::Mutating => difference(&self.with.before, &self.with.after).fields.len(),
        }
    }
}

/// Reports whether the policy is not for the request, by its constraints, its conditions or its missing parameters.
fn is_unmatched(considered: &Considered) -> bool {
    match &considered.found {
        Found::Unmatched(_) | Found::NoParams => true,
        Found::Unusable(_) => false,
        Found::Asked(steps) => {
            steps.iter().any(|step| step.list == "matchConditions" && step.value == "false")
        }
    }
}
