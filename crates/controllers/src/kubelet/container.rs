//! Containers: nothing runs, but time passes as if it did.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#container-states>.

mod beginning;
mod hooks;
mod probing;

use std::sync::Arc;
use std::time::Duration;

use golang::strconv::quote;
use golang::time::format_duration;
use json_tree::Value;

use super::behaviour::Behaviour;
use super::exec::Environment;
use super::image::{Images, Reference, hexadecimal};
use super::probe::Times;
use super::program::Doing;
use super::termination;
use super::volumes::Volumes;
use crate::events::{EventType, Recorder};
use crate::object;
use crate::options::Latencies;
use crate::pace::{Doubling, has_come};
use crate::resource::PODS;
use beginning::with_addresses;

/// The delays before a container is started again, and before an image is pulled again.
pub(super) const BACK_OFF: Doubling =
    Doubling { first: Duration::from_secs(10), longest: Duration::from_secs(300) };

/// The time after which a container that runs has not failed.
const FORGIVEN: Duration = Duration::from_secs(600);

/// The time for which the error of a pull is shown, and not that it will be tried again.
pub(super) const SHOWN: Duration = Duration::from_secs(1);

/// The time after which a container is tried again that could not be created. A real kubelet takes 10 to 15 s, by chance.
const TRIED_AGAIN: Duration = Duration::from_secs(12);

/// The shortest grace period, and the time that a container has at least from the signal to stop until it is killed.
const SHORTEST_GRACE: Duration = Duration::from_secs(1);
const SHORTEST_STOP: Duration = Duration::from_secs(2);

/// The reasons why an image is not pulled.
pub(super) const NEVER_PULL: &str = "ErrImageNeverPull";
pub(super) const INVALID_NAME: &str = "InvalidImageName";

/// The reason why a container is not created.
pub(super) const NOT_CONFIGURED: &str = "CreateContainerConfigError";

/// The kind of a container: one that runs before others, such a one that goes on running, or any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Init,
    Sidecar,
    Main,
}

/// The end of a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub(super) code: i64,
    pub(super) started: Duration,
    pub(super) finished: Duration,
    pub(super) id: String,
    pub(super) message: String,
}

/// The state of a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It waits for its turn, or is to be started again.
    Waiting,
    /// The image is pulled since a time until another one, and for some of it really.
    Pulling {
        since: Duration,
        until: Duration,
        pull: Duration,
    },
    /// The image is not pulled: the reason and the message.
    Refused(&'static str, String),
    /// The image could not be pulled; it is tried again at a time. Until another, if there is one, the error alone is shown.
    PullFailed {
        shown: Option<Duration>,
        until: Duration,
    },
    Creating {
        until: Duration,
    },
    /// It runs since a time; until another, if it ends, and with an exit code.
    Running {
        since: Duration,
        exit: Option<(Duration, i64)>,
    },
    /// It is not created, because something is missing that it refers to; it is tried again at a time.
    Unconfigured {
        message: String,
        until: Duration,
    },
    /// It is started again later.
    BackOff {
        until: Duration,
        delay: Duration,
    },
    Ended,
}

/// A container of a pod.
pub(super) struct Container {
    pub(super) spec: Value,
    pub(super) role: Role,
    /// The program, or the behaviour, from its next start on.
    doing: Doing,
    /// The behaviour since its last start.
    pub(super) behaviour: Behaviour,
    /// The course of its probes, if commands probe it.
    course: Option<Arc<Times>>,
    /// True once it is to stop because a probe has failed too often.
    is_killed: bool,
    pub(super) state: State,
    /// The name of its image; `None` if it is wrong.
    pub(super) image: Option<Reference>,
    pub(super) restarts: i64,
    /// The last end, and the one before.
    pub(super) ended: Option<End>,
    pub(super) before: Option<End>,
    /// The number of failures that the next delay is for.
    pub(super) crashes: u32,
    pub(super) failed_pulls: u32,
    /// The error of the last pull, if it failed.
    pub(super) pull_error: Option<String>,
    /// The number of failures of its probe that were told.
    pub(super) told: u32,
    /// The reason why it cannot be created.
    pub(super) unconfigured: Option<String>,
    /// The variables of Services that it is started with.
    pub(super) links: Arc<Environment>,
}

