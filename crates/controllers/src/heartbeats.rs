//! The signs of life of pretended kubelets, which they write nowhere.
//!
//! A real kubelet renews a Lease every ten seconds. As long as one here is at work, all of its renewals would say the same, and nobody
//! would rest. So the node lifecycle controller is told instead, and hears at once when a kubelet is silent, because somebody has paused it
//! or cut it off.

use std::collections::BTreeMap;
use std::time::Duration;

/// The kubelets by their nodes, and since when each is silent, if it is.
#[derive(Debug, Default)]
pub(crate) struct Heartbeats(BTreeMap<String, Option<Duration>>);

impl Heartbeats {
    /// Takes note that a kubelet is at work, or is silent from a time on. Reports whether that is new.
    pub(crate) fn set(&mut self, node: &str, is_silent: bool, now: Duration) -> bool {
        let known = self.0.entry(node.to_owned()).or_default();
        let changes = known.is_some() != is_silent;
        if changes {
            *known = is_silent.then_some(now);
        }
        changes
    }

    /// Returns the last sign of life of the kubelet of a node; `None` if there is no such kubelet here.
    pub(crate) fn last(&self, node: &str, now: Duration) -> Option<Duration> {
        self.0.get(node).map(|silent| silent.unwrap_or(now))
    }

    /// Reports whether the kubelet of a node is at work here.
    pub(crate) fn is_alive(&self, node: &str) -> bool {
        self.0.get(node).is_some_and(Option::is_none)
    }
}
