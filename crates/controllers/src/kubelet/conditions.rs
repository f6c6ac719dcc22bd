//! The conditions of a pod.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-conditions>.

use std::time::Duration;

use golang::strconv::quote;
use json_tree::Value;

use super::container::{Container, Role, State};
use super::runtime::Runtime;
use crate::object::list;
use crate::pod;

/// A condition: whether it holds, and why not. Some hold for a reason, too.
struct Holds {
    is_true: bool,
    reason: &'static str,
    message: String,
}

impl Holds {
    fn yes() -> Self {
        Self { is_true: true, reason: "", message: String::new() }
    }

    fn no(reason: &'static str, message: String) -> Self {
        Self { is_true: false, reason, message }
    }
}

/// Returns the conditions that the kubelet writes, in its order.
pub(super) fn all(runtime: &Runtime, pod: &Value, phase: &str, now: Duration) -> Vec<Value> {
    let sandbox = runtime.address.is_some() && !runtime.is_terminated();
    // What has failed is not ready any more, even while some of it runs.
    let phase = if runtime.failed.is_some() { "Failed" } else { phase };
    let has_sandbox = if sandbox { Holds::yes() } else { Holds::no("", String::new()) };
    let containers_ready = containers_ready(runtime, phase, now);
    let ready = ready(pod, &containers_ready);
    let rows = [
        ("PodReadyToStartContainers", has_sandbox),
        ("Initialized", initialized(runtime, phase, now)),
        ("Ready", ready),
        ("ContainersReady", containers_ready),
        ("PodScheduled", Holds::yes()),
    ];
    let known = list(&runtime.written, "/conditions");
    let condition = |(kind, holds): (&str, Holds)| {
        pod::condition((kind, holds.is_true), (holds.reason, &holds.message), pod, known, now)
    };
    rows.map(condition).to_vec()
}

/// Returns names as Go prints a list of them.
fn names<'a>(containers: impl Iterator<Item = &'a Container>) -> String {
    let names: Vec<&str> = containers.map(Container::name).collect();
    ["[", &names.join(" "), "]"].concat()
}

fn initialized(runtime: &Runtime, phase: &str, now: Duration) -> Holds {
    if phase == "Succeeded" {
        return Holds { reason: "PodCompleted", ..Holds::yes() };
    }
    // Sidecars may be started again later.
    let shows_start = |container: &Container| {
        let is_waiting = matches!(container.state, State::BackOff { .. });
        container.role == Role::Main && container.has_begun() && !is_waiting
    };
    let incomplete = || {
        let inits = runtime.containers.iter().filter(|container| container.role != Role::Main);
        inits.filter(|container| !container.lets_others_begin(now))
    };
    if runtime.containers.iter().any(shows_start) || incomplete().next().is_none() {
        return Holds::yes();
    }
    let message = ["containers with incomplete status: ", &names(incomplete())].concat();
    Holds::no("ContainersNotInitialized", message)
}

fn containers_ready(runtime: &Runtime, phase: &str, now: Duration) -> Holds {
    match phase {
        "Succeeded" => return Holds::no("PodCompleted", String::new()),
        "Failed" => return Holds::no("PodFailed", String::new()),
        _ => {}
    }
    let unready = || {
        let counted = runtime.containers.iter().filter(|container| container.role != Role::Init);
        counted.filter(|container| !container.is_ready(now))
    };
    if unready().next().is_none() {
        return Holds::yes();
    }
    Holds::no("ContainersNotReady", ["containers with unready status: ", &names(unready())].concat())
}

fn ready(pod: &Value, containers_ready: &Holds) -> Holds {
    if !containers_ready.is_true {
        return Holds::no(containers_ready.reason, containers_ready.message.clone());
    }
    let conditions = list(pod, "/status/conditions");
    let mut messages = Vec::new();
    for gate in list(pod, "/spec/readinessGates").iter().map(|gate| gate.text("conditionType")) {
        let known = conditions.iter().find(|condition| condition.text("type") == gate);
        let gate = quote(gate);
        match known.map(|known| known.text("status")) {
            Some("True") => {}
            Some(status) => messages
                .push(format!("the status of pod readiness gate {gate} is not \"True\", but {status}")),
            None => {
                messages.push(format!("corresponding condition of pod readiness gate {gate} does not exist."))
            }
        }
    }
    if messages.is_empty() { Holds::yes() } else { Holds::no("ReadinessGatesNotReady", messages.join(", ")) }
}
