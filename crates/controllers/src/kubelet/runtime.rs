//! Pods on a node: which of their containers may begin, are started again, and have to stop.

use std::sync::Arc;
use std::time::Duration;

use json_tree::{Value, json};

use super::container::{Container, Role, State, Work};
use super::exec::Objects;
use super::image::Images;
use super::volumes::Volumes;
use super::{behaviour, needed, program, takeover};
use crate::events::EventType;
use crate::object::{self, list};
use crate::pace::{Doubling, has_come};
use crate::pod;
use crate::resource::PODS;

/// The delays before volumes are mounted again.
const MOUNT_BACK_OFF: Doubling =
    Doubling { first: Duration::from_millis(500), longest: Duration::from_secs(122) };

/// A pod on the node.
pub(super) struct Runtime {
    pub(super) uid: String,
    /// The containers, those first that run before others.
    pub(super) containers: Vec<Container>,
    pub(super) start: Duration,
    /// The address; none before the pod has one.
    pub(super) address: Option<String>,
    /// The volumes that cannot be mounted, and why.
    unmounted: Vec<(String, String)>,
    /// The time at which volumes are mounted that are not yet; and how often that has failed.
    mounts: Option<Duration>,
    failed_mounts: u32,
    /// The time until which containers may run that have to stop.
    stop: Option<Duration>,
    /// True if main containers could begin before all had to stop.
    pub(super) was_initialized: bool,
    /// The reason why the pod has failed, and a message, if it is none of its containers.
    pub(super) failed: Option<(&'static str, String)>,
    /// True if the pod was refused.
    pub(super) is_rejected: bool,
    /// The error in the annotation, until it is told.
    error: Option<String>,
    /// The status as it was last written; before that, the conditions that there are.
    pub(super) written: Value,
}

impl Runtime {
    /// Takes a pod over: from the beginning, or as its status says that it is.
    pub(super) fn new(
        pod: &Value,
        objects: &Objects,
        now: Duration,
        (images, volumes): (&mut Images, &Volumes),
    ) -> Self {
        let (doings, error) = program::doings(pod, objects);
        let inits = list(pod, "/spec/initContainers")
            .iter()
            .map(|spec| (spec, if pod::is_sidecar(spec) { Role::Sidecar } else { Role::Init }));
        let mains = list(pod, "/spec/containers").iter().map(|spec| (spec, Role::Main));
        let containers = inits.chain(mains).zip(doings);
        let begun = Some(pod::start(pod)).filter(|start| *start < Duration::MAX);
        let mut runtime = Self {
            uid: object::uid(pod).to_owned(),
            containers: containers.map(|((spec, role), own)| Container::new(spec, role, own)).collect(),
            start: begun.unwrap_or(now),
            address: Some(pod.text_at("/status/podIP").to_owned()).filter(|address| !address.is_empty()),
            unmounted: needed::unmounted(pod, objects),
            mounts: Some(now),
            failed_mounts: 0,
            stop: None,
            was_initialized: false,
            failed: None,
            is_rejected: false,
            error: error.filter(|_| begun.is_none()),
            written: json!({"conditions": list(pod, "/status/conditions").to_vec()}),
        };
        for container in &mut runtime.containers {
            container.unconfigured = needed::unconfigured(pod, &container.spec, objects);
            container.links = Arc::clone(&objects.links);
            takeover::adopt(container, pod, now, (images, volumes));
        }
        if runtime.containers.iter().any(Container::has_begun) {
            runtime.mounts = None;
        }
        runtime
    }

    /// Reports whether something begins now that needs the objects to which the pod refers.
    pub(super) fn looks_again(&self, now: Duration) -> bool {
        let mounts = self.mounts.is_some_and(|at| has_come(at, now));
        !self.is_terminating()
            && (mounts || self.containers.iter().any(|container| container.looks_again(now)))
    }

    /// Takes the objects to which the pod refers, as they are now.
    pub(super) fn look(&mut self, pod: &Value, objects: &Objects, now: Duration) {
        self.unmounted = needed::unmounted(pod, objects);
        let (doings, _) = program::doings(pod, objects);
        for (container, doing) in self.containers.iter_mut().zip(doings) {
            container.unconfigured = needed::unconfigured(pod, &container.spec, objects);
            if !container.runs() || container.looks_again(now) {
                container.links = Arc::clone(&objects.links);
                container.take(doing);
            }
        }
    }

