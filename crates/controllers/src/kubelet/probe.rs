//! Probes: when a container has started, and when it is ready. Nothing is probed: all succeed, unless its behaviour says otherwise.
//!
//! See <https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/>.

use std::time::Duration;

use json_tree::Value;

use super::behaviour::Readiness;
use crate::object;

/// The times of a container that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Times {
    pub(super) started: Duration,
    /// The time from which on it is ready; `None` if it never is.
    pub(super) ready: Option<Duration>,
    /// The times at which the readiness probe fails and an event tells of it: as many as make a container unready.
    pub(super) failures: Vec<Duration>,
}

/// Returns the times of a container that runs since a time.
pub(super) fn times(container: &Value, readiness: Readiness, since: Duration) -> Times {
    let probe = |field| container.get(field).filter(|probe: &&Value| !probe.is_null());
    let started = probe("startupProbe").map_or(since, |startup| Ticks::new(startup, since).success(since));
    let from = match readiness {
        Readiness::AtOnce => Some(started),
        Readiness::After(pause) => Some(since.saturating_add(pause).max(started)),
        Readiness::Never => None,
    };
    let Some(probe) = probe("readinessProbe") else {
        return Times { started, ready: from, failures: Vec::new() };
    };
    let ticks = Ticks::new(probe, since);
    let first = ticks.next(started);
    let fails = |number: &u32| {
        let at = first.saturating_add(ticks.period.saturating_mul(*number));
        from.is_none_or(|from| at < from).then_some(at)
    };
    let failures = (0..ticks.most_failures).map_while(|number| fails(&number)).collect();
    Times { started, ready: from.map(|from| ticks.success(from)), failures }
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
            most_failures: number("/failureThreshold", 3).min(10),
        }
    }

    /// Returns the first time at or after another.
    fn next(&self, from: Duration) -> Duration {
        let wait = from.max(self.begin).saturating_sub(self.since).as_nanos();
        let periods = wait.div_ceil(self.period.as_nanos().max(1));
        let periods = u32::try_from(periods).unwrap_or(u32::MAX);
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
        let failures: Vec<_> = found.failures.iter().map(|time| seconds(*time)).collect();
        assert_eq!((seconds(found.started), found.ready.map(seconds), &*failures), expected);
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
        let both = r#"{"startupProbe": {"initialDelaySeconds": 3}, "readinessProbe": {"successThreshold": 2, "periodSeconds": 4}}"#;
        check(both, Readiness::AtOnce, (10, Some(16), &[]));
    }
}
