//! Probes of a container: when it has started, when it is ready, and that it is killed when they have failed too often.
//!
//! See <https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/>.

use std::sync::Arc;
use std::time::Duration;

use json_tree::Value;

use super::{Container, Role, State, Work};
use crate::events::EventType;
use crate::kubelet::probe::{self, Times, times};
use crate::pace::has_come;

impl Container {
    /// Returns the times of its probes, if it runs.
    pub(in super::super) fn times(&self) -> Option<Arc<Times>> {
        let State::Running { since, .. } = self.state else { return None };
        let simple = || Arc::new(times(&self.spec, self.behaviour.readiness, since));
        Some(self.course.clone().unwrap_or_else(simple))
    }

    /// Reports whether it runs, and has started.
    pub(in super::super) fn has_started(&self, now: Duration) -> bool {
        self.times().and_then(|times| times.started).is_some_and(|started| started <= now)
    }

    /// Reports whether it is ready; for one that runs before others, whether it has done what it is for.
    pub(in super::super) fn is_ready(&self, now: Duration) -> bool {
        match self.role {
            Role::Init => self.state == State::Ended && self.ended.as_ref().is_some_and(|end| end.code == 0),
            _ => self.times().is_some_and(|times| times.is_ready(now)),
        }
    }

    /// Reports a failure of a probe, if there is one that was not told, and has the container stop that a probe kills.
    pub(super) fn tell_probe(&mut self, work: &mut Work<'_>) -> bool {
        let Some(times) = self.times() else { return false };
        if times.failures.after(self.told).is_some_and(|at| has_come(at, work.now)) {
            let message = match times.failures.message(self.told) {
                Some(message) => message.to_owned(),
                None => ["Readiness probe failed: ", &probe::error(&self.spec, work.address)].concat(),
            };
            self.told += 1;
            self.report(work, EventType::Warning, "Unhealthy", message);
            return true;
        }
        match times.killed {
            Some((at, probe)) if has_come(at, work.now) && !self.is_killed => {
                self.kill(probe, work);
                true
            }
            _ => false,
        }
    }

    /// Has a container stop because a probe has failed too often.
    fn kill(&mut self, probe: &str, work: &mut Work<'_>) {
        self.is_killed = true;
        let message = format!("Container {} failed {probe} probe, will be restarted", self.name());
        self.report(work, EventType::Normal, "Killing", message);
        let own = self.spec.pointer(&["/", probe, "Probe/terminationGracePeriodSeconds"].concat());
        let grace = own.and_then(Value::as_i64);
        self.run_pre_stop(work);
        self.kill_after(grace, work);
    }
}
