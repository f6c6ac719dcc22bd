//! The beginning of a container: what its program will do, and what its probes will find.

use std::sync::Arc;
use std::time::Duration;

use json_tree::{Value, json};

use super::{Container, Role, State, Work};
use crate::kubelet::probe::course::course;
use crate::kubelet::program::Doing;
use crate::kubelet::volumes::Volumes;
use crate::object;

impl Container {
    /// Begins what it does, at a time: anew, or where another kubelet had begun it that is no more.
    pub(in super::super) fn begin(&mut self, pod: &Value, since: Duration, volumes: &Volumes) {
        let id = self.id(pod, self.restarts);
        let before_last = self.id(pod, self.restarts - 2);
        let names = (object::uid(pod), self.spec.text("name"));
        (self.course, self.is_killed) = (None, false);
        volumes.link(names, &self.links);
        match &mut self.doing {
            Doing::Told(told) => self.behaviour = told.clone(),
            Doing::Runs(program) => {
                match volumes.program(&id) {
                    Some(known) => **program = known,
                    None => {
                        program.begin_at(since);
                        program.tell_addresses(pod, &self.spec);
                        volumes.start(names, (&id, &before_last), program);
                    }
                }
                self.foresee(pod, since);
            }
        }
        self.end_if_awaited();
    }

    /// Has one end at once of which no end is known, and for which others wait.
    fn end_if_awaited(&mut self) {
        if self.role == Role::Init {
            self.behaviour.exit.get_or_insert((0, Duration::ZERO));
        }
    }

    /// Finds out what its program will do that runs since a time, and its probes.
    fn foresee(&mut self, pod: &Value, since: Duration) {
        let Doing::Runs(program) = &self.doing else { return };
        self.behaviour = program.behaviour(None);
        let end = self.behaviour.exit.map(|(_, after)| since.saturating_add(after));
        self.course = course((pod, &self.spec), program, since, end).map(Arc::new);
    }

    /// Finds out what will happen now that somebody has changed its files.
    pub(in super::super) fn look(&mut self, pod: &Value, volumes: &Volumes) {
        let State::Running { since, exit } = self.state else { return };
        let (id, before) = (self.id(pod, self.restarts), self.behaviour.exit);
        let Doing::Runs(program) = &mut self.doing else { return };
        let Some(known) = volumes.program(&id) else { return };
        **program = known;
        self.foresee(pod, since);
        self.end_if_awaited();
        // One that is to stop ends as it was told to.
        let own =
            |exit: Option<(i64, Duration)>| exit.map(|(code, after)| (since.saturating_add(after), code));
        if exit == own(before) {
            self.state = State::Running { since, exit: own(self.behaviour.exit) };
        }
    }
}

/// Returns a pod whose status has the addresses, whether they are written or not.
pub(super) fn with_addresses(work: &Work<'_>) -> Value {
    let mut pod = work.pod.clone();
    let status = object::child(&mut pod, "status");
    for (one, all, address) in [("podIP", "podIPs", work.address), ("hostIP", "hostIPs", work.host)] {
        if status.text(one).is_empty() {
            object::set(status, one, address.into());
            object::set(status, all, json!([{"ip": address}]));
        }
    }
    pod
}
