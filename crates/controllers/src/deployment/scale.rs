//! Scaling: the pods of a Deployment are distributed among its ReplicaSets, and those that are no longer needed are deleted.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#proportional-scaling>.

use json_tree::Value;

use super::replica_sets::age;
use super::{Rollout, Sets, annotations, progress, rollback, size};
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
        let sets = self.replica_sets(false, context).await?;
        self.scale(&sets, context).await?;
        if self.is_paused() && rollback::revision(&self.deployment).is_none() {
            self.clean_up(&sets.old, context).await?;
        }
        self.sync_status(&sets, context).await
    }

    async fn scale(&self, sets: &Sets, context: &mut Context<'_>) -> Result<(), Error> {
        let wanted = self.replicas();
        let active = size::active(sets.all());
        let only = match active.as_slice() {
            [] => sets.new.as_ref().or_else(|| sets.old.iter().max_by(|a, b| age(a).cmp(&age(b)))),
            [only] => Some(only),
            _ => None,
        };
        if let Some(only) = only {
            return self.scale_set(only, wanted, false, context).await.map(drop);
        }
        if sets.new.as_ref().is_some_and(|new| self.is_saturated(new)) {
            for old in size::active(&sets.old) {
                self.scale_set(&old, 0, false, context).await?;
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
            && object::int(set, "/status/availableReplicas") == wanted
    }

    /// Distributes the pods that are added or taken among ReplicaSets by their sizes; what is left over goes to the largest.
    async fn scale_in_proportion(
        &self,
        mut sets: Vec<Shared>,
        context: &mut Context<'_>,
    ) -> Result<(), Error> {
        let wanted = self.replicas();
        let allowed = if wanted > 0 { wanted + size::max_surge(&self.deployment) } else { 0 };
        let to_add = allowed - size::sum(&sets, "/spec/replicas");
        let by_size = |a: &Shared, b: &Shared| size::replicas(b).cmp(&size::replicas(a));
        if to_add > 0 {
            sets.sort_by(|a, b| by_size(a, b).then_with(|| age(b).cmp(&age(a))));
        } else if to_add < 0 {
            sets.sort_by(|a, b| by_size(a, b).then_with(|| age(a).cmp(&age(b))));
        }
        let mut added = 0;
        let mut sizes = Vec::new();
        for set in &sets {
            let share = if to_add == 0 { 0 } else { self.share(set, to_add, added) };
            sizes.push(size::replicas(set) + share);
            added += share;
        }
        if let Some(first) = sizes.first_mut().filter(|_| to_add != 0) {
            *first = (*first + to_add - added).max(0);
        }
        for (set, size) in sets.iter().zip(sizes) {
            self.scale_set(set, size, true, context).await?;
        }
        Ok(())
    }

    /// Returns how many of the pods that are added (or taken, if negative) go to a ReplicaSet.
    fn share(&self, set: &Value, to_add: i64, added: i64) -> i64 {
        if size::replicas(set) == 0 || to_add == added {
            return 0;
        }
        let (fraction, left) = (self.fraction(set), to_add - added);
        if to_add > 0 { fraction.min(left) } else { fraction.max(left) }
    }

    fn fraction(&self, set: &Value) -> i64 {
        let (wanted, own) = (self.replicas(), size::replicas(set));
        if wanted == 0 {
            return -own;
        }
        let most = wanted + size::max_surge(&self.deployment);
        let before =
            annotations::max_replicas(set).filter(|before| *before != 0).unwrap_or(self.status().replicas);
        if before == 0 {
            return 0;
        }
        let size = own.wrapping_mul(most) as f64 / before as f64;
        // Half a pod is rounded away from zero.
        size.round() as i64 - own
    }

    /// Scales a ReplicaSet. With `force`, the sizes in its annotations are brought up to date even if its own stays. Returns whether it
    /// was scaled, and the ReplicaSet as it is then.
    pub(super) async fn scale_set(
        &self,
        set: &Shared,
        size: i64,
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
        object::set(object::child(&mut new, "spec"), "replicas", size.into());
        annotations::set_sizes(&mut new, &self.deployment);
        let written = Shared::new(context.client.update(&REPLICA_SETS, &new, "").await?);
        if resizes {
            let (word, name) = (if before < size { "up" } else { "down" }, object::name(&written));
            let message = format!("Scaled {word} replica set {name} from {before} to {size}");
            self.report(EventType::Normal, "ScalingReplicaSet", message, context);
        }
        Ok((resizes, written))
    }

    /// Deletes the oldest ReplicaSets without pods that are too many to be kept.
    pub(super) async fn clean_up(&self, old: &[Shared], context: &Context<'_>) -> Result<(), Error> {
        let limit = self.deployment.pointer("/spec/revisionHistoryLimit").and_then(Value::as_i64);
        let Some(limit) = limit.filter(|limit| *limit != progress::UNLIMITED) else { return Ok(()) };
        let mut sets: Vec<&Shared> = old.iter().filter(|set| !object::is_being_deleted(set)).collect();
        let excess = sets.len().saturating_sub(usize::try_from(limit).unwrap_or_default());
        // The order has circles where a revision is no number.
        json_tree::sort_by(&mut sets, |a, b| match (annotations::revision(a), annotations::revision(b)) {
            (Some(first), Some(second)) if first != second => first.cmp(&second),
            _ => age(a).cmp(&age(b)),
        });
        for set in sets.into_iter().take(excess) {
            let has_pods = object::int(set, "/status/replicas") != 0 || size::replicas(set) != 0;
            if has_pods || object::generation(set) > object::int(set, "/status/observedGeneration") {
                continue;
            }
            let (namespace, name) = (object::namespace(set), object::name(set));
            match context.client.delete(&REPLICA_SETS, namespace, name, &Value::Null).await {
                Err(error) if !error.is_not_found() => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}
