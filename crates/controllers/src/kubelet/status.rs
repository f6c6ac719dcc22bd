//! The status of a pod, of its containers.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-phase>.

use std::time::Duration;

use json_tree::{Value, json};

use super::conditions;
use super::container::{Container, End, NOT_CONFIGURED, Role, State};
use super::runtime::Runtime;
use super::takeover::PULL_ERROR;
use crate::object::{self, list};

/// Calculates the status of a pod.
pub(super) fn calculate(runtime: &Runtime, pod: &Value, host: &str, now: Duration) -> Value {
    // As long as a container runs, the pod has not failed.
    let failed = runtime.failed.as_ref().filter(|_| runtime.is_terminated());
    let phase = if failed.is_some() { "Failed" } else { phase(runtime, now) };
    let mut status = json!({
        "observedGeneration": object::generation(pod),
        "phase": phase,
        "startTime": object::timestamp(runtime.start)
    });
    let mut set = |key, value| object::set(&mut status, key, value);
    if let Some((reason, message)) = failed {
        set("reason", (*reason).into());
        set("message", message.as_str().into());
    }
    if runtime.is_rejected {
        return status;
    }
    set("conditions", conditions::all(runtime, pod, phase, now).into());
    set("hostIP", host.into());
    set("hostIPs", json!([{"ip": host}]));
    let (inits, mains) = containers(runtime, pod, now);
    if !inits.is_empty() {
        set("initContainerStatuses", inits.into());
    }
    set("containerStatuses", mains.into());
    if let Some(address) = &runtime.address {
        set("podIP", address.as_str().into());
        set("podIPs", json!([{"ip": address.as_str()}]));
    }
    status
}

/// Returns the statuses of the containers that run before others, and those of the others.
fn containers(runtime: &Runtime, pod: &Value, now: Duration) -> (Vec<Value>, Vec<Value>) {
    let is_terminated = runtime.is_terminated();
    let (inits, mains): (Vec<_>, Vec<_>) =
        runtime.containers.iter().partition(|container| container.role != Role::Main);
    let last = inits.iter().rposition(|container| container.has_begun()).unwrap_or_default();
    let waits_for = if inits.is_empty() { "ContainerCreating" } else { "PodInitializing" };
    let of = |container: &Container, is_lost| of_container(container, pod, (waits_for, is_lost), now);
    let inits = inits.iter().enumerate().map(|(index, one)| of(one, is_terminated && index <= last));
    let mains = mains.iter().map(|one| of(one, is_terminated && runtime.was_initialized));
    (inits.collect(), mains.collect())
}

/// Returns the parts of a status that differ from another one, to be merged.
pub(super) fn difference(status: &Value, written: &Value) -> Value {
    let mut changed = json!({});
    for (key, value) in status.as_object().into_iter().flatten() {
        if written.get(key) != Some(value) {
            object::set(&mut changed, key, value.clone());
        }
    }
    if changed.get("conditions").is_some() {
        let conditions = list(status, "/conditions");
        let types = conditions.iter().map(|condition| json!({"type": condition.text("type")}));
        object::set(&mut changed, "$setElementOrder/conditions", Value::Array(types.collect()));
        let known = list(written, "/conditions");
        let merged = conditions.iter().filter_map(|condition| {
            let known = known.iter().find(|known| known.text("type") == condition.text("type"));
            merge_condition(condition, known)
        });
        object::set(&mut changed, "conditions", Value::Array(merged.collect()));
    }
    changed
}

/// Returns a condition that is to be merged into a known one; `None` if it is the same.
fn merge_condition(condition: &Value, known: Option<&Value>) -> Option<Value> {
    let mut merged = condition.clone();
    for field in ["reason", "message"] {
        if condition.get(field).is_none() && known.is_some_and(|known| known.get(field).is_some()) {
            object::set(&mut merged, field, Value::Null);
        }
    }
    (known != Some(condition)).then_some(merged)
}

