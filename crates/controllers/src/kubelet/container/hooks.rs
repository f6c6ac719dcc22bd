//! The end of a container, and its hooks: commands that are run in it after its start, and before it is told to stop.
//!
//! See <https://kubernetes.io/docs/concepts/containers/container-lifecycle-hooks/>.

use std::time::Duration;

use json_tree::Value;

use super::{Container, SHORTEST_GRACE, SHORTEST_STOP, State, Work};
use crate::events::EventType;
use crate::kubelet::program::{CommandOutcome, Doing};
use crate::object::{self, list};
use crate::pod::seconds;

/// The field of a pod that has its grace period, and what that is otherwise.
const GRACE: &str = "/spec/terminationGracePeriodSeconds";
const DEFAULT_GRACE: Duration = Duration::from_secs(30);

impl Container {
    /// Runs the hook after the start. Where that fails, the container is killed.
    pub(super) fn run_post_start(&mut self, pod: &Value, work: &mut Work<'_>) {
        let Some(ran) = self.run_hook("/lifecycle/postStart", work) else { return };
        if ran.has_failed() {
            self.report(work, EventType::Warning, "FailedPostStartHook", "PostStartHook failed".to_owned());
            self.report(work, EventType::Normal, "Killing", "FailedPostStartHook".to_owned());
            self.kill_after(None, work);
        } else {
            self.look(pod, work.volumes);
        }
    }

    /// Runs the hook before it is told to stop, and returns for how long.
    pub(super) fn run_pre_stop(&mut self, work: &mut Work<'_>) -> Duration {
        let sleep = seconds(object::int(&self.spec, "/lifecycle/preStop/sleep/seconds"));
        let Some(ran) = self.run_hook("/lifecycle/preStop", work) else { return sleep };
        if ran.has_failed() {
            self.report(work, EventType::Warning, "FailedPreStopHook", "PreStopHook failed".to_owned());
        }
        ran.time
    }

    /// Runs the command of a hook, and keeps what it writes; `None` if there is none, or no program in whose place it could be run.
    fn run_hook(&self, hook: &str, work: &Work<'_>) -> Option<CommandOutcome> {
        let words = list(self.spec.pointer(hook)?, "/exec/command").iter();
        let words: Vec<String> = words.map(|word| word.as_text().to_owned()).collect();
        let Doing::Runs(program) = &self.doing else { return None };
        if words.is_empty() || !self.runs() {
            return None;
        }
        let seen = program.seen_at(&[work.now]).pop()?;
        let ran = program.run_beside(&words, &seen);
        work.volumes.add(program.shell.places(), ran.written.clone());
        Some(ran)
    }

    /// Has it be killed after a grace period, if it has not ended by then: that of its pod, unless there is another one. Its program does
    /// not hear that it is to stop.
    pub(super) fn kill_after(&mut self, grace: Option<i64>, work: &Work<'_>) {
        let grace = grace.or_else(|| work.pod.pointer(GRACE)?.as_i64()).map_or(DEFAULT_GRACE, seconds);
        if let State::Running { exit, .. } = &mut self.state {
            let stop = (work.now.saturating_add(grace.max(SHORTEST_STOP)), 137);
            *exit = Some(exit.filter(|known| known.0 <= stop.0).unwrap_or(stop));
        }
    }

    /// Stops a container that runs: it ends soon, or is killed after a time if it ignores that. It is told to stop after its hook, for
    /// which there is as much time, and is not killed at once even where the hook has taken all of it.
    pub(in super::super) fn stop(&mut self, grace: Duration, work: &mut Work<'_>) {
        let grace = grace.max(SHORTEST_GRACE);
        let message = ["Stopping container ", self.name()].concat();
        if self.runs() {
            self.report(work, EventType::Normal, "Killing", message);
        }
        let hook = self.run_pre_stop(work).min(grace);
        let killed = hook.saturating_add((grace - hook).max(SHORTEST_STOP));
        let ends = hook.saturating_add(work.latencies.stop);
        let ignores = self.behaviour.ignores_term;
        if let State::Running { exit, .. } = &mut self.state {
            let (after, code) = if ignores || ends > killed { (killed, 137) } else { (ends, 0) };
            let stop = (work.now.saturating_add(after), code);
            *exit = Some(exit.filter(|known| known.0 <= stop.0).unwrap_or(stop));
        }
    }
}
