//! The memory that a controller has of an autoscaler: recommendations, and changes of the number of replicas.

use std::time::Duration;

use super::behavior::{Behavior, Rules};

/// Reports whether something is not within a time any more. A round begins a little later than a period after the one before, so that
/// what is exactly as old is too old.
fn is_over(at: Duration, window: Duration, now: Duration) -> bool {
    at.saturating_add(window) <= now
}

/// A change of the number of replicas.
#[derive(Clone, Debug)]
struct Change {
    replicas: i64,
    at: Duration,
    /// True if no policy is about a time that long ago.
    is_outdated: bool,
}

/// The changes in one direction.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes(Vec<Change>);

impl Changes {
    /// Returns by how many replicas it was changed in the time before now.
    pub(super) fn within(&self, period: Duration, now: Duration) -> i64 {
        let recent = self.0.iter().filter(|change| !is_over(change.at, period, now));
        recent.map(|change| change.replicas).fold(0, i64::saturating_add)
    }

    /// Adds a change, in the place of one that is too old for all policies.
    fn add(&mut self, replicas: i64, rules: &Rules, now: Duration) {
        let longest = rules.longest_period();
        for change in self.0.iter_mut().filter(|change| is_over(change.at, longest, now)) {
            change.is_outdated = true;
        }
        let new = Change { replicas, at: now, is_outdated: false };
        match self.0.iter_mut().rfind(|change| change.is_outdated) {
            Some(old) => *old = new,
            None => self.0.push(new),
        }
    }
}

/// The memory of one autoscaler.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    /// The numbers of replicas that were recommended, and when.
    recommendations: Vec<(i64, Duration)>,
    pub(super) ups: Changes,
    pub(super) downs: Changes,
}

impl Memory {
    /// Begins with as many replicas as there are, if nothing was recommended yet.
    pub(super) fn begin(&mut self, current: i64, now: Duration) {
        if self.recommendations.is_empty() {
            self.recommendations.push((current, now));
        }
    }

    /// Adds a recommendation, and returns the highest one that is not older than a time.
    pub(super) fn highest(&mut self, desired: i64, window: Duration, now: Duration) -> i64 {
        let recent = self.recommendations.iter().filter(|(_, at)| !is_over(*at, window, now));
        let highest = recent.map(|(replicas, _)| *replicas).fold(desired, i64::max);
        self.recommend(desired, window, now);
        highest
    }

    /// Adds a recommendation, and returns the number that is nearest to the current one, of those between the lowest recommendation of
    /// the time that is looked at to scale up, and the highest of that to scale down.
    pub(super) fn nearest(
        &mut self,
        (current, desired): (i64, i64),
        behavior: &Behavior,
        now: Duration,
    ) -> i64 {
        let (mut lowest, mut highest) = (desired, desired);
        for (replicas, at) in &self.recommendations {
            if !is_over(*at, behavior.up.window, now) {
                lowest = lowest.min(*replicas);
            }
            if !is_over(*at, behavior.down.window, now) {
                highest = highest.max(*replicas);
            }
        }
        self.recommend(desired, behavior.up.window.max(behavior.down.window), now);
        current.max(lowest).min(highest)
    }

    /// Adds a recommendation, in the place of one that is older than a time.
    fn recommend(&mut self, desired: i64, window: Duration, now: Duration) {
        match self.recommendations.iter_mut().rfind(|(_, at)| is_over(*at, window, now)) {
            Some(old) => *old = (desired, now),
            None => self.recommendations.push((desired, now)),
        }
    }

    /// Takes note of a change of the number of replicas.
    pub(super) fn scaled(&mut self, before: i64, after: i64, behavior: &Behavior, now: Duration) {
        if after > before {
            self.ups.add(after.saturating_sub(before), &behavior.up, now);
        } else {
            self.downs.add(before.saturating_sub(after), &behavior.down, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::horizontal_pod_autoscaler::behavior;

    const SECOND: Duration = Duration::from_secs(1);

    fn behavior(up: u64, down: u64) -> Behavior {
        let rules = |window: u64| {
            let policy = json!({"type": "Pods", "value": 1, "periodSeconds": 60});
            json!({"stabilizationWindowSeconds": window, "policies": [policy]})
        };
        behavior::of(&json!({"spec": {"behavior": {"scaleUp": rules(up), "scaleDown": rules(down)}}}))
            .unwrap()
    }

    #[test]
    fn the_highest_recommendation_counts_for_a_time() {
        let mut memory = Memory::default();
        memory.begin(4, SECOND);
        memory.begin(9, SECOND);
        let found: Vec<i64> = [(2, 1), (6, 100), (1, 300), (1, 301), (1, 400), (1, 401)]
            .into_iter()
            .map(|(desired, at)| memory.highest(desired, SECOND * 300, SECOND * at))
            .collect();
        assert_eq!(found, [4, 6, 6, 6, 1, 1]);
        assert!(memory.recommendations.len() < 6);
    }

    /// Compares what recommendations at times come to, each with five replicas.
    #[track_caller]
    fn check(behavior: &Behavior, recommendations: &[(u64, i64)], expected: &[i64]) {
        let mut memory = Memory::default();
        memory.begin(5, Duration::ZERO);
        let nearest =
            |(at, desired): &(u64, i64)| memory.nearest((5, *desired), behavior, SECOND * *at as u32);
        let found: Vec<i64> = recommendations.iter().map(nearest).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn the_nearest_recommendation_counts_for_a_time() {
        check(&behavior(0, 30), &[(15, 9), (29, 3), (45, 3)], &[9, 5, 3]);
        check(&behavior(30, 0), &[(15, 9), (31, 9), (40, 2)], &[5, 9, 2]);
    }

    #[test]
    fn changes_count_for_a_time() {
        let (mut memory, behavior) = (Memory::default(), behavior(0, 0));
        for (at, before, after) in [(0, 1, 3), (30, 3, 4), (45, 4, 2), (90, 2, 7)] {
            memory.scaled(before, after, &behavior, SECOND * at);
        }
        let now = SECOND * 100;
        assert_eq!((memory.ups.within(SECOND * 60, now), memory.downs.within(SECOND * 60, now)), (5, 2));
        assert_eq!((memory.ups.within(SECOND * 71, now), memory.ups.within(SECOND * 10, now)), (5, 0));
        assert_eq!(memory.ups.0.len(), 2);
    }
}
