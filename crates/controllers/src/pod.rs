//! Pods: whether they run, are ready and available, and which is to go first.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/>.

use std::cmp::Ordering;
use std::time::Duration;

use json_tree::{Value, json};

use crate::controller::Context;
use crate::error::Error;
use crate::object;
use crate::resource::PODS;

/// The annotation and the label with the index of a pod of an indexed Job.
pub(crate) const COMPLETION_INDEX: &str = "batch.kubernetes.io/job-completion-index";

/// Returns the phase.
pub(crate) fn phase(pod: &Value) -> &str {
    pod.text_at("/status/phase")
}

/// Reports whether a pod has ended.
pub(crate) fn is_terminal(pod: &Value) -> bool {
    ["Succeeded", "Failed"].contains(&phase(pod))
}

/// Reports whether a pod is neither ended nor about to be deleted.
pub(crate) fn is_active(pod: &Value) -> bool {
    !is_terminal(pod) && !object::is_being_deleted(pod)
}

/// Reports whether a pod is about to be deleted, and has not ended.
pub(crate) fn is_terminating(pod: &Value) -> bool {
    !is_terminal(pod) && object::is_being_deleted(pod)
}

/// Returns the priority; 0 if there is none.
pub(crate) fn priority(pod: &Value) -> i64 {
    object::int(pod, "/spec/priority")
}

/// Reports whether an init container goes on running beside the others.
pub(crate) fn is_sidecar(container: &Value) -> bool {
    container.text("restartPolicy") == "Always"
}

/// Returns the containers of a pod that run on: its own, and the sidecars.
pub(crate) fn containers(pod: &Value) -> impl Iterator<Item = &Value> {
    let sidecars = object::list(pod, "/spec/initContainers").iter().filter(|container| is_sidecar(container));
    object::list(pod, "/spec/containers").iter().chain(sidecars)
}

/// Returns all containers of a pod but ephemeral ones, those that run before the others first.
pub(crate) fn all_containers(pod: &Value) -> impl Iterator<Item = &Value> {
    object::list(pod, "/spec/initContainers").iter().chain(object::list(pod, "/spec/containers"))
}

/// Makes a condition of a pod, with a reason and a message unless they are empty. The time of its last transition is that of the known
/// one of the same type, if the status is the same.
pub(crate) fn condition(
    (kind, is_true): (&str, bool),
    (reason, message): (&str, &str),
    pod: &Value,
    known: &[Value],
    now: Duration,
) -> Value {
    let status = if is_true { "True" } else { "False" };
    let is_same = |known: &&Value| known.text("type") == kind && known.text("status") == status;
    let known = known.iter().find(is_same);
    let mut condition = json!({
        "type": kind,
        "observedGeneration": object::generation(pod),
        "status": status,
        "lastProbeTime": null,
        "lastTransitionTime":
            known.map_or_else(|| object::timestamp(now), |known| known.text("lastTransitionTime").to_owned())
    });
    for (key, text) in [("reason", reason), ("message", message)] {
        if !text.is_empty() {
            object::set(&mut condition, key, text.into());
        }
    }
    condition
}

/// Makes the change of the status of a pod that says that it is about to be disrupted; `None` if it says that already.
pub(crate) fn disruption(pod: &Value, reason: &str, message: &str, now: Duration) -> Option<Value> {
    let known = object::list(pod, "/status/conditions");
    let condition = condition(("DisruptionTarget", true), (reason, message), pod, known, now);
    let fields = ["type", "status", "reason", "message"];
    let is_same = |known: &Value| fields.iter().all(|field| known.text(field) == condition.text(field));
    if known.iter().any(is_same) {
        return None;
    }
    // A new condition is the last one.
    let others = known.iter().map(|known| known.text("type")).filter(|kind| *kind != "DisruptionTarget");
    let order = others.chain(["DisruptionTarget"]).map(|kind| json!({"type": kind}));
    Some(json!({"conditions": [condition], "$setElementOrder/conditions": order.collect::<Vec<_>>()}))
}

/// Says in the status of a pod why it is about to be disrupted.
pub(crate) async fn disrupt(
    pod: &Value,
    reason: &str,
    message: &str,
    context: &Context<'_>,
) -> Result<(), Error> {
    let Some(status) = disruption(pod, reason, message, context.now()) else { return Ok(()) };
    let patch = json!({"metadata": {"uid": object::uid(pod)}, "status": status});
    context.client.patch_status(&PODS, (object::namespace(pod), object::name(pod)), &patch).await
}

/// Returns the condition `Ready`, if it is true.
fn ready_condition(pod: &Value) -> Option<&Value> {
    let conditions = pod.pointer("/status/conditions").and_then(Value::as_array);
    let ready = conditions.into_iter().flatten().find(|condition| condition.text("type") == "Ready");
    ready.filter(|condition| condition.text("status") == "True")
}

/// Returns the time at which the kubelet has taken a pod over; the end of all time, if it has not.
pub(crate) fn start(pod: &Value) -> Duration {
    pod.pointer("/status/startTime").and_then(object::time).unwrap_or(Duration::MAX)
}

/// Reports whether a pod is ready.
pub(crate) fn is_ready(pod: &Value) -> bool {
    ready_condition(pod).is_some()
}