/// The things that a container needs while time passes.
pub(super) struct Work<'a> {
    pub(super) pod: &'a Value,
    pub(super) now: Duration,
    /// The address that the pod has, or will have, and that of the node.
    pub(super) address: &'a str,
    pub(super) host: &'a str,
    pub(super) latencies: &'a Latencies,
    pub(super) images: &'a mut Images,
    pub(super) volumes: &'a Volumes,
    pub(super) recorder: &'a mut Recorder,
}

impl Container {
    /// Makes a container that has not begun.
    pub(super) fn new(spec: &Value, role: Role, doing: Doing) -> Self {
        Self {
            image: Reference::parse(spec.text("image")),
            spec: spec.clone(),
            role,
            doing,
            behaviour: Behaviour::default(),
            course: None,
            is_killed: false,
            state: State::Waiting,
            restarts: 0,
            ended: None,
            before: None,
            crashes: 0,
            failed_pulls: 0,
            pull_error: None,
            told: 0,
            unconfigured: None,
            links: Arc::default(),
        }
    }

    /// Has it do something else from its next start on.
    pub(super) fn take(&mut self, doing: Doing) {
        self.doing = doing;
    }

    /// Returns the name.
    pub(super) fn name(&self) -> &str {
        self.spec.text("name")
    }

    /// Reports something about the container.
    pub(super) fn report(&self, work: &mut Work<'_>, kind: EventType, reason: &'static str, message: String) {
        let list = if self.role == Role::Main { "containers" } else { "initContainers" };
        let path = ["spec.", list, "{", self.name(), "}"].concat();
        work.recorder.report_part(&PODS, work.pod, &path, kind, reason, message);
    }

    /// Reports whether it is started again after an end.
    pub(super) fn restarts_after(&self, code: i64, pod: &Value) -> bool {
        let own = self.spec.text("restartPolicy");
        let policy = if own.is_empty() { pod.text_at("/spec/restartPolicy") } else { own };
        policy != "Never" && (code != 0 || (policy != "OnFailure" && self.role != Role::Init))
    }

    /// Reports whether it runs.
    pub(super) fn runs(&self) -> bool {
        matches!(self.state, State::Running { .. })
    }

    /// Reports whether it runs, or has run.
    pub(super) fn has_begun(&self) -> bool {
        self.runs() || self.ended.is_some()
    }

    /// Reports whether it is about to be created, perhaps not for the first time, or tried again.
    pub(super) fn looks_again(&self, now: Duration) -> bool {
        match self.state {
            State::Waiting => self.ended.is_some(),
            State::BackOff { until, .. } | State::Unconfigured { until, .. } => has_come(until, now),
            State::Running { exit: Some((at, _)), .. } => has_come(at, now),
            _ => false,
        }
    }

    /// Reports whether it waits for an image that somebody else has to pull.
    pub(super) fn waits_for_image(&self) -> bool {
        matches!(self.state, State::Refused(NEVER_PULL, _))
    }

    /// Reports whether those after it may begin.
    pub(super) fn lets_others_begin(&self, now: Duration) -> bool {
        match self.role {
            Role::Init => self.is_ready(now),
            Role::Sidecar => self.has_started(now),
            Role::Main => true,
        }
    }

    /// Returns the next time at which something happens to it by itself.
    pub(super) fn next_due(&self, now: Duration) -> Option<Duration> {
        let later = |at: &Duration| *at > now;
        match &self.state {
            State::Waiting | State::Refused(..) | State::Ended => None,
            State::Pulling { until, .. } | State::Creating { until } | State::BackOff { until, .. } => {
                Some(*until)
            }
            // Once its turn has come, it is begun with whatever it waits for.
            State::Unconfigured { until, .. } => Some(*until).filter(later),
            State::PullFailed { shown, until } => Some(shown.unwrap_or(*until)).filter(later),
            State::Running { exit, .. } => {
                let times = self.times();
                let changes = times.iter().flat_map(|times| {
                    let killed = times.killed.filter(|_| !self.is_killed).map(|(at, _)| at);
                    times.changes(now).chain(times.failures.after(self.told)).chain(killed)
                });
                changes.chain(exit.map(|(at, _)| at)).min()
            }
        }
    }

