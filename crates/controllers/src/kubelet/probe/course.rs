//! The course of a container whose program is known, and that commands probe: what they would find as time passes.
//!
//! See <https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/>.

use std::time::Duration;

use json_tree::Value;

use super::{Failures, Ticks, Times, probe};
use crate::kubelet::program::Program;
use crate::object::list;

/// The most times that a probe is made. After that, it goes on as it did.
const MOST_TICKS: u32 = 200;

/// The three probes of a container: the field, and the names in events.
const STARTUP: (&str, &str, &str) = ("startupProbe", "Startup", "startup");
const LIVENESS: (&str, &str, &str) = ("livenessProbe", "Liveness", "liveness");
const READINESS: (&str, &str, &str) = ("readinessProbe", "Readiness", "readiness");

/// Returns the times of a container that runs a program since a time, perhaps until another; `None` if no command probes it.
pub(in super::super) fn course(
    container: &Value,
    program: &Program,
    since: Duration,
    end: Option<Duration>,
) -> Option<Times> {
    let is_command = |(field, ..): &(&str, &str, &str)| {
        probe(container, field).is_some_and(|probe| !list(probe, "/exec/command").is_empty())
    };
    [STARTUP, LIVENESS, READINESS].iter().any(is_command).then(|| {
        let end = end.unwrap_or(Duration::MAX);
        Course { container, program, since, end, failures: Vec::new() }.times()
    })
}

struct Course<'a> {
    container: &'a Value,
    program: &'a Program,
    since: Duration,
    /// The time at which the program ends.
    end: Duration,
    failures: Vec<(Duration, String)>,
}