    /// Refuses the pod, which has not begun.
    pub(super) fn reject(&mut self, reason: &'static str, why: &str) {
        self.failed = Some((reason, ["Pod was rejected: ", why].concat()));
        self.stop = Some(Duration::ZERO);
        self.error = None;
        self.is_rejected = true;
    }

    /// Does what is due until nothing is.
    pub(super) fn advance(&mut self, work: &mut Work<'_>) {
        if let Some(error) = self.error.take() {
            let message = format!("The annotation {} is ignored: {error}", behaviour::ANNOTATION);
            work.recorder.report(&PODS, work.pod, EventType::Warning, "InvalidBehaviour", message);
        }
        self.stop_if_due(work);
        self.mount(work);
        // Each container does a few things at a time, at most: one that ends at once is started again later.
        while self.step(work) {
            self.stop_if_due(work);
        }
    }

    /// Mounts the volumes, if that is due.
    fn mount(&mut self, work: &mut Work<'_>) {
        if self.is_terminating() || self.mounts.is_none_or(|at| !has_come(at, work.now)) {
            return;
        }
        for (volume, why) in &self.unmounted {
            let message = format!("MountVolume.SetUp failed for volume {volume:?} : {why}");
            work.recorder.report(&PODS, work.pod, EventType::Warning, "FailedMount", message);
        }
        let delay = MOUNT_BACK_OFF.after(self.failed_mounts);
        self.mounts = (!self.unmounted.is_empty()).then(|| work.now.saturating_add(delay));
        self.failed_mounts = self.failed_mounts.saturating_add(1);
    }

    fn step(&mut self, work: &mut Work<'_>) -> bool {
        let mut has_changed = false;
        let is_terminating = self.is_terminating();
        let mut may_begin = !is_terminating && self.mounts.is_none();
        // Whatever has begun once is begun again, even if those before it do not run any more.
        let last = self.containers.iter().rposition(Container::has_begun);
        for (index, container) in self.containers.iter_mut().enumerate() {
            // Nothing is begun any more where all have to stop.
            if !is_terminating || container.runs() {
                has_changed |= container.advance(may_begin, work);
            }
            let code = container.ended.as_ref().map(|end| end.code);
            if container.state == State::Ended
                && !is_terminating
                && code.is_some_and(|code| container.restarts_after(code, work.pod))
            {
                container.restart(work);
                has_changed = true;
            }
            may_begin &= Some(index) < last || container.lets_others_begin(work.now);
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
        let is_deleted = object::is_being_deleted(pod);
        let until = work.now.saturating_add(grace);
        let is_due = match self.stop {
            None => is_deleted || self.failed.is_some() || self.has_ended(pod),
            // There is less time now.
            Some(known) => is_deleted && until < known,
        };
        if is_due {
            if !self.is_terminating() {
                self.was_initialized = self.is_initialized();
            }
            self.stop = Some(until);
            for container in &mut self.containers {
                container.stop(grace, work);
            }
        }
    }

    /// Reports whether main containers may have begun: one has, or the last one before them has done what it is for.
    fn is_initialized(&self) -> bool {
        let last = self.containers.iter().rfind(|container| container.role != Role::Main);
        let has_succeeded = |last: &Container| last.ended.as_ref().is_some_and(|end| end.code == 0);
        let mut mains = self.containers.iter().filter(|container| container.role == Role::Main);
        last.is_none_or(has_succeeded) || mains.any(Container::has_begun)
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
        !self.is_terminating() && self.containers.iter().any(|container| !waits(&container.state))
    }

    /// Reports whether a container waits for an image that somebody else has to pull.
    pub(super) fn waits_for_image(&self) -> bool {
        !self.is_terminating() && self.containers.iter().any(Container::waits_for_image)
    }

    /// Reports whether all containers have to stop.
    fn is_terminating(&self) -> bool {
        self.stop.is_some()
    }

    /// Reports whether no container runs, and none ever will.
    pub(super) fn is_terminated(&self) -> bool {
        self.is_terminating() && !self.containers.iter().any(Container::runs)
    }

    /// Returns the next time at which something happens to the pod by itself.
    pub(super) fn next_due(&self, pod: &Value, now: Duration) -> Option<Duration> {
        let is_due = |container: &&Container| !self.is_terminating() || container.runs();
        let due = self.containers.iter().filter(is_due).filter_map(|container| container.next_due(now));
        let mounts = self.mounts.filter(|at| *at > now);
        due.chain(self.deadline(pod).into_iter().chain(mounts).filter(|_| !self.is_terminating())).min()
    }
}
