//! The status of workloads, which controllers write.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/>.

use json_tree::Value;

use crate::validation::read::{at, integer};
use field::{AddError, Error, Path};

/// Constraints on the numbers in a status.
struct Rules {
    /// None is negative.
    counts: &'static [&'static str],
    /// None is greater than `replicas`.
    within: &'static [&'static str],
    /// How the field is called that `availableReplicas` cannot be greater than; empty if there is none.
    ready: &'static str,
}

const DEPLOYMENT: Rules = Rules {
    counts: &[
        "observedGeneration",
        "replicas",
        "updatedReplicas",
        "readyReplicas",
        "availableReplicas",
        "unavailableReplicas",
        "terminatingReplicas",
        "collisionCount",
    ],
    within: &["updatedReplicas", "readyReplicas", "availableReplicas"],
    ready: "readyReplicas",
};
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
const DAEMON_SET: Rules = Rules {
    counts: &[
        "currentNumberScheduled",
        "numberMisscheduled",
        "desiredNumberScheduled",
        "numberReady",
        "observedGeneration",
        "updatedNumberScheduled",
        "numberAvailable",
        "numberUnavailable",
        "collisionCount",
    ],
    within: &[],
    ready: "",
};
const STATEFUL_SET: Rules = Rules {
    counts: &[
        "replicas",
        "readyReplicas",
        "currentReplicas",
        "updatedReplicas",
        "availableReplicas",
        "observedGeneration",
        "collisionCount",
    ],
    within: &["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"],
    ready: "status.readyReplicas",
};

pub(crate) fn update_deployment(object: &Value, old: &Value) -> Vec<Error> {
    with_collisions(DEPLOYMENT.check(object), object, old)
}

/// ReplicaSets, and ReplicationControllers alike.
pub(crate) fn update_replica_set(object: &Value, _: &Value) -> Vec<Error> {
    REPLICA_SET.check(object)
}

pub(crate) fn update_daemon_set(object: &Value, old: &Value) -> Vec<Error> {
    with_collisions(DAEMON_SET.check(object), object, old)
}

pub(crate) fn update_stateful_set(object: &Value, old: &Value) -> Vec<Error> {
    with_collisions(STATEFUL_SET.check(object), object, old)
}

impl Rules {
    fn check(&self, object: &Value) -> Vec<Error> {
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

/// Collisions are counted, never forgotten.
fn with_collisions(mut errors: Vec<Error>, object: &Value, old: &Value) -> Vec<Error> {
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

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check;

    #[test]
    fn numbers_fit_together() {
        let deployment = |status: Value, expected: &str| {
            let old = json!({"status": {"collisionCount": 2}});
            check(&update_deployment(&json!({ "status": status }), &old), expected);
        };
        deployment(
            json!({"replicas": 2, "readyReplicas": 2, "availableReplicas": 1, "collisionCount": 2}),
            "",
        );
        deployment(
            json!({"replicas": -1, "collisionCount": 3}),
            "[status.replicas: Invalid value: -1: must be greater than or equal to 0, \
             status.updatedReplicas: Invalid value: 0: cannot be greater than status.replicas, \
             status.readyReplicas: Invalid value: 0: cannot be greater than status.replicas, \
             status.availableReplicas: Invalid value: 0: cannot be greater than status.replicas]",
        );
        deployment(
            json!({"replicas": 2, "availableReplicas": 1, "collisionCount": 1}),
            "[status.availableReplicas: Invalid value: 1: cannot be greater than readyReplicas, \
             status.collisionCount: Invalid value: 1: cannot be decremented]",
        );
    }
}
