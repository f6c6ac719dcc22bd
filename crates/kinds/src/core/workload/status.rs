//! The status of workloads, which controllers write.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/>.

use json_tree::Value;

use crate::validation::read::{at, integer};
use field::{AddError, Error, Path};

/// Constraints on the numbers in a status.
pub(crate) struct Rules {
    /// None is negative.
    pub(crate) counts: &'static [&'static str],
    /// None is greater than `replicas`.
    pub(crate) within: &'static [&'static str],
    /// The name of the field that `availableReplicas` cannot be greater than; empty if there is none.
    pub(crate) ready: &'static str,
}

impl Rules {
    /// Validates the status of an object.
    pub(crate) fn check(&self, object: &Value) -> Vec<Error> {
        let (status, path) = (at(object, "/status"), Path::new("status"));
        let number = |field: &str| integer(status, field).unwrap_or_default();
        let mut errors = Vec::new();
        for field in self.counts {
            if let Some(count) = integer(status, field).filter(|count| *count < 0) {
                let why = "must be greater than or equal to 0";
                errors.invalid(path.child(field), count, why);
            }
        }
        for field in self.within {
            if number(field) > number("replicas") {
                let why = "cannot be greater than status.replicas";
                errors.invalid(path.child(field), number(field), why);
            }
        }
        let available = number("availableReplicas");
        if !self.ready.is_empty() && available > number("readyReplicas") {
            let why = format!("cannot be greater than {}", self.ready);
            errors.invalid(path.child("availableReplicas"), available, why);
        }
        errors
    }
}

const REPLICA_SET: Rules = Rules {
    counts: &[
        "replicas",
        "fullyLabeledReplicas",
        "readyReplicas",
        "availableReplicas",
        "terminatingReplicas",
        "observedGeneration",
    ],
    within: &["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
    ready: "readyReplicas",
};

/// Validates the status of a ReplicaSet or a ReplicationController.
pub(crate) fn update_replica_set(object: &Value, _: &Value) -> Vec<Error> {
    REPLICA_SET.check(object)
}

/// Adds the error of a count of collisions that is lower than before: they are counted, never forgotten.
pub(crate) fn with_collisions(mut errors: Vec<Error>, object: &Value, old: &Value) -> Vec<Error> {
    let count = |object: &Value| integer(at(object, "/status"), "collisionCount");
    if let Some(before) = count(old) {
        let now = count(object);
        if now.is_none_or(|now| now < before) {
            let path = Path::new("status").child("collisionCount");
            errors.invalid(&path, now.unwrap_or_default(), "cannot be decremented");
        }
    }
    errors
}
