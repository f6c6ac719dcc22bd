//! The course of a container whose program is known: what its probes would find as time passes.
//!
//! See <https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/>.

use std::collections::BTreeSet;
use std::time::Duration;

use json_tree::Value;

use super::network::failure_of_network;
use super::{Failures, Ticks, Times, probe};
use crate::kubelet::exec::Seen;
use crate::kubelet::program::Program;
use crate::object::list;

/// The most times that a probe is made. After that, it goes on as it did, until somebody changes a file.
const MOST_TICKS: u32 = 200;

/// The three probes of a container: the field, and the names in events.
const STARTUP: (&str, &str, &str) = ("startupProbe", "Startup", "startup");
const LIVENESS: (&str, &str, &str) = ("livenessProbe", "Liveness", "liveness");
const READINESS: (&str, &str, &str) = ("readinessProbe", "Readiness", "readiness");

/// Returns the times of a container that runs a program since a time, perhaps until another; `None` if nothing probes it.
pub(in super::super) fn course(
    (pod, container): (&Value, &Value),
    program: &Program,
    since: Duration,
    end: Option<Duration>,
) -> Option<Times> {
    let has_probe = |(field, ..): &(&str, &str, &str)| probe(container, field).is_some();
    [STARTUP, LIVENESS, READINESS].iter().any(has_probe).then(|| {
        let end = end.unwrap_or(Duration::MAX);
        Course { pod, container, program, since, end, failures: Vec::new() }.times()
    })
}

