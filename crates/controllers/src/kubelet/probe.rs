//! Probes: when a container has started, when it is ready, and when it is killed. Where its program is known, they [find](course) what
//! there is; all others succeed, unless its behaviour says otherwise.
//!
//! See <https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/>.

pub(super) mod course;
mod network;

use std::time::Duration;

use json_tree::Value;

use super::behaviour::Readiness;
use crate::object::{self, list};

/// The times of a container that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Times {
    /// The time at which it has started; `None` if it never does.
    pub(super) started: Option<Duration>,
    /// The times from which on it is ready, or not any more.
    ready: Vec<(Duration, bool)>,
    /// The failures of probes that events tell of.
    pub(super) failures: Failures,
    /// The time at which it is killed because a probe has failed too often, and the name of the probe.
    pub(super) killed: Option<(Duration, &'static str)>,
}

impl Times {
    /// Reports whether it is ready at a time.
    pub(super) fn is_ready(&self, now: Duration) -> bool {
        let known = self.ready.iter().take_while(|(at, _)| *at <= now);
        known.last().is_some_and(|(_, is_ready)| *is_ready)
    }

    /// Returns the times after another at which something changes that others see.
    pub(super) fn changes(&self, now: Duration) -> impl Iterator<Item = Duration> {
        let ready = self.ready.iter().map(|(at, _)| *at);
        ready.chain(self.started).filter(move |at| *at > now)
    }
}

/// The times at which a probe fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failures {
    /// In a period: as many as make a container unready.
    Periodic { first: Duration, period: Duration, count: u32 },
    /// Each with its message.
    Listed(Vec<(Duration, String)>),
}

impl Failures {
    /// Returns the time of the one after so many others.
    pub(super) fn after(&self, others: u32) -> Option<Duration> {
        match self {
            Self::Periodic { first, period, count } => {
                (others < *count).then(|| first.saturating_add(period.saturating_mul(others)))
            }
            Self::Listed(failures) => failures.get(others as usize).map(|(at, _)| *at),
        }
    }

    /// Returns how many there are before a time.
    pub(super) fn before(&self, time: Duration) -> u32 {
        match self {
            Self::Periodic { first, period, count } => {
                (*count).min(count_ticks(time.saturating_sub(*first), *period))
            }
            Self::Listed(failures) => {
                let before = failures.iter().take_while(|(at, _)| *at < time).count();
                u32::try_from(before).unwrap_or(u32::MAX)
            }
        }
    }

    /// Returns the message of the one after so many others, if it has one of its own.
    pub(super) fn message(&self, others: u32) -> Option<&str> {
        match self {
            Self::Periodic { .. } => None,
            Self::Listed(failures) => failures.get(others as usize).map(|(_, message)| message.as_str()),
        }
    }
}

/// Returns how many ticks of a period begin within a time.
fn count_ticks(time: Duration, period: Duration) -> u32 {
    u32::try_from(time.as_nanos().div_ceil(period.as_nanos().max(1))).unwrap_or(u32::MAX)
}

/// Returns the probe of a container that a field has.
fn probe<'a>(container: &'a Value, field: &str) -> Option<&'a Value> {
    container.get(field).filter(|probe| !probe.is_null())
}

/// Returns the times of a container that runs since a time, all of whose probes succeed.
pub(super) fn times(container: &Value, readiness: Readiness, since: Duration) -> Times {
    let started =
        probe(container, "startupProbe").map_or(since, |startup| Ticks::new(startup, since).success(since));
    let from = match readiness {
        Readiness::AtOnce => Some(started),
        Readiness::After(pause) => Some(since.saturating_add(pause).max(started)),
        Readiness::Never => None,
    };
    let ready = |from: Option<Duration>| from.map(|at| (at, true)).into_iter().collect();
    let times = |ready, failures| Times { started: Some(started), ready, failures, killed: None };
    let Some(probe) = probe(container, "readinessProbe") else {
        return times(ready(from), Failures::Listed(Vec::new()));
    };
    let ticks = Ticks::new(probe, since);
    let (first, period) = (ticks.next(started), ticks.period);
    let all = Failures::Periodic { first, period, count: ticks.most_failures };
    let count = from.map_or(ticks.most_failures, |from| all.before(from));
    times(ready(from.map(|from| ticks.success(from))), Failures::Periodic { first, period, count })
}

