//! The history of a Deployment: ReplicaSets without pods, of which so many are kept as it says.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#clean-up-policy>.

use json_tree::Value;

use super::replica_sets::age;
use super::size::{self, NONE};
use super::{Rollout, annotations, progress};
use crate::controller::Context;
use crate::error::Error;
use crate::object;
use crate::resource::REPLICA_SETS;
use crate::store::Shared;

impl Rollout {
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
            let has_pods = size::count(set, "/status/replicas") != NONE || size::replicas(set) != NONE;
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
