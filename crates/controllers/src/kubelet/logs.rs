//! The logs of containers: the lines that their behaviours tell of, at the times at which they would have been written.
//!
//! See <https://kubernetes.io/docs/concepts/cluster-administration/logging/#basic-logging-in-kubernetes>.

use std::ops::RangeInclusive;
use std::time::Duration;

use apiserver::{Log, LogLine};
use golang::strconv::quote;
use json_tree::Value;

use super::behaviour::Writing;
use super::exec::Objects;
use super::program::{self, Program};
use crate::object::{self, list};

/// A log has its newest lines, and no more than this.
const MOST_LINES: u128 = 10_000;

/// The fields of a pod's status that have the containers.
const STATUSES: [&str; 3] =
    ["/status/containerStatuses", "/status/initContainerStatuses", "/status/ephemeralContainerStatuses"];

/// Finds the container whose log is asked for: see [`Kubelet::container`](apiserver::Kubelet::container).
///
/// # Errors
/// The reason why there is no log.
pub(super) fn container(pod: &Value, name: &str, previous: bool) -> Result<String, String> {
    let fail = |before: &str, after: &str| {
        [before, "container ", &quote(name), " in pod ", &quote(object::name(pod)), after].concat()
    };
    let status = statuses(pod).find(|status| status.text("name") == name);
    let status = status.ok_or_else(|| fail("", " is not available"))?;
    let id = |pointer: &str| Some(status.text_at(pointer)).filter(|id| !id.is_empty()).map(str::to_owned);
    let last = id("/lastState/terminated/containerID");
    let has = |state: &str| status.pointer(&["/", state].concat()).is_some_and(|state| !state.is_null());
    if previous {
        return last.ok_or_else(|| fail("previous terminated ", " not found"));
    }
    if has("state/running") {
        return Ok(status.text("containerID").to_owned());
    }
    if has("state/terminated") || has("lastState/terminated") {
        let own = id("/state/terminated/containerID").or(last);
        return own.ok_or_else(|| fail("", " is terminated"));
    }
    if !has("state/waiting") {
        return Err(fail("", " is waiting to start - no logs yet"));
    }
    let why = match status.text_at("/state/waiting/reason") {
        "ErrImagePull" => "image can't be pulled",
        "ImagePullBackOff" => "trying and failing to pull image",
        reason => reason,
    };
    Err(fail("", &[" is waiting to start: ", why].concat()))
}

/// Reads what has been written after a time and up to another to the log of a container: see
/// [`Kubelet::log`](apiserver::Kubelet::log). The program is the one that it has run, if that is known.
pub(super) fn read(
    pod: &Value,
    id: &str,
    (after, now): (Option<Duration>, Duration),
    known: (&Objects, Option<Program>),
) -> Option<Log> {
    let (name, started, finished) = statuses(pod).find_map(|status| run(status, id))?;
    let until = finished.map_or(now, |finished| finished.min(now));
    let writes = program::lines(pod, name, known, (started, until));
    let next = writes.iter().filter_map(|writing| next(writing, started, until)).min();
    Some(Log {
        lines: lines(&writes, started, (after, until)),
        next: next.filter(|_| finished.is_none()),
        is_whole: finished.is_some_and(|finished| finished <= now),
    })
}

/// Returns the lines that are written after a time and up to another, as far as the log has room for them.
pub(super) fn lines(
    writes: &[Writing],
    started: Duration,
    (after, until): (Option<Duration>, Duration),
) -> Vec<LogLine> {
    let mut lines = Vec::new();
    for writing in writes {
        if let Some(numbers) = numbers(writing, started, after, until) {
            let line = |number| LogLine { at: time(writing, started, number), text: writing.text.clone() };
            lines.extend(numbers.map(line));
        }
    }
    // Those of one time stay in the order of the statements.
    lines.sort_by_key(|line| line.at);
    let surplus = lines.len().saturating_sub(MOST_LINES as usize);
    lines.drain(..surplus);
    lines
}

