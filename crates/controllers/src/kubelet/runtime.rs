//! Pods on a node: which of their containers may begin, are started again, and have to stop.

use std::time::Duration;

use json_tree::{Value, json};

use super::behaviour;
use super::container::{Container, End, Role, State, Work, told_delay};
use super::image::Images;
use crate::events::{EventType, Recorder};
use crate::object::{self, list};
use crate::options::Latencies;
use crate::pod;
use crate::resource::PODS;

/// A pod on the node.
pub(super) struct Runtime {
    pub(super) uid: String,
    /// The containers, those first that run before others.
    pub(super) containers: Vec<Container>,
    pub(super) start: Duration,
    /// The address; none before the pod has one.
    pub(super) address: Option<String>,
    /// The time until which containers may run that have to stop.
    stop: Option<Duration>,
    /// The reason why the pod has failed, and a message, if it is none of its containers.
    pub(super) failed: Option<(&'static str, String)>,
    /// The error in the annotation, until it is told.
    error: Option<String>,
    /// The status as it was last written; before that, the conditions that there are.
    pub(super) written: Value,
}

impl Runtime {
    /// Takes a pod over: from the beginning, or as its status says that it is.
    pub(super) fn new(pod: &Value, now: Duration, images: &mut Images) -> Self {
        let (behaviours, error) = behaviour::of_pod(pod);
        let inits = list(pod, "/spec/initContainers")
            .iter()
            .map(|spec| (spec, if pod::is_sidecar(spec) { Role::Sidecar } else { Role::Init }));
        let mains = list(pod, "/spec/containers").iter().map(|spec| (spec, Role::Main));
        let containers = inits.chain(mains).zip(behaviours);
        let begun = pod.pointer("/status/startTime").and_then(object::time);
        let mut runtime = Self {
            uid: object::uid(pod).to_owned(),
            containers: containers.map(|((spec, role), own)| Container::new(spec, role, own)).collect(),
            start: begun.unwrap_or(now),
            address: Some(pod.text_at("/status/podIP").to_owned()).filter(|address| !address.is_empty()),
            stop: None,
            failed: None,
            error: error.filter(|_| begun.is_none()),
            written: json!({"conditions": list(pod, "/status/conditions").to_vec()}),
        };
        for container in &mut runtime.containers {
            adopt(container, pod, images);
        }
        runtime
    }

    /// Does what is due until nothing is.
    pub(super) fn advance(
        &mut self,
        pod: &Value,
        now: Duration,
        latencies: &Latencies,
        images: &mut Images,
        recorder: &mut Recorder,
    ) {
        let mut work = Work { pod, now, latencies, images, recorder };
        if let Some(error) = self.error.take() {
            let message = format!("The annotation {} is ignored: {error}", behaviour::ANNOTATION);
            work.recorder.report(&PODS, pod, EventType::Warning, "InvalidBehaviour", message);
        }
        self.stop_if_due(&mut work);
        // Each container does a few things at a time, at most: one that ends at once is started again later.
        while self.step(&mut work) {
            self.stop_if_due(&mut work);
        }
    }

    fn step(&mut self, work: &mut Work<'_>) -> bool {
        let mut has_changed = false;
        let mut may_begin = self.stop.is_none() && self.failed.is_none();
        for container in &mut self.containers {
            // Nothing is begun any more where all have to stop.
            if self.stop.is_none() || matches!(container.state, State::Running { .. }) {
                has_changed |= container.advance(may_begin, work);
            }
            let code = container.ended.as_ref().map(|end| end.code);
            if container.state == State::Ended
                && self.stop.is_none()
                && code.is_some_and(|code| container.restarts_after(code, work.pod))
            {
                container.restart(work);
                has_changed = true;
            }
            may_begin &= container.lets_others_begin(work.now);
        }
        has_changed
    }

    /// Has all containers stop: if the pod is deleted, has run for too long, or has nothing to do any more.
    fn stop_if_due(&mut self, work: &mut Work<'_>) {
        let pod = work.pod;
        let seconds = |pointer: &str| {
            let seconds = pod.pointer(pointer).and_then(Value::as_u64);
            seconds.map(Duration::from_secs)
        };
        let grace = seconds("/metadata/deletionGracePeriodSeconds")
            .or_else(|| seconds("/spec/terminationGracePeriodSeconds"))
            .unwrap_or(Duration::from_secs(30));
        let is_late = self.deadline(pod).is_some_and(|deadline| deadline <= work.now);
        if is_late && self.failed.is_none() && !self.has_ended(pod) {
            let message = "Pod was active on the node longer than the specified deadline";
            work.recorder.report(&PODS, pod, EventType::Normal, "DeadlineExceeded", message.to_owned());
            self.failed = Some(("DeadlineExceeded", message.to_owned()));
        }
        let has_to_stop = object::is_being_deleted(pod) || self.failed.is_some() || self.has_ended(pod);
        match self.stop {
            None if has_to_stop => {
                self.stop = Some(work.now.saturating_add(grace));
                for container in &mut self.containers {
                    container.stop(grace, work);
                }
            }
            Some(until) if object::is_being_deleted(pod) => {
                let until = until.min(work.now.saturating_add(grace));
                for container in &mut self.containers {
                    container.hasten(until);
                }
                self.stop = Some(until);
            }
            _ => {}
        }
    }

