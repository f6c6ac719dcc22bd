//! Rollouts: pods of old templates make way for those of the new one.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#strategy>.

use json_tree::Value;

use super::replica_sets::sort_by_age;
use super::size::{self, Count, NONE};
use super::{Rollout, Sets};
use crate::controller::Context;
use crate::error::Error;
use crate::store::Shared;
use crate::{object, pod};

/// The number of pods of a ReplicaSet that are available.
const AVAILABLE: &str = "/status/availableReplicas";

impl Rollout {
    /// Replaces the pods little by little.
    pub(super) async fn roll(&mut self, context: &mut Context<'_>) -> Result<(), Error> {
        let sets = self.replica_sets(true, context).await?;
        let Some(new) = sets.new.clone() else { return Ok(()) };
        if self.scale_up(&sets, &new, context).await? || self.scale_down(&sets, &new, context).await? {
            return self.sync_rollout_status(&sets, context).await;
        }
        if self.is_complete(&self.status()) {
            self.clean_up(&sets.old, context).await?;
        }
        self.sync_rollout_status(&sets, context).await
    }

    /// Brings the new ReplicaSet to the size that it may have now.
    async fn scale_up(&self, sets: &Sets, new: &Shared, context: &mut Context<'_>) -> Result<bool, Error> {
        let (own, wanted) = (size::replicas(new), self.replicas());
        let target = if own < wanted {
            let all: Vec<_> = sets.all().map(|set| &**set).collect();
            size::of_new_set(&self.deployment, &all, new)?
        } else {
            wanted
        };
        self.scale_set(new, target, false, context).await.map(|(scaled, _)| scaled)
    }

    /// Takes pods from the old ReplicaSets, as far as enough of the others are available.
    async fn scale_down(&self, sets: &Sets, new: &Shared, context: &mut Context<'_>) -> Result<bool, Error> {
        let mut old = size::active(&sets.old);
        if size::sum(&old, "/spec/replicas") == NONE {
            return Ok(false);
        }
        let least = size::min_available(&self.deployment);
        let unavailable = size::replicas(new) - size::count(new, AVAILABLE);
        let room = size::totals(sets).0 - least - unavailable;
        if room <= NONE {
            return Ok(false);
        }
        sort_by_age(&mut old);
        // What fails here is tried again when something has changed.
        let Ok(cleaned) = self.clean_up_unhealthy(&mut old, room, context).await else { return Ok(false) };
        let Ok(scaled) = self.scale_down_healthy(&old, new, least, context).await else { return Ok(false) };
        Ok(cleaned + scaled > NONE)
    }

    /// Takes the pods of old ReplicaSets that are not available, whose end makes nothing worse.
    async fn clean_up_unhealthy(
        &self,
        old: &mut [Shared],
        most: Count,
        context: &mut Context<'_>,
    ) -> Result<Count, Error> {
        let mut total = NONE;
        for set in old {
            if total >= most {
                break;
            }
            let own = size::replicas(set);
            let unhealthy = own - size::count(set, AVAILABLE);
            if own == NONE || unhealthy == NONE {
                continue;
            }
            let count = unhealthy.min(most - total);
            no_more(set, own - count, "when cleaning up unhealthy replicas")?;
            let (_, updated) = self.scale_set(set, own - count, false, context).await?;
            total += count;
            *set = updated;
        }
        Ok(total)
    }

    /// Takes pods of old ReplicaSets that are available, as long as `least` are left.
    async fn scale_down_healthy(
        &self,
        old: &[Shared],
        new: &Shared,
        least: Count,
        context: &mut Context<'_>,
    ) -> Result<Count, Error> {
        let available = size::sum(old.iter().chain([new]), AVAILABLE);
        if available <= least {
            return Ok(NONE);
        }
        let most = available - least;
        let mut total = NONE;
        for set in old {
            let own = size::replicas(set);
            if total >= most {
                break;
            }
            if own == NONE {
                continue;
            }
            let count = own.min(most - total);
            no_more(set, own - count, "when scaling down old RS")?;
            self.scale_set(set, own - count, false, context).await?;
            total += count;
        }
        Ok(total)
    }

    /// Replaces all pods at once: the old ones go before the new ones come.
    pub(super) async fn recreate(&mut self, context: &mut Context<'_>) -> Result<(), Error> {
        let mut sets = self.replica_sets(false, context).await?;
        let mut scaled = false;
        for set in size::active(&sets.old) {
            scaled |= self.scale_set(&set, NONE, false, context).await?.0;
        }
        if scaled || self.old_pods_run(&sets, context) {
            return self.sync_rollout_status(&sets, context).await;
        }
        if sets.new.is_none() {
            sets = self.replica_sets(true, context).await?;
        }
        if let Some(new) = &sets.new {
            self.scale_set(new, self.replicas(), false, context).await?;
        }
        if self.is_complete(&self.status()) {
            self.clean_up(&sets.old, context).await?;
        }
        self.sync_rollout_status(&sets, context).await
    }

    /// Reports whether a pod of an old template has not ended.
    fn old_pods_run(&self, sets: &Sets, context: &Context<'_>) -> bool {
        if size::sum(&sets.old, "/status/replicas") > NONE {
            return true;
        }
        let new = sets.new.as_ref().map(|new| object::uid(new));
        let pods = self.pods(context);
        let mut old = pods.iter().filter(|(uid, _)| Some(uid.as_str()) != new);
        old.any(|(_, pods)| pods.iter().any(|pod| !pod::is_terminal(pod)))
    }
}

/// Refuses to make a ReplicaSet larger that is to become smaller.
fn no_more(set: &Value, size: Count, when: &str) -> Result<(), Error> {
    let own = size::replicas(set);
    if size <= own {
        return Ok(());
    }
    let key = object::key(set);
    Err(Error::Other(format!("{when}, got invalid request to scale down {key} {own} -> {size}")))
}