/// Returns the error of a readiness probe that fails.
pub(super) fn error(container: &Value, address: &str) -> String {
    let probe = container.get("readinessProbe").unwrap_or(&Value::Null);
    let part = |kind| probe.get(kind).filter(|part: &&Value| !part.is_null());
    if part("httpGet").is_some() {
        return "HTTP probe failed with statuscode: 503".to_owned();
    }
    let Some(socket) = part("tcpSocket") else { return String::new() };
    let host = Some(socket.text("host")).filter(|host| !host.is_empty()).unwrap_or(address);
    let port = port_of(container, socket);
    format!("dial tcp {host}:{port}: connect: connection refused")
}

/// Returns the port of a container that a part of a probe names, or numbers.
fn port_of(container: &Value, part: &Value) -> i64 {
    let name = part.text("port");
    match list(container, "/ports").iter().find(|port| !name.is_empty() && port.text("name") == name) {
        Some(port) => object::int(port, "/containerPort"),
        None => object::int(part, "/port"),
    }
}

/// The times at which a probe is made.
struct Ticks {
    /// The time from which on periods are counted, and before which none is made.
    since: Duration,
    begin: Duration,
    period: Duration,
    successes: u32,
    most_failures: u32,
}

impl Ticks {
    fn new(probe: &Value, since: Duration) -> Self {
        let number = |field: &str, default: u32| match object::int(probe, field) {
            0 => default,
            number => u32::try_from(number).unwrap_or(u32::MAX),
        };
        Self {
            since,
            begin: since.saturating_add(Duration::from_secs(number("/initialDelaySeconds", 0).into())),
            period: Duration::from_secs(number("/periodSeconds", 10).into()),
            successes: number("/successThreshold", 1),
            most_failures: number("/failureThreshold", 3),
        }
    }

    /// Returns the first time at or after another.
    fn next(&self, from: Duration) -> Duration {
        let periods = count_ticks(from.max(self.begin).saturating_sub(self.since), self.period);
        self.since.saturating_add(self.period.saturating_mul(periods))
    }

    /// Returns the time at which it has succeeded often enough, if it succeeds from a time on.
    fn success(&self, from: Duration) -> Duration {
        self.next(from).saturating_add(self.period.saturating_mul(self.successes.saturating_sub(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks when a container has started, is ready, and fails, in seconds after its start.
    #[track_caller]
    fn check(container: &str, readiness: Readiness, expected: (u64, Option<u64>, &[u64])) {
        let container = serde_json::from_str(container).unwrap();
        let since = Duration::from_secs(1000);
        let found = times(&container, readiness, since);
        let seconds = |time: Duration| (time - since).as_secs();
        let failures: Vec<_> = (0..9).map_while(|others| found.failures.after(others)).map(seconds).collect();
        let ready = found.ready.first().map(|(at, _)| seconds(*at));
        assert_eq!((found.started.map_or(9999, seconds), ready, &*failures), expected);
    }

    #[test]
    fn probes_are_made_in_periods() {
        let after = |seconds| Readiness::After(Duration::from_secs(seconds));
        check("{}", Readiness::AtOnce, (0, Some(0), &[]));
        check("{}", after(7), (0, Some(7), &[]));
        check("{}", Readiness::Never, (0, None, &[]));
        let probe = r#"{"readinessProbe": {"initialDelaySeconds": 5, "periodSeconds": 2}}"#;
        check(probe, Readiness::AtOnce, (0, Some(6), &[]));
        check(probe, after(9), (0, Some(10), &[6, 8]));
        check(probe, Readiness::Never, (0, None, &[6, 8, 10]));
        let often = r#"{"readinessProbe": {"failureThreshold": 1000000000, "periodSeconds": 1}}"#;
        check(often, Readiness::Never, (0, None, &[0, 1, 2, 3, 4, 5, 6, 7, 8]));
        let both = r#"{"startupProbe": {"initialDelaySeconds": 3}, "readinessProbe": {"successThreshold": 2, "periodSeconds": 4}}"#;
        check(both, Readiness::AtOnce, (10, Some(16), &[]));
    }
}