/// Returns the phase.
fn phase(runtime: &Runtime, now: Duration) -> &'static str {
    let containers = || runtime.containers.iter();
    if runtime.is_terminated() {
        let succeeded = |container: &Container| {
            container.role == Role::Sidecar || container.ended.as_ref().is_some_and(|end| end.code == 0)
        };
        return if containers().all(succeeded) { "Succeeded" } else { "Failed" };
    }
    let begins = |container: &Container| match container.role {
        Role::Main => !container.has_begun(),
        Role::Init => !container.is_ready(now),
        Role::Sidecar => container.ended.is_none() && !container.has_started(now),
    };
    if containers().any(begins) { "Pending" } else { "Running" }
}

/// Returns the status of a container: the reason for which it waits if there is no other, and whether it is lost if it has not begun,
/// because the pod has ended.
fn of_container(
    container: &Container,
    pod: &Value,
    (waits_for, is_lost): (&'static str, bool),
    now: Duration,
) -> Value {
    let waiting = |reason: &str, message: String| {
        let mut waiting = json!({"reason": reason});
        if !message.is_empty() {
            object::set(&mut waiting, "message", message.into());
        }
        json!({"waiting": waiting})
    };
    let (mut last, mut runs) = (container.before.as_ref(), false);
    let state = match (&container.state, &container.ended) {
        (State::Running { since, .. }, ended) => {
            (last, runs) = (ended.as_ref(), true);
            json!({"running": {"startedAt": object::timestamp(*since)}})
        }
        (State::Unconfigured { message, .. }, ended) if !is_lost => {
            last = ended.as_ref();
            waiting(NOT_CONFIGURED, message.clone())
        }
        (State::BackOff { delay, .. }, ended) if !is_lost => {
            last = ended.as_ref();
            waiting("CrashLoopBackOff", container.back_off_message(*delay, pod))
        }
        (_, Some(end)) => json!({"terminated": terminated(end)}),
        (_, None) if is_lost => json!({"terminated": {
            "exitCode": 137,
            "reason": "ContainerStatusUnknown",
            "message": "The container could not be located when the pod was terminated"
        }}),
        (State::Refused(reason, message), None) => waiting(reason, message.clone()),
        (State::PullFailed { shown: Some(_), .. }, None) => {
            waiting("ErrImagePull", container.pull_error.clone().unwrap_or_default())
        }
        (_, None) => match &container.pull_error {
            Some(error) => {
                let image = golang::strconv::quote(container.spec.text("image"));
                waiting("ImagePullBackOff", ["Back-off pulling image ", &image, PULL_ERROR, error].concat())
            }
            None => waiting(waits_for, String::new()),
        },
    };
    let has_run = runs || container.ended.is_some();
    let mut status = json!({
        "name": container.name(),
        "state": state,
        "lastState": last.map_or_else(|| json!({}), |end| json!({"terminated": terminated(end)})),
        "ready": container.is_ready(now),
        "restartCount": container.restarts,
        "image": container.spec.text("image"),
        "imageID": "",
        "started": container.has_started(now)
    });
    if let Some(image) = container.image.as_ref().filter(|_| has_run) {
        object::set(&mut status, "image", image.full().into());
        object::set(&mut status, "imageID", image.id().into());
        let id = match &container.ended {
            Some(end) if !runs => end.id.clone(),
            _ => container.id(pod, container.restarts),
        };
        object::set(&mut status, "containerID", id.into());
        if let Some(resources) = container.spec.get("resources").filter(|_| runs) {
            object::set(&mut status, "resources", resources.clone());
            if let Some(requests) = resources.get("requests") {
                object::set(&mut status, "allocatedResources", requests.clone());
            }
        }
    }
    status
}

fn terminated(end: &End) -> Value {
    let mut terminated = json!({
        "exitCode": end.code,
        "reason": if end.code == 0 { "Completed" } else { "Error" },
        "startedAt": object::timestamp(end.started),
        "finishedAt": object::timestamp(end.finished),
        "containerID": end.id.as_str()
    });
    if !end.message.is_empty() {
        object::set(&mut terminated, "message", end.message.as_str().into());
    }
    terminated
}
