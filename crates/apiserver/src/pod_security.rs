//! The Pod Security Standards: levels, and what a pod does that one of them does not allow.
//!
//! <https://kubernetes.io/docs/concepts/security/pod-security-standards/>

pub(crate) mod standards;

use json_tree::Value;

/// How safe a pod has to be, the least first.
pub(crate) const LEVELS: [&str; 3] = ["privileged", "baseline", "restricted"];

/// The lists of containers, in the order in which they are looked at.
pub(crate) const LISTS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

/// A level, and the minor version of Kubernetes whose idea of it counts; `None` is the latest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Policy {
    /// An index into [`LEVELS`].
    pub(crate) level: usize,
    pub(crate) minor: Option<u32>,
}

/// Looks for what a pod, of this metadata and spec, does that a policy does not allow.
pub(crate) type Look = fn(Policy, &Value, &Value) -> Vec<Violation>;

impl Policy {
    /// As it is written: `baseline:v1.30`.
    pub(crate) fn show(self) -> String {
        let level = LEVELS.get(self.level).copied().unwrap_or_default();
        match self.minor {
            Some(minor) => format!("{level}:v1.{minor}"),
            None => format!("{level}:latest"),
        }
    }
}

/// A violation of the Pod Security Standards by a pod: why in short, and the details.
pub(crate) struct Violation {
    pub(crate) reason: String,
    pub(crate) detail: String,
}

impl Violation {
    /// A pod of which nobody can say whether it is safe is not.
    pub(crate) fn unknown(why: String) -> Self {
        Self { reason: why, detail: String::new() }
    }
}
