//! PodDisruptionBudgets: whether they allow an eviction.
//!
//! <https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-budgets>

use std::sync::Arc;
use std::time::Duration;

use json_tree::{Value, json};

use crate::context::RequestContext;
use crate::resource;
use crate::route::Target;
use crate::{field_management, stored};
use apimachinery::object;
use apimachinery::object::Object;
use apimachinery::selector::LabelSelector;
use apimachinery::status::{Status, Subject};
use apimachinery::time;
use apimachinery::typed_object::{TypedObject, insert_sorted};

/// How many evictions may be under way that nobody has confirmed.
const MAX_DISRUPTED_PODS: usize = 2000;

/// Takes one disruption off the budget that the pod is under. Nothing happens if there is none, or if it allows pods to
/// go that are not ready.
///
/// # Errors
/// 429 if the budget allows none, 500 if there are several.
pub(super) fn spend(pods: &RequestContext<'_>, pod: &Object, dry_run: bool) -> Result<(), Box<Status>> {
    let resource = resource::find("policy", "poddisruptionbudgets");
    let Some(resource) = resource else { return Ok(()) };
    let budgets = pods.shared.all(&stored::collection_key(resource, &pods.target.namespace));
    let found: Vec<_> = budgets.iter().filter(|budget| is_over(&budget.tree(), pod)).collect();
    let name = match found.as_slice() {
        [] => return Ok(()),
        [budget] => budget.name.as_str(),
        _ => {
            return Err(Status::unclassified(
                "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
            ));
        }
    };
    let target = Target { resource: Arc::clone(resource), name: name.to_owned(), ..pods.target.clone() };
    let clock = pods.shared.config.clock.as_ref();
    RequestContext { target: &target, ..*pods }.change(|current| {
        let before = current.tree();
        if !is_ready(pod) && lets_unhealthy_go(&before) {
            return Ok(None);
        }
        let mut budget = before.clone();
        take_one(&mut budget, name, &pods.target.name, clock.now())?;
        if dry_run {
            return Ok(None);
        }
        field_management::track_own_status(resource, clock, &before, &mut budget);
        Ok(Some(budget))
    })
}

/// Reports whether the budget's selector, which must select by something, matches the pod.
fn is_over(budget: &Object, pod: &Object) -> bool {
    let selector = budget.get("spec").and_then(|spec| spec.get("selector")).and_then(LabelSelector::of);
    let labels = object::metadata(pod, "labels");
    let label = |key: &str| labels.and_then(|labels| labels.get(key)).and_then(Value::as_str);
    selector.is_some_and(|selector| !selector.is_empty() && selector.matches(label))
}

fn is_ready(pod: &Object) -> bool {
    let conditions = pod.get("status").and_then(|status| status.get("conditions")).and_then(Value::as_array);
    let mut conditions = conditions.into_iter().flatten();
    conditions.any(|condition| condition["type"] == "Ready" && condition["status"] == "True")
}

fn number(budget: &Object, key: &str) -> i64 {
    budget.get("status").and_then(|status| status.get(key)).and_then(Value::as_i64).unwrap_or_default()
}

/// Reports whether a pod that is not ready may go, because the budget always allows that or has what it needs without
/// it.
///
/// <https://kubernetes.io/docs/tasks/run-application/configure-pdb/#unhealthy-pod-eviction-policy>
fn lets_unhealthy_go(budget: &Object) -> bool {
    let policy = budget.get("spec").and_then(|spec| spec.get("unhealthyPodEvictionPolicy"));
    let desired = number(budget, "desiredHealthy");
    policy.is_some_and(|policy| policy == "AlwaysAllow")
        || number(budget, "currentHealthy") >= desired && desired > 0
}

/// Counts the eviction of `pod` in the budget's status.
fn take_one(budget: &mut Object, name: &str, pod: &str, now: Duration) -> Result<(), Box<Status>> {
    const REFUSAL: &str = "Cannot evict pod as it would violate the pod's disruption budget.";
    let generation = object::metadata(budget, "generation");
    let (observed, allowed) = (number(budget, "observedGeneration"), number(budget, "disruptionsAllowed"));
    if observed < generation.and_then(Value::as_i64).unwrap_or_default() {
        let why = format!("The disruption budget {name} is still being processed by the server.");
        return Err(Status::too_many_requests(REFUSAL, Some(10)).caused("DisruptionBudget", why));
    }
    let (desired, current) = (number(budget, "desiredHealthy"), number(budget, "currentHealthy"));
    let Some(mut budget) = TypedObject::builtin("k8s.io/api/policy/v1", "PodDisruptionBudget", budget) else {
        return Ok(());
    };
    let Some(mut status) = budget.ensure("status") else { return Ok(()) };
    let mut disrupted = status.map("disruptedPods").cloned().unwrap_or_default();
    let forbidden =
        |why| Err(Status::forbidden(Subject { group: "policy", resource: "poddisruptionbudget", name }, why));
    if allowed < 0 {
        return forbidden("pdb disruptions allowed is negative");
    }
    if disrupted.len() > MAX_DISRUPTED_PODS {
        return forbidden("DisruptedPods map too big - too many evictions not confirmed by PDB controller");
    }
    if allowed == 0 {
        let why = refusal(name, status.list("conditions"), desired, current);
        return Err(Status::too_many_requests(REFUSAL, None).caused("DisruptionBudget", why));
    }
    status.set("disruptionsAllowed", allowed - 1);
    if allowed == 1 {
        let conditions = exhausted(status.list("conditions"), observed, now);
        status.set("conditions", conditions);
    }
    insert_sorted(&mut disrupted, pod, time::rfc3339(now).into());
    status.set("disruptedPods", Value::Object(disrupted));
    Ok(())
}