/// Returns the statuses of the containers of a pod.
pub(super) fn statuses(pod: &Value) -> impl Iterator<Item = &Value> {
    STATUSES.iter().flat_map(|field| list(pod, field))
}

/// Returns the name of the container that has an id, when it was started, and when it ended, if it has, as far as its status tells.
fn run<'a>(status: &'a Value, id: &str) -> Option<(&'a str, Duration, Option<Duration>)> {
    let name = status.text("name");
    let time = |state: &str, field: &str| {
        status.pointer(&[state, field].concat()).and_then(object::time).unwrap_or_default()
    };
    const RUNNING: &str = "/state/running";
    if status.text("containerID") == id && status.pointer(RUNNING).is_some_and(|state| !state.is_null()) {
        return Some((name, time(RUNNING, "/startedAt"), None));
    }
    let is_it = |state: &&str| status.text_at(&[*state, "/containerID"].concat()) == id;
    let state = ["/state/terminated", "/lastState/terminated"].into_iter().find(is_it)?;
    Some((name, time(state, "/startedAt"), Some(time(state, "/finishedAt"))))
}

/// Returns the time at which a line is written for the time with a number, the first of which is 0.
fn time(writing: &Writing, started: Duration, number: u128) -> Duration {
    let interval = writing.every.unwrap_or_default().as_nanos();
    let nanos = interval.saturating_mul(number);
    let later = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
    started.saturating_add(writing.after).saturating_add(later)
}

/// Returns how often a line has been written up to a time.
fn count(writing: &Writing, started: Duration, until: Duration) -> u128 {
    let first = started.saturating_add(writing.after);
    match (until.checked_sub(first), writing.every) {
        (None, _) => 0,
        (Some(_), None) => 1,
        (Some(passed), Some(every)) => 1 + passed.as_nanos() / every.as_nanos().max(1),
    }
}

/// Returns the numbers of the times at which a line is written after a time and up to another, as far as the log has room for them.
fn numbers(
    writing: &Writing,
    started: Duration,
    after: Option<Duration>,
    until: Duration,
) -> Option<RangeInclusive<u128>> {
    let last = count(writing, started, until).checked_sub(1)?;
    let known = after.map_or(0, |after| count(writing, started, after));
    let first = known.max((last + 1).saturating_sub(MOST_LINES));
    (first <= last).then_some(first..=last)
}

