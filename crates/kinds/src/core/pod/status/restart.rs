//! Validation of container restarts: whether containers that have ended may run again.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#container-restarts>.

use json_tree::Value;

use super::super::check::Errors;
use crate::validation::read::{at, get, list, text};
use field::{AddError, Path};

/// A container that has ended for good does not run again. `containers` is the field of the spec that the statuses are of;
/// those of ephemeral containers are of none.
pub(super) fn ended(
    now: &[Value],
    was: &[Value],
    spec: &Value,
    containers: &str,
    path: &Path,
    errors: &mut Errors,
) {
    if !containers.is_empty() && all_may_restart(spec) {
        return;
    }
    for (index, was) in was.iter().enumerate() {
        let (end, this) = (at(was, "/state/terminated"), text(was, "name"));
        let same = now.iter().filter(|now| text(now, "name") == this);
        let again = same.filter(|now| at(now, "/state/terminated").is_null()).count();
        if end.is_null() || again == 0 {
            continue;
        }
        let code = at(end, "/exitCode").as_i64().unwrap_or_default();
        let own = list(spec, containers).iter().find(|one| text(one, "name") == this);
        if own.is_some_and(|own| restarts(own, spec, code)) {
            continue;
        }
        // Ephemeral containers are counted each time, others once.
        for _ in 0..if containers.is_empty() { again } else { 1 } {
            let why = "may not be transitioned to non-terminated state";
            errors.forbidden(path.index(index).child("state"), why);
        }
    }
}

/// Returns whether the end of one container can restart all containers of the pod.
fn all_may_restart(spec: &Value) -> bool {
    let all = list(spec, "containers").iter().chain(list(spec, "initContainers"));
    let mut rules = all.flat_map(|one| list(one, "restartPolicyRules"));
    rules.any(|rule| text(rule, "action") == "RestartAllContainers")
}

/// Returns whether a container restarts after it exited with this code: by its rules, its own policy or its pod's policy.
fn restarts(container: &Value, spec: &Value, code: i64) -> bool {
    let Some(own) = get(container, "restartPolicy").and_then(Value::as_str) else {
        return by_policy(text(spec, "restartPolicy"), code);
    };
    let rule = list(container, "restartPolicyRules").iter().find(|rule| {
        let codes = at(rule, "/exitCodes");
        let listed = list(codes, "values").iter().any(|value| value.as_i64() == Some(code));
        match text(codes, "operator") {
            "In" => listed,
            "NotIn" => !listed,
            _ => false,
        }
    });
    rule.is_some_and(|rule| text(rule, "action") == "Restart") || by_policy(own, code)
}

fn by_policy(policy: &str, code: i64) -> bool {
    match policy {
        "Never" => false,
        "OnFailure" => code != 0,
        _ => true,
    }
}
