//! Delays before a failed pod is replaced: 10 s, and twice as long after each further failure.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-backoff-failure-policy>.

use std::time::Duration;

use json_tree::Value;

use crate::pace::Doubling;
use crate::store::Shared;
use crate::{object, pod};

const DELAYS: Doubling = Doubling { first: Duration::from_secs(10), longest: Duration::from_secs(600) };

/// The failures of pods of a Job since one has succeeded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Backoff {
    failures: u32,
    /// The time of the last one.
    last: Duration,
}

impl Backoff {
    /// Returns the failures with those of pods that have ended since.
    pub(super) fn with(self, succeeded: &[Shared], failed: &[Shared]) -> Self {
        let last_success = succeeded.iter().map(|pod| finish_time(pod)).max();
        let mut new = if last_success.is_some() { Self::default() } else { self };
        let times = failed.iter().map(|pod| finish_time(pod));
        let mut last = None;
        for time in times.filter(|time| last_success.is_none_or(|success| *time > success)) {
            new.failures = new.failures.saturating_add(1);
            last = last.max(Some(time));
        }
        new.last = last.unwrap_or(new.last);
        new
    }

    /// Returns the time until the next pod may be made.
    pub(super) fn left(self, now: Duration) -> Duration {
        left(self.failures, self.last, now)
    }
}

/// Returns the time until a failed pod of an index may be replaced, where it was the first one or so many have failed before.
pub(super) fn left_for(pod: &Value, failures_before: i64, now: Duration) -> Duration {
    let before = u32::try_from(failures_before).unwrap_or_default();
    left(before.saturating_add(1), finish_time(pod), now)
}

fn left(failures: u32, last: Duration, now: Duration) -> Duration {
    match failures.checked_sub(1) {
        None => Duration::ZERO,
        Some(others) => last.saturating_add(DELAYS.after(others)).saturating_sub(now),
    }
}

/// Returns the time at which a pod has ended, as well as it is known: when its last container did, when it was no longer ready, when
/// its deletion began, or when it was made.
pub(super) fn finish_time(pod: &Value) -> Duration {
    let is_unready =
        |condition: &&Value| condition.text("type") == "Ready" && condition.text("status") == "False";
    let unready = || {
        let condition = object::list(pod, "/status/conditions").iter().find(is_unready)?;
        object::time(condition.get("lastTransitionTime")?)
    };
    let deleted = || {
        let grace = object::meta(pod, "deletionGracePeriodSeconds").as_i64().unwrap_or_default();
        let end = object::time(object::meta(pod, "deletionTimestamp"))?;
        Some(end.saturating_sub(pod::seconds(grace)))
    };
    let of_containers = of_containers(pod);
    of_containers.or_else(unready).or_else(deleted).unwrap_or_else(|| object::creation_time(pod))
}

/// Returns the time at which the last container has ended, sidecars among them; `None` if one goes on, or there are none.
fn of_containers(pod: &Value) -> Option<Duration> {
    let sidecars: Vec<&str> = object::list(pod, "/spec/initContainers")
        .iter()
        .filter(|container| pod::is_sidecar(container))
        .map(|container| container.text("name"))
        .collect();
    let end = |status: &Value| status.pointer("/state/terminated/finishedAt").and_then(object::time);
    let latest = |statuses: &mut dyn Iterator<Item = &Value>, mut latest: Option<Duration>| {
        for status in statuses {
            latest = Some(end(status)?).max(latest);
        }
        latest
    };
    let main = latest(&mut object::list(pod, "/status/containerStatuses").iter(), None);
    let statuses = object::list(pod, "/status/initContainerStatuses").iter();
    latest(&mut statuses.filter(|status| sidecars.contains(&status.text("name"))), main)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use json_tree::json;

    use super::*;

    fn ended(second: u64) -> Shared {
        let time = object::timestamp(Duration::from_secs(second));
        let state = json!({"terminated": {"finishedAt": time}});
        Arc::new(json!({"status": {"containerStatuses": [{"name": "c", "state": state}]}}))
    }

    #[test]
    fn failures_count_since_the_last_success() {
        let at = Duration::from_secs;
        let first = Backoff::default().with(&[], &[ended(20), ended(10)]);
        assert_eq!((first.failures, first.last), (2, at(20)));
        assert_eq!(first.left(at(25)), at(15));
        assert_eq!((first.left(at(40)), first.left(at(99))), (at(0), at(0)));
        assert_eq!(first.with(&[], &[]), first);
        assert_eq!(first.with(&[ended(30)], &[]), Backoff::default());
        let mixed = first.with(&[ended(30)], &[ended(30), ended(31), ended(29)]);
        assert_eq!((mixed.failures, mixed.last, mixed.left(at(31))), (1, at(31), at(10)));
        let many = Backoff { failures: u32::MAX, last: Duration::MAX };
        assert_eq!(many.with(&[], &[ended(1)]).left(at(1)), at(600));
    }

    #[test]
    fn the_end_of_a_pod_is_found_in_what_tells_of_it() {
        let time = |second| object::timestamp(Duration::from_secs(second));
        let made = json!({"creationTimestamp": time(1)});
        let deleted = json!({"creationTimestamp": time(1), "deletionTimestamp": time(40), "deletionGracePeriodSeconds": 30});
        let unready = json!([{"type": "Ready", "status": "False", "lastTransitionTime": time(5)}]);
        let end =
            |name: &str, second| json!({"name": name, "state": {"terminated": {"finishedAt": time(second)}}});
        let running = json!({"name": "c", "state": {"running": {}}});
        let sidecar = json!({"initContainers": [{"name": "s", "restartPolicy": "Always"}, {"name": "i"}]});
        for (pod, expected) in [
            (json!({"metadata": made}), 1),
            (json!({"metadata": deleted}), 10),
            (json!({"metadata": deleted, "status": {"conditions": unready}}), 5),
            (json!({"metadata": made, "status": {"conditions": unready, "containerStatuses": [running]}}), 5),
            (json!({"metadata": made, "status": {"containerStatuses": [end("c", 7), end("d", 6)]}}), 7),
            (
                json!({"metadata": made, "spec": sidecar, "status": {
                    "containerStatuses": [end("c", 7)], "initContainerStatuses": [end("s", 8), end("i", 9)]
                }}),
                8,
            ),
        ] {
            assert_eq!(finish_time(&pod), Duration::from_secs(expected), "{pod}");
        }
    }
}
