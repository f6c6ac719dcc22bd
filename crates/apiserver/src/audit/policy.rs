//! Audit policies: which requests are logged, and how much of each.
//!
//! <https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/#audit-policy>

mod read;
mod rule;
#[cfg(test)]
mod tests;
mod validate;

use apimachinery::Attributes;
use json_tree::Value;

use crate::audit_context::Level;
use apimachinery::User;
use rule::Rule;

/// The stages of a request at which its event is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// It has come.
    RequestReceived,
    /// The head of the response is sent, and the rest takes long.
    ResponseStarted,
    /// The response is sent.
    ResponseComplete,
    /// The server has failed.
    Panic,
}

impl Stage {
    /// All of them, in the order in which errors tell them.
    const ALL: [Self; 4] =
        [Self::RequestReceived, Self::ResponseStarted, Self::ResponseComplete, Self::Panic];

    /// Returns the name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::RequestReceived => "RequestReceived",
            Self::ResponseStarted => "ResponseStarted",
            Self::ResponseComplete => "ResponseComplete",
            Self::Panic => "Panic",
        }
    }

    fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| stage.name() == name)
    }
}

impl Level {
    /// All of them, in the order in which errors tell them.
    const ALL: [Self; 4] = [Self::None, Self::Metadata, Self::Request, Self::RequestResponse];

    /// Returns the name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Metadata => "Metadata",
            Self::Request => "Request",
            Self::RequestResponse => "RequestResponse",
        }
    }

    fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}

/// An audit policy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditPolicy {
    rules: Vec<Rule>,
}

/// The treatment of one request by a policy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) level: Level,
    /// The stages at which nothing is logged.
    pub(super) omitted: Vec<Stage>,
    /// True if the entries of field management are left out of objects.
    pub(super) omits_managed_fields: bool,
}

impl AuditPolicy {
    /// Returns what the first rule says that is for a request of this user, if anybody is known to have sent it. Without one nothing is
    /// logged.
    pub(super) fn evaluate(&self, user: Option<&User>, attributes: &Attributes) -> Verdict {
        let rule = self.rules.iter().find(|rule| rule.matches(user, attributes));
        rule.map(|rule| rule.verdict.clone()).unwrap_or_default()
    }
}

/// Returns the items of a list.
fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Returns the texts in a list.
fn texts(value: &Value) -> Vec<String> {
    list(value).map(|text| text.as_str().unwrap_or_default().to_owned()).collect()
}