impl Course<'_> {
    fn times(mut self) -> Times {
        let (started, mut killed) = self.start();
        let mut ready = Vec::new();
        if let Some(started) = started {
            killed = killed.or_else(|| self.killed_by(LIVENESS, started).1);
            ready = self.readiness(started);
        }
        if let Some((at, _)) = killed {
            self.failures.retain(|(failed, _)| *failed <= at);
        }
        self.failures.sort();
        Times { started, ready, failures: Failures::Listed(self.failures), killed }
    }

    /// Returns when it has started, and when it is killed because it does not.
    fn start(&mut self) -> (Option<Duration>, Option<(Duration, &'static str)>) {
        if probe(self.container, STARTUP.0).is_none() {
            return (Some(self.since), None);
        }
        self.killed_by(STARTUP, self.since)
    }

    /// Returns when a probe succeeds that is made from a time on, and when it has failed too often. A startup probe is made until one of
    /// both; a liveness probe goes on.
    fn killed_by(
        &mut self,
        (field, title, name): (&str, &str, &'static str),
        from: Duration,
    ) -> (Option<Duration>, Option<(Duration, &'static str)>) {
        let Some(probe) = probe(self.container, field) else { return (None, None) };
        let ticks = Ticks::new(probe, self.since);
        let (mut at, mut failed) = (ticks.next(from), 0);
        for _ in 0..MOST_TICKS {
            if at >= self.end {
                break;
            }
            match self.failure(probe, at) {
                None if name == STARTUP.2 => return (Some(at), None),
                None => failed = 0,
                Some(output) => {
                    failed += 1;
                    self.failures.push((at, [title, " probe failed: ", &output].concat()));
                }
            }
            if failed >= ticks.most_failures {
                return (None, Some((at, name)));
            }
            at = at.saturating_add(ticks.period);
        }
        (None, None)
    }

    /// Returns the times from which on it is ready, or not any more, once it has started.
    fn readiness(&mut self, started: Duration) -> Vec<(Duration, bool)> {
        let Some(probe) = probe(self.container, READINESS.0) else { return vec![(started, true)] };
        let ticks = Ticks::new(probe, self.since);
        let (mut at, mut is_ready, mut ready) = (ticks.next(started), false, Vec::new());
        let (mut succeeded, mut failed) = (0, 0);
        for _ in 0..MOST_TICKS {
            if at >= self.end {
                break;
            }
            match self.failure(probe, at) {
                None => (succeeded, failed) = (succeeded + 1, 0),
                Some(output) => {
                    (succeeded, failed) = (0, failed + 1);
                    // It is told of as often as makes a container unready, and then no more.
                    if failed <= ticks.most_failures {
                        self.failures.push((at, [READINESS.1, " probe failed: ", &output].concat()));
                    }
                }
            }
            let turns = if is_ready { failed >= ticks.most_failures } else { succeeded >= ticks.successes };
            if turns {
                is_ready = !is_ready;
                ready.push((at, is_ready));
            }
            at = at.saturating_add(ticks.period);
        }
        ready
    }

    /// Returns the output of a probe that fails at a time. Those that are no commands succeed.
    fn failure(&self, probe: &Value, at: Duration) -> Option<String> {
        let words: Vec<String> =
            list(probe, "/exec/command").iter().map(|word| word.as_text().to_owned()).collect();
        if words.is_empty() { None } else { self.program.failure_of(&words, at) }
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::kubelet::exec::Objects;
    use crate::kubelet::program::{Doing, doings};

    /// Checks the course of a container: when it has started, is ready and not ready, when it is killed and by which probe, and when which
    /// failures are told of, in seconds after its start.
    #[track_caller]
    fn check(script: &str, probes: &Value, expected: &str) {
        let mut container = json!({"name": "c", "command": ["sh", "-c", script]});
        for (field, probe) in probes.as_object().unwrap() {
            container[field.as_str()] = probe.clone();
        }
        let pod = json!({"metadata": {"name": "p"}, "spec": {"containers": [container]}});
        let since = Duration::from_secs(1_795_180_920);
        let Doing::Runs(mut program) = doings(&pod, &Objects::default()).0.remove(0) else {
            panic!("no program")
        };
        program.start_at(since);
        let end = program.behaviour(None).exit.map(|(_, after)| since + after);
        let found = course(&container, &program, since, end).expect("a course");
        let seconds = |at: Duration| (at - since).as_secs();
        let mut shown =
            vec![found.started.map_or("never".to_owned(), |at| format!("started {}", seconds(at)))];
        shown.extend(
            found
                .ready
                .iter()
                .map(|(at, is)| format!("{} {}", if *is { "ready" } else { "unready" }, seconds(*at))),
        );
        shown.extend(found.killed.map(|(at, name)| format!("{name} kills {}", seconds(at))));
        let Failures::Listed(failures) = found.failures else { panic!("not listed") };
        shown.extend(failures.iter().map(|(at, text)| format!("{}: {}", seconds(*at), text.trim_end())));
        assert_eq!(shown.join("; "), expected, "{script}");
    }

    fn command(text: &str) -> Value {
        json!({"exec": {"command": ["sh", "-c", text]}, "initialDelaySeconds": 5, "periodSeconds": 5})
    }

    #[test]
    fn commands_find_what_the_program_has_written() {
        let script = "touch /tmp/healthy; sleep 30; rm -f /tmp/healthy; sleep 600";
        let cat = json!({"exec": {"command": ["cat", "/tmp/healthy"]}, "initialDelaySeconds": 5, "periodSeconds": 5});
        let failed = |at: u64, title: &str| {
            format!("{at}: {title} probe failed: cat: can't open '/tmp/healthy': No such file or directory")
        };
        let expected = [
            "started 0; ready 0; liveness kills 40".to_owned(),
            failed(30, "Liveness"),
            failed(35, "Liveness"),
            failed(40, "Liveness"),
        ];
        check(script, &json!({"livenessProbe": cat.clone()}), &expected.join("; "));
        let expected = [
            "started 0; ready 5; unready 40".to_owned(),
            failed(30, "Readiness"),
            failed(35, "Readiness"),
            failed(40, "Readiness"),
        ];
        check(script, &json!({"readinessProbe": cat.clone()}), &expected.join("; "));
        check(
            "sleep 12; touch /tmp/healthy; sleep 600",
            &json!({"startupProbe": cat.clone()}),
            &["started 15; ready 15".to_owned(), failed(5, "Startup"), failed(10, "Startup")].join("; "),
        );
        let expected = [
            "never; startup kills 15".to_owned(),
            failed(5, "Startup"),
            failed(10, "Startup"),
            failed(15, "Startup"),
        ];
        check(
            "sleep 600",
            &json!({"startupProbe": cat, "livenessProbe": command("true")}),
            &expected.join("; "),
        );
    }

    #[test]
    fn other_probes_succeed() {
        let http = json!({"httpGet": {"port": 80}, "periodSeconds": 7});
        let probes = json!({"livenessProbe": command("exit 1"), "readinessProbe": http});
        check("sleep 9", &probes, "started 0; ready 0; 5: Liveness probe failed:");
        check("sleep 60", &json!({"livenessProbe": command("java -version")}), "started 0; ready 0");
    }
}