struct Course<'a> {
    pod: &'a Value,
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

    /// Returns the state of the container each time that a probe is made from a time on: so many times, and, after each time at which
    /// somebody else has changed a file, as often as it takes to make a difference.
    fn looks(&self, ticks: &Ticks, from: Duration) -> Vec<Seen> {
        let mut times = BTreeSet::new();
        let mut add = |from: Duration, count: u32| {
            let tick = |number| ticks.next(from).saturating_add(ticks.period.saturating_mul(number));
            times.extend((0..count).map(tick).take_while(|at| *at < self.end));
        };
        add(from, MOST_TICKS);
        let enough = ticks.successes.max(ticks.most_failures).saturating_add(1).min(MOST_TICKS);
        self.program.shell.times_of_changes().filter(|at| *at > from).for_each(|at| add(at, enough));
        self.program.seen_at(&times.into_iter().collect::<Vec<_>>())
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
        let mut failed = 0;
        for seen in self.looks(&ticks, from) {
            match self.failure(probe, &seen) {
                None if name == STARTUP.2 => return (Some(seen.at), None),
                None => failed = 0,
                Some(output) => {
                    failed += 1;
                    self.failures.push((seen.at, [title, " probe failed: ", &output].concat()));
                }
            }
            if failed >= ticks.most_failures {
                return (None, Some((seen.at, name)));
            }
        }
        (None, None)
    }

    /// Returns the times from which on it is ready, or not any more, once it has started.
    fn readiness(&mut self, started: Duration) -> Vec<(Duration, bool)> {
        let Some(probe) = probe(self.container, READINESS.0) else { return vec![(started, true)] };
        let ticks = Ticks::new(probe, self.since);
        let (mut is_ready, mut ready) = (false, Vec::new());
        let (mut succeeded, mut failed) = (0, 0);
        for seen in self.looks(&ticks, started) {
            match self.failure(probe, &seen) {
                None => (succeeded, failed) = (succeeded + 1, 0),
                Some(output) => {
                    (succeeded, failed) = (0, failed + 1);
                    // It is told of as often as makes a container unready, and then no more.
                    if failed <= ticks.most_failures {
                        self.failures.push((seen.at, [READINESS.1, " probe failed: ", &output].concat()));
                    }
                }
            }
            let turns = if is_ready { failed >= ticks.most_failures } else { succeeded >= ticks.successes };
            if turns {
                is_ready = !is_ready;
                ready.push((seen.at, is_ready));
            }
        }
        ready
    }

    /// Returns the output of a probe that fails. Those that are neither commands nor for HTTP or TCP succeed.
    fn failure(&self, probe: &Value, seen: &Seen) -> Option<String> {
        let words: Vec<String> =
            list(probe, "/exec/command").iter().map(|word| word.as_text().to_owned()).collect();
        if words.is_empty() {
            return failure_of_network((self.pod, self.container), probe, self.program, seen);
        }
        let ran = self.program.run_beside(&words, seen);
        ran.has_failed().then(|| ran.output())
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::kubelet::exec::{Objects, Written};
    use crate::kubelet::program::{Doing, doings};

    const SINCE: Duration = Duration::from_secs(1_795_180_920);

    /// Makes a pod of a container that runs a script, or something else that `more` says, with probes.
    fn pod(script: &str, more: &Value) -> Value {
        let mut container = json!({"name": "c", "command": ["sh", "-c", script]});
        for (field, value) in more.as_object().unwrap() {
            container[field.as_str()] = value.clone();
        }
        json!({"metadata": {"name": "p"}, "spec": {"containers": [container]}, "status": {"podIP": "10.244.0.5"}})
    }

    /// Returns the program of a pod that is started.
    fn program(pod: &Value) -> Program {
        let Doing::Runs(mut program) = doings(pod, &Objects::default()).0.remove(0) else {
            panic!("no program")
        };
        program.start_at(SINCE);
        *program
    }

    /// Checks the course of a container: when it has started, is ready and not ready, when it is killed and by which probe, and when which
    /// failures are told of, in seconds after its start.
    #[track_caller]
    fn check(script: &str, more: &Value, expected: &str) {
        let pod = pod(script, more);
        check_course(&pod, &program(&pod), expected);
    }

    #[track_caller]
    fn check_course(pod: &Value, program: &Program, expected: &str) {
        let end = program.behaviour(None).exit.map(|(_, after)| SINCE + after);
        let found = course((pod, &pod["spec"]["containers"][0]), program, SINCE, end).expect("a course");
        let seconds = |at: Duration| (at - SINCE).as_secs();
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
        assert_eq!(shown.join("; "), expected);
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
    fn probes_find_what_others_have_changed() {
        let cat = json!({"exec": {"command": ["cat", "/tmp/ready"]}, "periodSeconds": 5});
        let script = "touch /tmp/ready; while [ ! -f /tmp/stop ]; do sleep 1; done; sleep 3; rm /tmp/ready; sleep 9000";
        let pod = pod(script, &json!({"readinessProbe": cat}));
        let mut program = program(&pod);
        // That is later than the probes that are looked at by themselves.
        for (path, at) in [("/tmp/stop", 2995), ("/tmp/ready", 4996)] {
            let (entry, at) = (Some(Some(Vec::new().into())), SINCE + Duration::from_secs(at));
            program.shell.add_changes([Written { path: path.to_owned(), entry, at }]);
        }
        let failed = [3000, 3005, 3010].map(|at| {
            format!("; {at}: Readiness probe failed: cat: can't open '/tmp/ready': No such file or directory")
        });
        let expected = ["started 0; ready 0; unready 3010; ready 5000", &failed.concat()].concat();
        check_course(&pod, &program, &expected);
    }

    #[test]
    fn servers_are_probed() {
        let http = |path: &str, port: u16| json!({"httpGet": {"path": path, "port": port}, "periodSeconds": 5, "failureThreshold": 1});
        let readiness = |probe: Value| json!({"image": "httpd", "command": null, "readinessProbe": probe});
        check("", &readiness(http("/", 80)), "started 0; ready 0");
        check(
            "",
            &readiness(http("/none", 80)),
            "started 0; 0: Readiness probe failed: HTTP probe failed with statuscode: 404",
        );
        let refused = "dial tcp 10.244.0.5:81: connect: connection refused";
        let url = "0: Readiness probe failed: Get \"http://10.244.0.5:81/a?b\": ";
        check("", &readiness(http("a?b", 81)), &["started 0; ", url, refused].concat());
        let tcp = json!({"tcpSocket": {"port": 81}, "failureThreshold": 1});
        check("", &readiness(tcp), &["started 0; 0: Readiness probe failed: ", refused].concat());
        let https = json!({"httpGet": {"port": 80, "scheme": "HTTPS"}, "failureThreshold": 1});
        let text = "Get \"https://10.244.0.5:80/\": http: server gave HTTP response to HTTPS client";
        check("", &readiness(https), &["started 0; 0: Readiness probe failed: ", text].concat());
        // A server listens once it was started, and others than it might.
        let mut probe = readiness(http("/", 80));
        probe["command"] = json!(["sh", "-c", "sleep 7; exec httpd-foreground"]);
        let refused = "Readiness probe failed: Get \"http://10.244.0.5:80/\": dial tcp 10.244.0.5:80: connect: connection refused";
        check("", &probe, &["started 0; ready 10; 0: ", refused].concat());
        probe["command"] = json!(["sh", "-c", "java -jar app.jar; httpd-foreground"]);
        check("", &probe, "started 0; ready 0");
        let mounts =
            json!([{"name": "c", "mountPath": "/usr/local/apache2/conf/httpd.conf", "subPath": "c"}]);
        let mut probe = readiness(http("/", 8080));
        probe["volumeMounts"] = mounts;
        check("", &probe, "started 0; ready 0");
    }

    #[test]
    fn the_example_of_a_liveness_probe_is_alive_for_ten_seconds() {
        let probe = json!({"httpGet": {"path": "/healthz", "port": 8080}, "initialDelaySeconds": 3, "periodSeconds": 3});
        let agnhost = json!({
            "image": "registry.k8s.io/e2e-test-images/agnhost:2.40", "command": null, "args": ["liveness"], "livenessProbe": probe
        });
        let failed = [12, 15, 18]
            .map(|at| format!("; {at}: Liveness probe failed: HTTP probe failed with statuscode: 500"));
        check("", &agnhost, &["started 0; ready 0; liveness kills 18", &failed.concat()].concat());
    }

    #[test]
    fn other_probes_succeed() {
        let http = json!({"httpGet": {"port": 80, "host": "elsewhere"}, "periodSeconds": 7});
        let probes = json!({"livenessProbe": command("exit 1"), "readinessProbe": http});
        check("sleep 9", &probes, "started 0; ready 0; 5: Liveness probe failed:");
        check("sleep 60", &json!({"livenessProbe": command("java -version")}), "started 0; ready 0");
        check("sleep 60", &json!({"livenessProbe": {"grpc": {"port": 80}}}), "started 0; ready 0");
    }
}
