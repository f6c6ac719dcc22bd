//! The status of DaemonSets.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/daemon-set-v1/#DaemonSetStatus>.

use json_tree::{Value, json};

use super::{Daemon, sort};
use crate::client::View;
use crate::controller::Context;
use crate::error::Error;
use crate::resource::DAEMON_SETS;
use crate::{object, pod};

/// Counts of nodes, by the fields of a status.
type Counts = [(&'static str, i64); 7];

impl Daemon {
    /// Counts nodes by what runs there, and is to run there.
    fn counts(&self, context: &Context<'_>) -> Counts {
        let (mut desired, mut current, mut misplaced) = (0, 0, 0);
        let (mut ready, mut available, mut updated) = (0, 0, 0);
        let mut by_node = self.by_node(false);
        for node in &self.nodes {
            let pods = by_node.get_mut(object::name(node));
            if !self.fit.on(node).0 {
                misplaced += i64::from(pods.is_some());
                continue;
            }
            desired += 1;
            let Some(pods) = pods else { continue };
            current += 1;
            sort(pods);
            let Some(pod) = pods.first() else { continue };
            ready += i64::from(pod::is_ready(pod));
            available += i64::from(self.is_available(pod, context));
            updated += i64::from(self.is_updated(pod));
        }
        [
            ("currentNumberScheduled", current),
            ("numberMisscheduled", misplaced),
            ("desiredNumberScheduled", desired),
            ("numberReady", ready),
            ("updatedNumberScheduled", updated),
            ("numberAvailable", available),
            ("numberUnavailable", desired - available),
        ]
    }

    /// Writes the status, unless it is there already. If somebody else has written the object meanwhile, it is tried once more.
    /// `observe` says whether the DaemonSet was acted on as it is now.
    pub(super) async fn update_status(&self, observe: bool, context: &mut Context<'_>) -> Result<(), Error> {
        self.look_again(context);
        let counts = self.counts(context);
        let owner = &self.owner;
        let generation = object::generation(owner);
        let status = owner.get("status").unwrap_or(&Value::Null);
        let is_known = |(field, count): &(&str, i64)| {
            status.get(field).and_then(Value::as_i64).unwrap_or_default() == *count
        };
        if object::int(status, "/observedGeneration") >= generation && counts.iter().all(is_known) {
            return Ok(());
        }
        let mut new = Value::clone(owner);
        put(&mut new, &counts, observe.then_some(generation));
        let Err(error) = context.client.update(&DAEMON_SETS, &new, "status").await else { return Ok(()) };
        let (namespace, name) = (object::namespace(owner), object::name(owner));
        let mut latest = context.client.get(&DAEMON_SETS, namespace, name, View::Whole).await?;
        if object::version(&latest) == object::version(owner) {
            return Err(error);
        }
        put(&mut latest, &counts, observe.then_some(generation));
        context.client.update(&DAEMON_SETS, &latest, "status").await.map(drop)
    }

    /// Has the DaemonSet looked at again once the next pod is available by itself.
    fn look_again(&self, context: &mut Context<'_>) {
        let (seconds, now) = (self.min_ready_seconds(), context.now());
        let next = self.pods.iter().filter_map(|pod| pod::available_in(pod, seconds, now)).min();
        if let Some(next) = next {
            context.queue.add_at(self.key.as_str(), now.saturating_add(next));
        }
    }
}

/// Puts counts into the status of a DaemonSet.
fn put(owner: &mut Value, counts: &Counts, generation: Option<i64>) {
    let status = object::child(owner, "status");
    if let Some(generation) = generation {
        object::set(status, "observedGeneration", generation.into());
    }
    for (field, count) in counts {
        object::set(status, field, json!(*count));
    }
}