/// Returns the time at which a line is written next after a time.
fn next(writing: &Writing, started: Duration, after: Duration) -> Option<Duration> {
    let number = count(writing, started, after);
    (number == 0 || writing.every.is_some()).then(|| time(writing, started, number))
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::kubelet::behaviour;

    /// Makes a pod with one container, its status, and a behaviour.
    fn pod(status: Value, behaviour: &str) -> Value {
        let mut status = status;
        object::set(&mut status, "name", "app".into());
        json!({
            "metadata": {"name": "p", "annotations": {behaviour::ANNOTATION: behaviour}},
            "spec": {"containers": [{"name": "app"}]},
            "status": {"containerStatuses": [status]}
        })
    }

    #[test]
    fn containers_are_found_by_their_status() {
        #[track_caller]
        fn check(status: Value, previous: bool, expected: Result<&str, &str>) {
            let found = container(&pod(status, ""), "app", previous);
            assert_eq!(found.as_deref().map_err(String::as_str), expected);
        }

        let running = json!({"containerID": "a", "state": {"running": {}}, "lastState": {}});
        check(running.clone(), false, Ok("a"));
        check(running, true, Err("previous terminated container \"app\" in pod \"p\" not found"));
        let again = json!({"state": {"waiting": {}}, "lastState": {"terminated": {"containerID": "b"}}});
        check(again.clone(), false, Ok("b"));
        check(again, true, Ok("b"));
        check(json!({"state": {"terminated": {"containerID": "c"}}}), false, Ok("c"));
        check(
            json!({"state": {"terminated": {}}}),
            false,
            Err("container \"app\" in pod \"p\" is terminated"),
        );
        let waits = |reason| json!({"state": {"waiting": {"reason": reason}}});
        for (reason, expected) in [
            ("ContainerCreating", "container \"app\" in pod \"p\" is waiting to start: ContainerCreating"),
            ("ErrImagePull", "container \"app\" in pod \"p\" is waiting to start: image can't be pulled"),
            (
                "ImagePullBackOff",
                "container \"app\" in pod \"p\" is waiting to start: trying and failing to pull image",
            ),
        ] {
            check(waits(reason), false, Err(expected));
        }
        check(json!({}), false, Err("container \"app\" in pod \"p\" is waiting to start - no logs yet"));
        let none = container(&json!({"metadata": {"name": "p"}}), "app", false);
        assert_eq!(none, Err("container \"app\" in pod \"p\" is not available".to_owned()));
    }

    /// Checks the lines of a container that was started at 10 s, and when the next one is due, in milliseconds.
    #[track_caller]
    fn check(
        behaviour: &str,
        finished: Option<&str>,
        (after, now): (Option<u64>, u64),
        expected: &[(u64, &str)],
        next: Option<u64>,
    ) {
        let started = "1970-01-01T00:00:10Z";
        let state = match finished {
            None => json!({"running": {"startedAt": started}}),
            Some(at) => json!({"terminated": {"containerID": "a", "startedAt": started, "finishedAt": at}}),
        };
        let pod = pod(json!({"containerID": "a", "state": state}), behaviour);
        let times = (after.map(Duration::from_millis), Duration::from_millis(now));
        let log = read(&pod, "a", times, (&Objects::default(), None));
        let line =
            |(at, text): &(u64, &str)| LogLine { at: Duration::from_millis(*at), text: (*text).to_owned() };
        let expected = Log {
            lines: expected.iter().map(line).collect(),
            next: next.map(Duration::from_millis),
            is_whole: finished.is_some(),
        };
        assert_eq!(log, Some(expected), "{behaviour}");
        assert_eq!(read(&pod, "b", (None, Duration::ZERO), (&Objects::default(), None)), None);
    }

    #[test]
    fn lines_are_written_as_time_passes() {
        let both = "log begin; log more after 1s every 2s";
        check(both, None, (None, 10_000), &[(10_000, "begin")], Some(11_000));
        check(
            both,
            None,
            (None, 14_999),
            &[(10_000, "begin"), (11_000, "more"), (13_000, "more")],
            Some(15_000),
        );
        check(both, None, (Some(11_000), 13_000), &[(13_000, "more")], Some(15_000));
        check(both, None, (Some(13_000), 14_000), &[], Some(15_000));
        check(both, Some("1970-01-01T00:00:12Z"), (Some(10_500), 60_000), &[(11_000, "more")], None);
        check("log once", None, (Some(10_000), 60_000), &[], None);
        check(
            "log b after 1s; log a every 1s",
            None,
            (Some(10_500), 11_000),
            &[(11_000, "b"), (11_000, "a")],
            Some(12_000),
        );
        check("", None, (None, 60_000), &[], None);
        check("crash", None, (None, 60_000), &[], None);
    }

    #[test]
    fn old_lines_go() {
        let pod = pod(
            json!({"containerID": "a", "state": {"running": {"startedAt": "1970-01-01T00:00:10Z"}}}),
            "log a every 10ms; log b every 10ms",
        );
        let until = Duration::from_secs(3_000_000_000);
        let log = read(&pod, "a", (None, until), (&Objects::default(), None)).expect("a log");
        assert_eq!(log.lines.len() as u128, MOST_LINES);
        assert_eq!(log.lines.last().map(|line| line.at), Some(Duration::from_secs(3_000_000_000)));
    }
}