    /// Does what is due, and reports whether something was. Only one that may begin is started.
    pub(super) fn advance(&mut self, may_begin: bool, work: &mut Work<'_>) -> bool {
        let now = work.now;
        match self.state.clone() {
            State::Waiting if may_begin => self.ensure_image(work),
            State::Refused(NEVER_PULL, _) if may_begin && self.has_image(work) => self.ensure_image(work),
            State::Pulling { since, until, pull } if has_come(until, now) => self.pulled(since, pull, work),
            State::PullFailed { shown: Some(shown), until } if has_come(shown, now) => {
                let message = format!("Back-off pulling image {}", quote(self.spec.text("image")));
                self.report(work, EventType::Normal, "BackOff", message);
                self.report(work, EventType::Warning, "Failed", "Error: ImagePullBackOff".to_owned());
                self.state = State::PullFailed { shown: None, until };
            }
            State::PullFailed { until, .. } if has_come(until, now) && may_begin => self.ensure_image(work),
            State::Creating { until } if has_come(until, now) => self.start(work),
            State::Unconfigured { until, .. } if has_come(until, now) && may_begin => self.ensure_image(work),
            State::BackOff { until, .. } if has_come(until, now) => self.state = State::Waiting,
            State::Running { exit: Some((at, code)), .. } if has_come(at, now) => self.end(at, code, work),
            State::Running { .. } => return self.tell_probe(work),
            _ => return false,
        }
        true
    }

    /// Reports whether the image is on the node.
    fn has_image(&self, work: &Work<'_>) -> bool {
        let reachable = self.image.as_ref().filter(|image| image.unreachable().is_none());
        reachable.is_some_and(|image| work.images.has(image, work.now))
    }

    /// Pulls the image, unless that is not to be done or cannot be.
    fn ensure_image(&mut self, work: &mut Work<'_>) {
        let name = quote(self.spec.text("image"));
        let Some(image) = self.image.clone() else {
            let why = format!("couldn't parse image name {name}: invalid reference format");
            let message = format!("Failed to apply default image tag {name}: {why}");
            self.report(work, EventType::Warning, "InspectFailed", message.clone());
            return self.refuse(INVALID_NAME, message, work);
        };
        match (self.spec.text("imagePullPolicy"), self.has_image(work)) {
            ("Never", false) => {
                let message = format!("Container image {name} is not present with pull policy of Never");
                self.report(work, EventType::Warning, NEVER_PULL, message.clone());
                self.refuse(NEVER_PULL, message, work);
            }
            ("Never" | "IfNotPresent", true) => {
                let message = format!(
                    "Container image {name} already present on machine and can be accessed by the pod"
                );
                self.report(work, EventType::Normal, "Pulled", message);
                self.create(work);
            }
            _ => {
                self.report(work, EventType::Normal, "Pulling", format!("Pulling image {name}"));
                let (pull, until) = match image.unreachable() {
                    Some(_) => (work.latencies.pull, work.now.saturating_add(work.latencies.pull)),
                    None => work.images.pull(&image, work.latencies, work.now),
                };
                self.state = State::Pulling { since: work.now, until, pull };
            }
        }
    }

    fn refuse(&mut self, reason: &'static str, message: String, work: &mut Work<'_>) {
        self.report(work, EventType::Warning, "Failed", ["Error: ", reason].concat());
        self.state = State::Refused(reason, message);
    }

    /// Ends a pull.
    fn pulled(&mut self, since: Duration, pull: Duration, work: &mut Work<'_>) {
        let Some(image) = self.image.clone() else { return };
        let name = quote(self.spec.text("image"));
        if let Some(error) = image.unreachable() {
            self.report(work, EventType::Warning, "Failed", format!("Failed to pull image {name}: {error}"));
            self.report(work, EventType::Warning, "Failed", "Error: ErrImagePull".to_owned());
            let until = work.now.saturating_add(BACK_OFF.after(self.failed_pulls));
            self.failed_pulls = self.failed_pulls.saturating_add(1);
            self.pull_error = Some(error);
            self.state = State::PullFailed { shown: Some(work.now.saturating_add(SHOWN)), until };
            return;
        }
        let waited = work.now.saturating_sub(since).as_millis();
        let [own, all] = [pull.as_millis(), waited].map(go_milliseconds);
        let size = image.size();
        let message = format!(
            "Successfully pulled image {name} in {own} ({all} including waiting). Image size: {size} bytes."
        );
        self.report(work, EventType::Normal, "Pulled", message);
        self.create(work);
    }

