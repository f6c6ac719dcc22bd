//! The policies of a Job: what becomes of it when a pod fails, and by which pods it succeeds.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-failure-policy> and
//! <https://kubernetes.io/docs/concepts/workloads/controllers/job/#success-policy>.

use json_tree::Value;

use super::fields;
use super::indexes::Indexes;
use crate::object;

/// The meaning of a failed pod for its Job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// It counts.
    Counts,
    /// It does not count.
    Ignored,
    /// The index of the pod fails, and the failure counts.
    FailsIndex,
    /// The Job fails, for the reason that a message tells, and it counts.
    FailsJob(String),
}

/// Returns what a failed pod means for a Job: what the first rule says that is about it.
pub(super) fn judge(job: &Value, pod: &Value) -> Failure {
    let rules = object::list(job, "/spec/podFailurePolicy/rules");
    for (index, rule) in rules.iter().enumerate() {
        let subject = match (rule.get("onExitCodes"), rule.get("onPodConditions")) {
            (Some(requirement), _) if !requirement.is_null() => by_exit_code(requirement, pod),
            (_, Some(patterns)) => by_condition(patterns, pod),
            _ => None,
        };
        let Some(subject) = subject else { continue };
        match rule.text("action") {
            "Ignore" => return Failure::Ignored,
            "FailIndex" => return Failure::FailsIndex,
            "Count" => return Failure::Counts,
            "FailJob" => {
                return Failure::FailsJob(format!("{subject} matching FailJob rule at index {index}"));
            }
            _ => {}
        }
    }
    Failure::Counts
}

/// Tells of the first container that has ended with an exit code that a rule is about.
fn by_exit_code(requirement: &Value, pod: &Value) -> Option<String> {
    let name = requirement.get("containerName").and_then(Value::as_str);
    let values = object::list(requirement, "/values");
    let is_in = match requirement.text("operator") {
        "In" => true,
        "NotIn" => false,
        _ => return None,
    };
    let lists = ["/status/containerStatuses", "/status/initContainerStatuses"];
    for status in lists.into_iter().flat_map(|list| object::list(pod, list)) {
        let Some(code) = fields::number(status, "/state/terminated/exitCode").filter(|code| *code != 0)
        else {
            continue;
        };
        let is_listed = values.iter().any(|value| value.as_i64() == Some(code));
        if name.is_none_or(|name| name == status.text("name")) && is_listed == is_in {
            let (container, key) = (status.text("name"), object::key(pod));
            return Some(format!("Container {container} for pod {key} failed with exit code {code}"));
        }
    }
    None
}

/// Tells of the first condition of a pod that a rule is about.
fn by_condition(patterns: &Value, pod: &Value) -> Option<String> {
    let patterns = patterns.as_array()?;
    let is_meant = |condition: &&Value| {
        let is_same = |pattern: &Value, key| pattern.text(key) == condition.text(key);
        patterns.iter().any(|pattern| is_same(pattern, "type") && is_same(pattern, "status"))
    };
    let condition = object::list(pod, "/status/conditions").iter().find(is_meant)?;
    Some(["Pod ", &object::key(pod), " has condition ", condition.text("type")].concat())
}

/// Returns the message of a Job that has succeeded by its success policy, if it has.
pub(super) fn success(job: &Value, completions: i64, succeeded: &Indexes) -> Option<String> {
    if succeeded.count() == 0 {
        return None;
    }
    for (index, rule) in object::list(job, "/spec/successPolicy/rules").iter().enumerate() {
        let count = fields::number(rule, "/succeededCount");
        let is_met = match rule.get("succeededIndexes").and_then(Value::as_str) {
            Some(text) => {
                let wanted = Indexes::parse(text, completions);
                let common = wanted.common(succeeded);
                let enough = common == wanted.count() || count.is_some_and(|count| common >= count);
                wanted.count() > 0 && enough
            }
            None => count.is_some_and(|count| succeeded.count() >= count),
        };
        if is_met {
            return Some(format!("Matched rules at index {index}"));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[test]
    fn a_pod_is_judged_by_the_first_rule_about_it() {
        let rule = |action: &str, operator: &str, values: Value| json!({"action": action, "onExitCodes": {"containerName": "c", "operator": operator, "values": values}});
        let disruption =
            json!({"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]});
        let job = json!({"spec": {"podFailurePolicy": {"rules": [
            rule("FailIndex", "In", json!([3])),
            disruption,
            rule("Count", "In", json!([4])),
            rule("FailJob", "NotIn", json!([5])),
        ]}}});
        let message = "Container c for pod ns/p failed with exit code 6 matching FailJob rule at index 3";
        for (name, code, condition, expected) in [
            ("c", 3, "DisruptionTarget", Failure::FailsIndex),
            ("c", 6, "DisruptionTarget", Failure::Ignored),
            ("c", 4, "Ready", Failure::Counts),
            ("c", 5, "Ready", Failure::Counts),
            ("c", 6, "Ready", Failure::FailsJob(message.to_owned())),
            ("c", 0, "Ready", Failure::Counts),
            ("d", 6, "Ready", Failure::Counts),
        ] {
            let status = json!({"name": name, "state": {"terminated": {"exitCode": code}}});
            let pod = json!({
                "metadata": {"namespace": "ns", "name": "p"},
                "status": {
                    "containerStatuses": [{"name": "c", "state": {"running": {}}}, status],
                    "conditions": [{"type": condition, "status": "True"}]
                }
            });
            assert_eq!(judge(&job, &pod), expected, "{name} {code} {condition}");
        }
    }

    #[test]
    fn a_job_succeeds_by_the_first_rule_that_is_met() {
        let job = json!({"spec": {"successPolicy": {"rules": [
            {"succeededIndexes": "0,2-3"},
            {"succeededIndexes": "5-8", "succeededCount": 2},
            {"succeededCount": 5},
        ]}}});
        for (succeeded, expected) in [
            ("", None),
            ("0,2", None),
            ("0-3", Some("Matched rules at index 0")),
            ("6,8", Some("Matched rules at index 1")),
            ("1,2,4,8,9", Some("Matched rules at index 2")),
        ] {
            let message = success(&job, 10, &Indexes::parse(succeeded, 10));
            assert_eq!(message.as_deref(), expected, "{succeeded}");
        }
        // Of a rule whose indexes are all too large, nothing is left.
        assert_eq!(
            success(
                &json!({"spec": {"successPolicy": {"rules": [{"succeededIndexes": "8"}]}}}),
                3,
                &Indexes::parse("0", 3)
            ),
            None
        );
    }
}