    /// Returns the time until which the pod may run.
    fn deadline(&self, pod: &Value) -> Option<Duration> {
        let seconds = pod.pointer("/spec/activeDeadlineSeconds").and_then(Value::as_u64)?;
        Some(self.start.saturating_add(Duration::from_secs(seconds)))
    }

    /// Reports whether the pod has done all that it is for, or never will: nothing of it is started again.
    pub(super) fn has_ended(&self, pod: &Value) -> bool {
        let ends = |container: &Container| {
            let code = container.ended.as_ref().map(|end| end.code);
            let code = code.filter(|_| container.state == State::Ended);
            code.filter(|code| self.stop.is_some() || !container.restarts_after(*code, pod))
        };
        let mut inits = self.containers.iter().filter(|container| container.role == Role::Init);
        let mut mains = self.containers.iter().filter(|container| container.role == Role::Main);
        inits.any(|container| ends(container).is_some_and(|code| code != 0))
            || mains.all(|container| ends(container).is_some())
    }

    /// Reports whether a container has come so far that the pod has its place on the node.
    pub(super) fn is_under_way(&self) -> bool {
        let waits =
            |state: &State| matches!(state, State::Waiting | State::Pulling { .. } | State::Creating { .. });
        self.stop.is_none() && self.containers.iter().any(|container| !waits(&container.state))
    }

    /// Reports whether no container runs, and none ever will.
    pub(super) fn has_stopped(&self) -> bool {
        let runs = |container: &Container| matches!(container.state, State::Running { .. });
        self.stop.is_some() && !self.containers.iter().any(runs)
    }

    /// Returns the next time at which something happens to the pod by itself.
    pub(super) fn next_due(&self, pod: &Value, now: Duration) -> Option<Duration> {
        let running =
            |container: &&Container| self.stop.is_none() || matches!(container.state, State::Running { .. });
        let due = self.containers.iter().filter(running).filter_map(|container| container.next_due(now));
        due.chain(self.deadline(pod).filter(|_| self.stop.is_none())).min()
    }
}

/// Has a container be as the status of its pod says.
fn adopt(container: &mut Container, pod: &Value, images: &mut Images) {
    let field = if container.role == Role::Main { "containerStatuses" } else { "initContainerStatuses" };
    let statuses = pod.pointer("/status").map_or(&[][..], |status| list(status, &["/", field].concat()));
    let Some(status) = statuses.iter().find(|status| status.text("name") == container.name()) else { return };
    let read = |pointer: &str| status.pointer(pointer).and_then(object::time).unwrap_or_default();
    let end = |field: &str| {
        status.pointer(field).filter(|end| !end.is_null()).map(|end| End {
            code: object::int(end, "/exitCode"),
            started: read(&[field, "/startedAt"].concat()),
            finished: read(&[field, "/finishedAt"].concat()),
            id: end.text("containerID").to_owned(),
        })
    };
    container.restarts = object::int(status, "/restartCount");
    container.crashes = u32::try_from(container.restarts).unwrap_or(u32::MAX);
    container.ended = end("/lastState/terminated");
    if let Some(end) = end("/state/terminated") {
        container.before = container.ended.replace(end);
        container.state = State::Ended;
    } else if status.pointer("/state/running").is_some_and(|running| !running.is_null()) {
        let since = read("/state/running/startedAt");
        let exit = container.behaviour.exit.map(|(code, after)| (since.saturating_add(after), code));
        container.state = State::Running { since, exit };
    } else if let Some(delay) = told_delay(status.text_at("/state/waiting/message")) {
        let finished = container.ended.as_ref().map_or(Duration::ZERO, |end| end.finished);
        container.crashes = container.crashes.saturating_add(1);
        container.state = State::BackOff { until: finished.saturating_add(delay), delay };
    }
    if !status.text("imageID").is_empty()
        && let Some(image) = &container.image
    {
        images.add(image, Duration::ZERO);
    }
}