    /// Creates the container, unless something is missing that it refers to.
    fn create(&mut self, work: &mut Work<'_>) {
        let Some(message) = self.unconfigured.clone() else {
            self.state = State::Creating { until: work.now.saturating_add(work.latencies.start) };
            return;
        };
        self.report(work, EventType::Warning, "Failed", ["Error: ", &message].concat());
        self.state = State::Unconfigured { message, until: work.now.saturating_add(TRIED_AGAIN) };
    }

    fn start(&mut self, work: &mut Work<'_>) {
        self.report(work, EventType::Normal, "Created", "Container created".to_owned());
        self.report(work, EventType::Normal, "Started", "Container started".to_owned());
        if self.ended.is_some() {
            self.restarts += 1;
        }
        self.told = 0;
        self.failed_pulls = 0;
        self.pull_error = None;
        let told = matches!(self.doing, Doing::Runs(_)).then(|| with_addresses(work));
        let pod = told.as_ref().unwrap_or(work.pod);
        self.begin(pod, work.now, work.volumes);
        let exit = self.behaviour.exit.map(|(code, after)| (work.now.saturating_add(after), code));
        self.state = State::Running { since: work.now, exit };
        self.run_post_start(pod, work);
    }

    /// Returns the identifier of the container that runs, or is to run next.
    pub(super) fn id(&self, pod: &Value, restarts: i64) -> String {
        let seed = format!("{}/{}/{restarts}", object::uid(pod), self.name());
        ["containerd://", &hexadecimal(&seed)].concat()
    }

    fn end(&mut self, at: Duration, code: i64, work: &Work<'_>) {
        let State::Running { since, .. } = self.state else { return };
        self.before = self.ended.take();
        let id = self.id(work.pod, self.restarts);
        let written = work.volumes.end(&id, at);
        let message = termination::message(&self.spec, code, &written, (&self.behaviour, since, at));
        self.ended = Some(End { code, started: since, finished: at, id, message });
        if at.saturating_sub(since) > FORGIVEN {
            self.crashes = 0;
        }
        self.state = State::Ended;
    }

    /// Has a container be started again that has ended: at once the first time, and then later each time.
    pub(super) fn restart(&mut self, work: &mut Work<'_>) {
        let finished = self.ended.as_ref().map_or(work.now, |end| end.finished);
        let crashes = self.crashes;
        self.crashes = crashes.saturating_add(1);
        let Some(failures) = crashes.checked_sub(1) else {
            self.state = State::Waiting;
            return;
        };
        let delay = BACK_OFF.after(failures);
        let (name, pod) = (self.name(), full_name(work.pod));
        let message = format!("Back-off restarting failed container {name} in pod {pod}");
        self.report(work, EventType::Warning, "BackOff", message);
        self.state = State::BackOff { until: finished.saturating_add(delay), delay };
    }

    /// Returns the message of a container that is started again later.
    pub(super) fn back_off_message(&self, delay: Duration, pod: &Value) -> String {
        let (delay, name) = (go_duration(delay), self.name());
        format!("back-off {delay} restarting failed container={name} pod={}", full_name(pod))
    }
}

/// Returns the name by which kubelets call a pod.
fn full_name(pod: &Value) -> String {
    format!("{}_{}({})", object::name(pod), object::namespace(pod), object::uid(pod))
}

/// Returns so many milliseconds as Go prints them.
fn go_milliseconds(count: u128) -> String {
    go_duration(Duration::from_millis(u64::try_from(count).unwrap_or(u64::MAX)))
}

fn go_duration(time: Duration) -> String {
    format_duration(i64::try_from(time.as_nanos()).unwrap_or(i64::MAX))
}