/// Returns the reason why a budget allows no eviction now: a failed sync comes before its numbers, which are not to be trusted then.
fn refusal(name: &str, conditions: &[Value], desired: i64, current: i64) -> String {
    let text = |condition: &Value, key: &str| condition[key].as_str().unwrap_or_default().to_owned();
    let condition = conditions.iter().find(|condition| condition["type"] == "DisruptionAllowed");
    let said = condition
        .filter(|condition| condition["status"] == "False")
        .map(|condition| (text(condition, "reason"), text(condition, "message")));
    let said = said.filter(|(_, message)| !message.is_empty());
    let budget = ["The disruption budget ", name].concat();
    match said {
        Some((reason, message)) if reason == "SyncFailed" => {
            format!("{budget} does not allow evicting pods currently because it failed sync: {message}")
        }
        _ if current <= desired => {
            format!("{budget} needs {desired} healthy pods and has {current} currently")
        }
        Some((reason, message)) => {
            format!("{budget} does not allow evicting pods currently ({reason}): {message}")
        }
        None => format!("{budget} does not allow evicting pods currently"),
    }
}

/// The conditions, with the one that says that the budget allows no more.
fn exhausted(conditions: &[Value], observed: i64, now: Duration) -> Vec<Value> {
    let mut conditions = conditions.to_vec();
    let place = conditions.iter().position(|other| other["type"] == "DisruptionAllowed");
    let since = place.map(|place| &conditions[place]).filter(|other| other["status"] == "False");
    let since = since.map_or_else(|| time::rfc3339(now).into(), |other| other["lastTransitionTime"].clone());
    let mut condition = json!({ "type": "DisruptionAllowed", "status": "False" });
    if observed != 0 {
        condition["observedGeneration"] = observed.into();
    }
    condition["lastTransitionTime"] = since;
    condition["reason"] = "InsufficientPods".into();
    condition["message"] = "".into();
    match place {
        Some(place) => conditions[place] = condition,
        None => conditions.push(condition),
    }
    conditions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(status: &Value, expected: Result<&str, (u16, &str)>) {
        let Value::Object(mut budget) = json!({"metadata": {"generation": 2}, "status": status}) else {
            panic!("not an object")
        };
        let taken = take_one(&mut budget, "b", "p", Duration::from_secs(1));
        let taken = taken.map(|()| budget["status"].to_string()).map_err(|status| {
            let causes = status.details.into_iter().flat_map(|details| details.causes);
            (status.code, causes.map(|cause| cause.message).collect::<String>())
        });
        assert_eq!(taken, expected.map(str::to_owned).map_err(|(code, text)| (code, text.to_owned())));
    }

    #[test]
    fn a_disruption_is_counted() {
        check(
            &json!({"observedGeneration": 2, "disruptionsAllowed": 2, "currentHealthy": 3}),
            Ok(
                r#"{"observedGeneration":2,"disruptedPods":{"p":"1970-01-01T00:00:01Z"},"disruptionsAllowed":1,"currentHealthy":3}"#,
            ),
        );
        check(
            &json!({"observedGeneration": 2, "disruptionsAllowed": 1}),
            Ok(
                r#"{"observedGeneration":2,"disruptedPods":{"p":"1970-01-01T00:00:01Z"},"disruptionsAllowed":0,"conditions":[{"type":"DisruptionAllowed","status":"False","observedGeneration":2,"lastTransitionTime":"1970-01-01T00:00:01Z","reason":"InsufficientPods","message":""}]}"#,
            ),
        );
    }

    #[test]
    fn or_refused() {
        check(
            &json!({"observedGeneration": 1, "disruptionsAllowed": 1}),
            Err((429, "The disruption budget b is still being processed by the server.")),
        );
        check(
            &json!({"observedGeneration": 2, "disruptionsAllowed": 0, "desiredHealthy": 2, "currentHealthy": 1}),
            Err((429, "The disruption budget b needs 2 healthy pods and has 1 currently")),
        );
        check(
            &json!({"observedGeneration": 2, "desiredHealthy": 1, "currentHealthy": 2}),
            Err((429, "The disruption budget b does not allow evicting pods currently")),
        );
        let said = |reason: &str| {
            json!({"observedGeneration": 2, "desiredHealthy": 1, "currentHealthy": 2, "conditions": [
                {"type": "DisruptionAllowed", "status": "False", "reason": reason, "message": "m"}]})
        };
        check(
            &said("R"),
            Err((429, "The disruption budget b does not allow evicting pods currently (R): m")),
        );
        check(
            &said("SyncFailed"),
            Err((
                429,
                "The disruption budget b does not allow evicting pods currently because it failed sync: m",
            )),
        );
        check(&json!({"observedGeneration": 2, "disruptionsAllowed": -1}), Err((403, "")));
    }

    #[test]
    fn a_budget_without_a_selector_is_over_nothing() {
        let pod = json!({"metadata": {"labels": {"a": "b"}}});
        let check = |selector: Value, expected: bool| {
            let budget = json!({"spec": {"selector": selector}});
            let (budget, pod) = (budget.as_object().expect("a map"), pod.as_object().expect("a map"));
            assert_eq!(is_over(budget, pod), expected, "{selector}");
        };
        check(json!(null), false);
        check(json!({}), false);
        check(json!({"matchLabels": {"a": "b"}}), true);
        check(json!({"matchLabels": {"a": "c"}}), false);
    }
}