/// Returns the time since which a pod has been ready, if that is known.
fn ready_since(pod: &Value) -> Option<Duration> {
    object::time(ready_condition(pod)?.get("lastTransitionTime")?)
}

/// Returns the time at which a pod has become ready, or is not any more, if that is known.
pub(crate) fn readiness_changed(pod: &Value) -> Option<Duration> {
    let ready = object::list(pod, "/status/conditions").iter().find(|one| one.text("type") == "Ready")?;
    object::time(ready.get("lastTransitionTime")?)
}

/// Reports whether a pod has been ready for so many seconds.
pub(crate) fn is_available(pod: &Value, min_ready_seconds: i64, now: Duration) -> bool {
    is_ready(pod)
        && (min_ready_seconds <= 0
            || ready_since(pod).is_some_and(|since| since.saturating_add(seconds(min_ready_seconds)) <= now))
}

/// Returns the time from now until a ready pod is available; `None` if it is, or never will be by itself.
pub(crate) fn available_in(pod: &Value, min_ready_seconds: i64, now: Duration) -> Option<Duration> {
    let since = ready_since(pod).filter(|_| min_ready_seconds > 0)?;
    since.saturating_add(seconds(min_ready_seconds)).checked_sub(now).filter(|left| !left.is_zero())
}

/// Returns so many seconds; none if the number is negative.
pub(crate) fn seconds(count: i64) -> Duration {
    Duration::from_secs(u64::try_from(count).unwrap_or_default())
}

/// Orders pods by which is to be deleted first. `ranks` are the numbers of related pods on their nodes.
///
/// See <https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/#scaling-a-replicaset>.
pub(crate) fn deletion_order(a: &Value, b: &Value, ranks: (usize, usize), now: Duration) -> Ordering {
    let by_age = |since: fn(&Value) -> Option<Duration>| match (since(a), since(b)) {
        (Some(first), Some(second)) if first != second => {
            let by_logarithm = logarithm(now, first).cmp(&logarithm(now, second));
            by_logarithm.then_with(|| object::uid(a).cmp(object::uid(b)))
        }
        (first, second) => first.is_some().cmp(&second.is_some()),
    };
    is_assigned(a)
        .cmp(&is_assigned(b))
        .then_with(|| phase_rank(a).cmp(&phase_rank(b)))
        .then_with(|| is_ready(a).cmp(&is_ready(b)))
        .then_with(|| deletion_cost(a).cmp(&deletion_cost(b)))
        .then_with(|| ranks.1.cmp(&ranks.0))
        .then_with(|| by_age(ready_since))
        .then_with(|| restarts(b).cmp(&restarts(a)))
        .then_with(|| by_age(created))
}

/// Orders active pods of a Job by which is to be deleted first.
pub(crate) fn removal_order(a: &Value, b: &Value) -> Ordering {
    let newest_first = |since: fn(&Value) -> Option<Duration>| match (since(a), since(b)) {
        (Some(first), Some(second)) => second.cmp(&first),
        (first, second) => first.is_some().cmp(&second.is_some()),
    };
    is_assigned(a)
        .cmp(&is_assigned(b))
        .then_with(|| phase_rank(a).cmp(&phase_rank(b)))
        .then_with(|| is_ready(a).cmp(&is_ready(b)))
        .then_with(|| newest_first(ready_since))
        .then_with(|| restarts(b).cmp(&restarts(a)))
        .then_with(|| newest_first(created))
}

fn is_assigned(pod: &Value) -> bool {
    !pod.text_at("/spec/nodeName").is_empty()
}

fn phase_rank(pod: &Value) -> u8 {
    match phase(pod) {
        "Unknown" => 1,
        "Running" => 2,
        _ => 0,
    }
}

/// Returns the logarithm of an age in nanoseconds to the base 2, rounded down: ages that are alike are the same.
fn logarithm(now: Duration, since: Duration) -> Option<u32> {
    now.checked_sub(since)?.as_nanos().checked_ilog2()
}

fn created(pod: &Value) -> Option<Duration> {
    object::time(object::meta(pod, "creationTimestamp"))
}

/// Returns the cost of a deletion, as an annotation tells it.
fn deletion_cost(pod: &Value) -> i32 {
    object::annotation(pod, "controller.kubernetes.io/pod-deletion-cost")
        .and_then(|cost| cost.parse().ok())
        .unwrap_or_default()
}

/// Returns the largest numbers of restarts: of containers, and of sidecars.
fn restarts(pod: &Value) -> (i64, i64) {
    let most = |list: &str, names: &dyn Fn(&str) -> bool| {
        let statuses = pod.pointer(list).and_then(Value::as_array).into_iter().flatten();
        let counted = statuses.filter(|status| names(status.text("name")));
        counted
            .map(|status| status.get("restartCount").and_then(Value::as_i64).unwrap_or_default())
            .max()
            .unwrap_or_default()
    };
    let is_sidecar = |name: &str| {
        let containers = pod.pointer("/spec/initContainers").and_then(Value::as_array).into_iter().flatten();
        containers.filter(|one| one.text("name") == name).any(is_sidecar)
    };
    (most("/status/containerStatuses", &|_| true), most("/status/initContainerStatuses", &is_sidecar))
}
