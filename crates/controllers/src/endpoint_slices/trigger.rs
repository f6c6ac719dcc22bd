//! Triggers: the times of the changes that lead to new slices.

use std::collections::BTreeMap;
use std::time::Duration;

use json_tree::Value;

use crate::object;
use crate::pod;
use crate::store::Shared;

/// The times of changes, by the keys of Services.
#[derive(Default)]
pub(crate) struct Triggers(BTreeMap<String, Times>);

/// The times that were seen last: of the Service, and of its pods by their names.
struct Times {
    service: Duration,
    pods: BTreeMap<String, Duration>,
}

impl Triggers {
    /// Returns the time of the first change since the last call; of the Service, if there was none. `None` if nothing has changed.
    pub(crate) fn next(&mut self, key: &str, service: &Value, pods: &[Shared]) -> Option<Duration> {
        let created = object::creation_time(service);
        let times = |pod: &Shared| Some((object::name(pod).to_owned(), pod::readiness_changed(pod)?));
        let now = Times { service: created, pods: pods.iter().filter_map(times).collect() };
        let Some(before) = self.0.get(key) else {
            self.0.insert(key.to_owned(), now);
            return Some(created);
        };
        let is_new =
            |(name, time): &(&String, &Duration)| before.pods.get(*name).is_none_or(|before| *time > before);
        let pods = now.pods.iter().filter(is_new).map(|(_, time)| *time);
        let first = pods.chain(Some(created).filter(|created| *created > before.service)).min();
        self.0.insert(key.to_owned(), now);
        first
    }

    /// Forgets a Service.
    pub(crate) fn forget(&mut self, key: &str) {
        self.0.remove(key);
    }
}
