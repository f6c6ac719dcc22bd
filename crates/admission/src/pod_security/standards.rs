//! The Pod Security Standards: levels, policies, and violations of them.
//!
//! <https://kubernetes.io/docs/concepts/security/pod-security-standards/>

use json_tree::Value;

/// How safe a pod has to be, the least first.
pub(super) const LEVELS: [&str; 3] = ["privileged", "baseline", "restricted"];

/// The lists of containers, in the order in which they are looked at.
pub(super) const LISTS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

/// A level, and the minor version of Kubernetes whose idea of it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// 0 is privileged, 1 baseline, 2 restricted.
    pub level: usize,
    /// The minor version; `None` is the latest.
    pub minor: Option<u32>,
}

/// Looks for what a pod, of this metadata and spec, does that a policy does not allow.
pub type Look = fn(Policy, &Value, &Value) -> Vec<Violation>;

impl Policy {
    /// As it is written: `baseline:v1.30`.
    pub fn show(self) -> String {
        let level = LEVELS.get(self.level).copied().unwrap_or_default();
        match self.minor {
            Some(minor) => format!("{level}:v1.{minor}"),
            None => format!("{level}:latest"),
        }
    }
}

/// A violation of the Pod Security Standards by a pod.
pub struct Violation {
    /// The reason in short.
    pub reason: String,
    /// The details; may be empty.
    pub detail: String,
}

impl Violation {
    /// A pod of which nobody can say whether it is safe is not.
    pub fn unknown(why: String) -> Self {
        Self { reason: why, detail: String::new() }
    }
}
