//! As many pods as are wanted: which are to be made, and which to go.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use json_tree::Value;

use super::ReplicaSets;
use crate::controller::Context;
use crate::error::Error;
use crate::pods::{BURST, Keeper};
use crate::resource::PODS;
use crate::store::Shared;
use crate::{object, pod};

impl ReplicaSets {
    /// Makes the pods that are missing, or deletes those that are too many.
    pub(super) async fn manage(
        &mut self,
        owner: &Value,
        active: &[Shared],
        context: &mut Context<'_>,
    ) -> Result<(), Error> {
        let wanted = usize::try_from(object::replicas(owner)).unwrap_or_default();
        let key = object::key(owner);
        let keeper = Keeper { owner, owners: self.kind.resource };
        if active.len() < wanted {
            let pod = keeper.pod_of(owner.pointer("/spec/template").unwrap_or(&Value::Null));
            let missing = (wanted - active.len()).min(BURST);
            self.expectations.expect_creations(&key, missing, context.now());
            let (created, outcome) = keeper.create(missing, &|_| pod.clone(), context).await;
            (created..missing).for_each(|_| self.expectations.creation_observed(&key));
            outcome
        } else if active.len() > wanted {
            let count = (active.len() - wanted).min(BURST);
            let chosen = self.choose(owner, active, count, context);
            let keys: BTreeSet<String> = chosen.iter().map(|pod| object::key(pod)).collect();
            self.expectations.expect_deletions(&key, keys, context.now());
            let mut outcome = Ok(());
            for pod in &chosen {
                let deleted = keeper.delete(pod, context).await;
                if let Err(error) = deleted {
                    self.expectations.deletion_observed(&key, &object::key(pod));
                    if !error.is_not_found() {
                        outcome = outcome.and(Err(error.context("unable to delete pods")));
                    }
                }
            }
            outcome
        } else {
            Ok(())
        }
    }

    /// Chooses the pods that are to go.
    fn choose(&self, owner: &Value, active: &[Shared], count: usize, context: &Context<'_>) -> Vec<Shared> {
        let mut pods: Vec<Shared> = active.to_vec();
        if count < pods.len() {
            let on_nodes = self.related_pods(owner, context);
            let rank = |pod: &Value| on_nodes.get(pod.text_at("/spec/nodeName")).copied().unwrap_or_default();
            let now: Duration = context.now();
            // The order has circles, as kube-controller-manager's has.
            json_tree::sort_by(&mut pods, |a, b| pod::deletion_order(a, b, (rank(a), rank(b)), now));
        }
        pods.truncate(count);
        pods
    }

    /// Counts the active pods of all objects with the same manager, by nodes.
    fn related_pods(&self, owner: &Value, context: &Context<'_>) -> BTreeMap<String, usize> {
        let mut on_nodes = BTreeMap::new();
        let Some(reference) = object::controller_of(owner) else { return on_nodes };
        let namespace = object::namespace(owner);
        let others = context.stores.of(self.kind.resource).in_namespace(namespace);
        let is_related = |other: &&Shared| {
            object::controller_of(other).is_some_and(|one| one.text("uid") == reference.text("uid"))
        };
        let selectors: Vec<_> =
            others.filter(is_related).filter_map(|related| self.kind.selector(related)).collect();
        for pod in context.stores.of(&PODS).in_namespace(namespace).filter(|pod| pod::is_active(pod)) {
            if selectors.iter().any(|selector| object::selects(selector, pod)) {
                *on_nodes.entry(pod.text_at("/spec/nodeName").to_owned()).or_default() += 1;
            }
        }
        on_nodes
    }
}
