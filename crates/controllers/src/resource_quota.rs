//! The controller of ResourceQuotas: it tells in their status how much of what they limit is used.
//!
//! See <https://kubernetes.io/docs/concepts/policy/resource-quotas/>.

mod replenish;
mod usage;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use apimachinery::amounts::{Amounts, amounts};
use futures::FutureExt;
use json_tree::{Map, Value, json};

use crate::change::Change;
use crate::client::View;
use crate::controller::{Context, Controller, Interest, Looking, Outcome};
use crate::discovery::{Discovery, Served};
use crate::error::Error;
use crate::object;
use crate::resource::{
    DEFINITIONS, PERSISTENT_VOLUME_CLAIMS, PODS, RESOURCE_CLAIMS, RESOURCE_QUOTAS, Resource, SERVICES,
};

/// The key of the queue that has it find out what is served. Those of quotas have a slash.
const DISCOVER: &str = "discover";

/// The time between two counts for a quota when things go, so that many changes are counted together.
const BATCH: Duration = Duration::from_millis(100);

/// The time after which kube-controller-manager counts all quotas again.
const RESYNC: Duration = Duration::from_secs(300);

/// The controller.
#[derive(Default)]
pub(crate) struct ResourceQuotas {
    /// The resources whose objects are counted.
    counted: BTreeSet<Resource>,
    /// The times of the last counts, by the keys of the quotas.
    counts: BTreeMap<String, Duration>,
}

impl Controller for ResourceQuotas {
    fn is_quick(&self) -> bool {
        true
    }

    fn resources(&self) -> Vec<(Resource, View)> {
        let whole = [PERSISTENT_VOLUME_CLAIMS, PODS, RESOURCE_CLAIMS, RESOURCE_QUOTAS, SERVICES];
        let whole = whole.into_iter().map(|resource| (resource, View::Whole));
        whole.chain([(DEFINITIONS, View::Metadata)]).collect()
    }

    fn first(&self) -> Option<&'static str> {
        Some(DISCOVER)
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        if change.resource == DEFINITIONS {
            context.queue.add(DISCOVER);
        }
        if change.resource == RESOURCE_QUOTAS {
            observe_quota(change, context);
        }
        if self.counted.contains(&change.resource) && replenish::is_needed(change) {
            self.replenish(change, context);
        }
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        async move {
            if key == DISCOVER {
                return self.discover(context).await;
            }
            self.count(key, context).await
        }
        .boxed()
    }
}

/// Queues a quota that is new or gone, or has other limits; and one whose status somebody has changed, for the time at which all quotas would
/// be counted again.
fn observe_quota(change: &Change, context: &mut Context<'_>) {
    let hard = |quota: &Value| amounts(quota.pointer("/spec/hard"));
    let is_same = match (&change.old, &change.new) {
        (Some(old), Some(new)) => are_equal(&hard(old), &hard(new)),
        _ => false,
    };
    let Some(quota) = change.object() else { return };
    if !is_same {
        context.queue.add(object::key(quota));
    } else if !are_equal(&hard(quota), &amounts(quota.pointer("/status/hard"))) {
        context.queue.add_at(object::key(quota), context.now().saturating_add(RESYNC));
    }
}

/// Reports whether two lists have the same names with the same amounts.
fn are_equal(a: &Amounts, b: &Amounts) -> bool {
    let has = |(name, amount): &(String, _)| b.get(name) == Some(amount);
    a.len() == b.len() && a.entries().iter().all(has)
}

impl ResourceQuotas {
    /// Finds out what is served, and counts the objects of all of it that is in namespaces. Events are not counted.
    async fn discover(&mut self, context: &mut Context<'_>) -> Result<Outcome, Error> {
        let discovery = Discovery::ask(context.client).await?;
        let is_counted = |served: &&Served| {
            served.has_verbs(&["create", "list", "watch", "delete"])
                && served.resource.namespaced
                && served.resource.plural != "events"
        };
        let served = discovery.preferred.iter().filter(is_counted);
        let counted: BTreeSet<Resource> = served.map(|served| served.resource.clone()).collect();
        for resource in counted.difference(&self.counted) {
            context.interests.push(Interest::Begin(resource.clone(), View::Metadata));
        }
        for resource in self.counted.difference(&counted) {
            context.interests.push(Interest::End(resource.clone()));
        }
        // What the quotas say of new resources is not known yet.
        if !self.counted.is_empty() && counted != self.counted {
            for (key, _) in context.stores.of(&RESOURCE_QUOTAS).iter() {
                context.queue.add(key.as_str());
            }
        }
        self.counted = counted;
        Ok(Outcome::Done)
    }

    /// Queues the quotas of a namespace that limit what has changed.
    fn replenish(&self, change: &Change, context: &mut Context<'_>) {
        let Some(namespace) = change.object().map(|object| object::namespace(object)) else { return };
        let now = context.now();
        for quota in context.stores.of(&RESOURCE_QUOTAS).in_namespace(namespace) {
            let hard = quota.pointer("/status/hard").and_then(Value::as_object);
            if hard.into_iter().flatten().any(|(name, _)| usage::covers(&change.resource, name)) {
                let key = object::key(quota);
                let next = self.counts.get(&key).map_or(now, |last| last.saturating_add(BATCH));
                context.queue.add_at(key, next.max(now));
            }
        }
    }

    /// Counts what a quota limits, and writes it into the status if that says something else.
    async fn count(&mut self, key: &str, context: &mut Context<'_>) -> Result<Outcome, Error> {
        let Some(quota) = context.stores.of(&RESOURCE_QUOTAS).get(key).cloned() else {
            self.counts.remove(key);
            return Ok(Outcome::Done);
        };
        self.counts.insert(key.to_owned(), context.now());
        let hard = amounts(quota.pointer("/spec/hard"));
        let known = quota.pointer("/status/used").filter(|used| used.is_object());
        let mut used = amounts(known);
        let found = usage::of(&quota, &hard, &self.counted, context);
        used.extend(found.into_entries());
        used.retain(|(name, _)| hard.contains_key(name));
        let told = quota.pointer("/status/hard").filter(|hard| hard.is_object());
        let is_told = told.is_some_and(|told| are_equal(&amounts(Some(told)), &hard))
            && known.is_some_and(|known| are_equal(&amounts(Some(known)), &used));
        if !is_told {
            let mut quota = Value::clone(&quota);
            object::set(&mut quota, "status", json!({"hard": written(&hard), "used": written(&used)}));
            context.client.update(&RESOURCE_QUOTAS, &quota, "status").await?;
        }
        Ok(Outcome::Done)
    }
}

/// Writes amounts as objects have them.
fn written(amounts: &Amounts) -> Value {
    let entries = amounts.entries().iter();
    let entries: Map<String, Value> =
        entries.map(|(name, amount)| (name.clone(), amount.to_string().into())).collect();
    Value::Object(entries)
}
