//! Scaling: the pods of a Deployment are distributed among its ReplicaSets.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#proportional-scaling>.

use std::num::Wrapping;

use json_tree::Value;

use super::replica_sets::age;
use super::size::{self, Count, NONE};
use super::{Rollout, Sets, annotations, rollback};
use crate::controller::Context;
use crate::error::Error;
use crate::events::EventType;
use crate::object;
use crate::resource::REPLICA_SETS;
use crate::store::Shared;

impl Rollout {
    /// Reports whether the number of pods that is wanted has changed since the ReplicaSets were last scaled.
    pub(super) async fn is_scaling(&mut self, context: &mut Context<'_>) -> Result<bool, Error> {
        let sets = self.replica_sets(false, context).await?;
        let wanted = self.replicas();
        let active = size::active(sets.all());
        Ok(active
            .iter()
            .filter_map(|set| annotations::desired_replicas(set))
            .any(|desired| desired != wanted))
    }

    /// Scales, without moving pods from one ReplicaSet to another.
    pub(super) async fn sync_scale(&mut self, context: &mut Context<'_>) -> Result<(), Error> {
        let mut sets = self.replica_sets(false, context).await?;
        // The newest first: so they are scaled where nothing else decides.
        sets.old.reverse();
        self.scale(&sets, context).await?;
        if self.is_paused() && rollback::revision(&self.deployment).is_none() {
            self.clean_up(&sets.old, context).await?;
        }
        self.sync_status(&sets, context).await
    }

    /// Scales the only ReplicaSet with pods, or the newest; if there are several, the old ones to nothing once the new one has all pods,
    /// else all in proportion.
    async fn scale(&self, sets: &Sets, context: &mut Context<'_>) -> Result<(), Error> {
        let wanted = self.replicas();
        let active = size::active(sets.all());
        let only = match active.as_slice() {
            [] => sets.new.as_ref().or_else(|| sets.old.first()),
            [only] => Some(only),
            _ => None,
        };
        if let Some(only) = only {
            return self.scale_set(only, wanted, false, context).await.map(drop);
        }
        if sets.new.as_ref().is_some_and(|new| self.is_saturated(new)) {
            for old in size::active(&sets.old) {
                self.scale_set(&old, NONE, false, context).await?;
            }
            return Ok(());
        }
        if size::is_rolling(&self.deployment) && !active.is_empty() {
            self.scale_in_proportion(active, context).await?;
        }
        Ok(())
    }

    /// Reports whether a ReplicaSet has all pods that are wanted, available.
    fn is_saturated(&self, set: &Value) -> bool {
        let wanted = self.replicas();
        let desired = annotations::desired_replicas(set);
        desired == Some(wanted)
            && size::replicas(set) == wanted
            && size::count(set, "/status/availableReplicas") == wanted
    }

    /// Distributes the pods that are added or taken among ReplicaSets by their sizes; what is left over goes to the largest.
    async fn scale_in_proportion(
        &self,
        mut sets: Vec<Shared>,
        context: &mut Context<'_>,
    ) -> Result<(), Error> {
        let allowed = if self.replicas() > NONE { size::max_replicas(&self.deployment) } else { NONE };
        let to_add = allowed - size::sum(&sets, "/spec/replicas");
        let by_size = |a: &Shared, b: &Shared| size::replicas(b).cmp(&size::replicas(a));
        if to_add > NONE {
            sets.sort_by(|a, b| by_size(a, b).then_with(|| age(b).cmp(&age(a))));
        } else if to_add < NONE {
            sets.sort_by(|a, b| by_size(a, b).then_with(|| age(a).cmp(&age(b))));
        }
        let mut added = NONE;
        let mut sizes = Vec::new();
        for set in &sets {
            let share = if to_add == NONE { NONE } else { self.share(set, to_add, added) };
            sizes.push(size::replicas(set) + share);
            added += share;
        }
        if let Some(first) = sizes.first_mut().filter(|_| to_add != NONE) {
            *first = (*first + (to_add - added)).max(NONE);
        }
        for (set, size) in sets.iter().zip(sizes) {
            self.scale_set(set, size, true, context).await?;
        }
        Ok(())
    }

    /// Returns how many of the pods that are added (or taken, if negative) go to a ReplicaSet.
    fn share(&self, set: &Value, to_add: Count, added: Count) -> Count {
        if size::replicas(set) == NONE || to_add == added {
            return NONE;
        }
        let (fraction, left) = (self.fraction(set), to_add - added);
        if to_add > NONE { fraction.min(left) } else { fraction.max(left) }
    }

    /// Returns by how many pods a ReplicaSet has to grow to have the same part of all that may be as it had before.
    fn fraction(&self, set: &Value) -> Count {
        let own = size::replicas(set);
        if self.replicas() == NONE {
            return -own;
        }
        let most = size::max_replicas(&self.deployment);
        let before = annotations::max_replicas(set).filter(|before| *before != NONE);
        let before = before.unwrap_or(self.status().replicas);
        if before == NONE {
            return NONE;
        }
        let size = f64::from((own * most).0) / f64::from(before.0);
        // Half a pod is rounded away from zero.
        Wrapping((if size < 0.0 { size - 0.5 } else { size + 0.5 }) as i32) - own
    }

    /// Scales a ReplicaSet. With `force`, the sizes in its annotations are brought up to date even if its own stays. Returns whether it
    /// was scaled, and the ReplicaSet as it is then.
    pub(super) async fn scale_set(
        &self,
        set: &Shared,
        size: Count,
        force: bool,
        context: &mut Context<'_>,
    ) -> Result<(bool, Shared), Error> {
        let before = size::replicas(set);
        let resizes = before != size;
        let is_due = resizes || force && annotations::sizes_differ(set, &self.deployment);
        if !is_due {
            return Ok((false, Shared::clone(set)));
        }
        let mut new = Value::clone(set);
        object::set(object::child(&mut new, "spec"), "replicas", size.0.into());
        annotations::set_sizes(&mut new, &self.deployment);
        let written = Shared::new(context.client.update(&REPLICA_SETS, &new, "").await?);
        if resizes {
            let (word, name) = (if before < size { "up" } else { "down" }, object::name(&written));
            let message = format!("Scaled {word} replica set {name} from {before} to {size}");
            self.report(EventType::Normal, "ScalingReplicaSet", message, context);
        }
        Ok((resizes, written))
    }
}
