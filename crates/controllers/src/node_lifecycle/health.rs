//! The signs of life of a node: its status, its lease, and the end of both.
//!
//! See <https://kubernetes.io/docs/reference/node/node-status/#heartbeats>.

use std::time::Duration;

use json_tree::{Value, json};

use super::conditions::ready;
use crate::object::{self, list};
use crate::store::Shared;

/// The time that a node may say nothing.
const GRACE: Duration = Duration::from_secs(50);

/// The time that a new node may take until it says something.
const STARTUP: Duration = Duration::from_secs(60);

/// The conditions that nobody knows any more where nothing is heard of a node.
const CONDITIONS: [&str; 4] = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/// The state of a node as it was last seen.
#[derive(Default)]
pub(super) struct Health {
    /// The time of the last sign of life, as it was seen here; `None` before the first look.
    probe: Option<Duration>,
    /// The condition `Ready` as it was last seen.
    ready: Option<Value>,
    /// The time at which the lease was last renewed.
    renewed: Option<Duration>,
    /// The time for which it may say nothing.
    grace: Duration,
    /// True if it is said already that nothing is heard of it.
    is_lost: bool,
    /// True if it could not be said of all its pods that they are not ready.
    pub(super) has_unmarked_pods: bool,
}

impl Health {
    /// Takes note of the status of a node, of its lease, and of the last sign of life of a kubelet that needs none.
    pub(super) fn observe(
        &mut self,
        node: &Value,
        lease: Option<&Shared>,
        heartbeat: Option<Duration>,
        now: Duration,
    ) {
        let current = ready(node);
        self.grace = if current.is_some() { GRACE } else { STARTUP };
        let beat = |condition: &Value| condition.get("lastHeartbeatTime").cloned();
        match (self.probe, &self.ready, current) {
            (None, _, None) => self.probe = Some(object::creation_time(node)),
            (_, None, None) => {}
            (Some(_), Some(known), Some(current)) if beat(known) == beat(current) => {}
            _ => self.probe = Some(now),
        }
        self.ready = current.cloned();
        let renewed = lease.and_then(|lease| object::time(lease.pointer("/spec/renewTime")?));
        if renewed > self.renewed {
            self.renewed = renewed;
            self.probe = Some(now);
        }
        self.probe = self.probe.max(heartbeat);
    }

    /// Takes note of the status that was written.
    pub(super) fn know(&mut self, node: &Value) {
        self.ready = ready(node).cloned();
        self.is_lost = true;
    }

    /// Takes what has happened until now for a sign of life.
    pub(super) fn renew(&mut self, now: Duration) {
        self.probe = Some(now);
    }

    /// Returns the status of the condition `Ready`, if there is one.
    pub(super) fn status(&self) -> Option<&str> {
        self.ready.as_ref().map(|ready| ready.text("status"))
    }

    /// Returns the time at which nothing was heard for too long; `None` if it is said already.
    pub(super) fn due(&self) -> Option<Duration> {
        Some(self.probe?.saturating_add(self.grace)).filter(|_| !self.is_lost)
    }

    /// Returns the node with what there is to say of it if nothing was heard for too long; `None` if nothing is to be said.
    pub(super) fn lost(&mut self, node: &Value, now: Duration) -> Option<Value> {
        self.is_lost = self.probe.is_some_and(|probe| probe.saturating_add(self.grace) <= now);
        if !self.is_lost || ready(node).is_some_and(|ready| ready.text("status") == "Unknown") {
            return None;
        }
        let time = object::timestamp(now);
        let mut conditions = list(node, "/status/conditions").to_vec();
        for kind in CONDITIONS {
            match conditions.iter_mut().find(|condition| condition.text("type") == kind) {
                Some(known) if known.text("status") == "Unknown" => {}
                Some(known) => {
                    for (key, value) in [
                        ("status", "Unknown"),
                        ("lastTransitionTime", &time),
                        ("reason", "NodeStatusUnknown"),
                        ("message", "Kubelet stopped posting node status."),
                    ] {
                        object::set(known, key, value.into());
                    }
                }
                None => conditions.push(json!({
                    "type": kind,
                    "status": "Unknown",
                    "lastHeartbeatTime": object::meta(node, "creationTimestamp").clone(),
                    "lastTransitionTime": time.as_str(),
                    "reason": "NodeStatusNeverUpdated",
                    "message": "Kubelet never posted node status."
                })),
            }
        }
        let mut lost = node.clone();
        object::set(object::child(&mut lost, "status"), "conditions", Value::Array(conditions));
        Some(lost)
    }
}
