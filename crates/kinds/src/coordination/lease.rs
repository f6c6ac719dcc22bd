//! The kind Lease.
//!
//! See <https://kubernetes.io/docs/concepts/architecture/leases/>.

mod printer;

use json_tree::Value;

use crate::kind::{CREATES_ON_UPDATE, Checks, Kind, Printer, Strategy};
use crate::validation::name;
use crate::validation::read::{at, get, integer, text};
use crate::validation::values::not_negative;
use apimachinery::object::Object;
use field::{AddError, Error, Path};

/// The kind Lease.
pub(crate) struct Lease;

impl Kind for Lease {
    const GROUP: &'static str = "coordination.k8s.io";
    const RESOURCE: &'static str = "leases";
    const STRATEGY: Strategy = Strategy { requires_version: true, ..CREATES_ON_UPDATE };

    fn drop_disabled_fields(object: &mut Object, old: Option<&Object>) {
        drop_election(object, old.and_then(|old| old.get("spec")));
    }

    fn checks() -> Checks {
        Checks::none().validate(create).validate_update(update)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

/// `CoordinatedLeaderElection`: nobody coordinates who gets a lease. What the lease had before may stay.
fn drop_election(lease: &mut Object, before: Option<&Value>) {
    let Some(Value::Object(spec)) = lease.get_mut("spec") else { return };
    for field in ["strategy", "preferredHolder"] {
        if before.is_none_or(|spec| spec.get(field).is_none()) {
            spec.shift_remove(field);
        }
    }
}

/// The ways in which those who coordinate choose the holder.
const STRATEGIES: [&str; 1] = ["OldestEmulationVersion"];

fn create(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let duration = integer(spec, "leaseDurationSeconds").filter(|seconds| *seconds <= 0);
    let at = path.child("leaseDurationSeconds");
    let mut errors: Vec<Error> =
        duration.into_iter().map(|seconds| Error::invalid(&at, seconds, "must be greater than 0")).collect();
    errors.extend(not_negative(spec, "leaseTransitions", &path));
    let chosen = get(spec, "strategy").and_then(Value::as_str);
    if let Some(strategy) = chosen {
        errors.extend(of_strategy(strategy, &path.child("strategy")));
    }
    if !text(spec, "preferredHolder").is_empty() && chosen.is_none_or(str::is_empty) {
        let why = "may only be specified if `strategy` is defined";
        errors.forbidden(path.child("preferredHolder"), why);
    }
    errors
}

fn update(object: &Value, _old: &Value) -> Vec<Error> {
    create(object)
}

/// A strategy is one of Kubernetes' own, or one with a domain. Its errors name the field twice.
fn of_strategy(strategy: &str, path: &Path) -> Vec<Error> {
    let path = &path.child("strategy");
    if strategy.contains('/') {
        let complaints = name::qualified_name(strategy).into_iter();
        return complaints.map(|why| Error::invalid(path, strategy, why)).collect();
    }
    if STRATEGIES.contains(&strategy) {
        return Vec::new();
    }
    vec![Error::not_supported(path, strategy, &STRATEGIES)]
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check;

    #[test]
    fn leases() {
        let lease = |spec: Value, expected: &str| check(&create(&json!({ "spec": spec })), expected);
        lease(json!({}), "");
        lease(json!({"strategy": "OldestEmulationVersion", "preferredHolder": "a"}), "");
        lease(json!({"strategy": "example.com/mine"}), "");
        lease(
            json!({"leaseDurationSeconds": 0, "leaseTransitions": -1}),
            "[spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0, \
             spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0]",
        );
        lease(
            json!({"strategy": "mine"}),
            "spec.strategy.strategy: Unsupported value: \"mine\": supported values: \"OldestEmulationVersion\"",
        );
        lease(
            json!({"preferredHolder": "a"}),
            "spec.preferredHolder: Forbidden: may only be specified if `strategy` is defined",
        );
    }
}
