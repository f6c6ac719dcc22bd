//! The ControllerRevisions of a StatefulSet: the one that pods have, and the one that they are to have.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#rolling-updates>.

use std::collections::BTreeSet;
use std::sync::Arc;

use apimachinery::selector::LabelSelector;
use json_tree::Value;

use super::{Set, identity};
use crate::client::View;
use crate::controller::Context;
use crate::error::Error;
use crate::resource::{CONTROLLER_REVISIONS, STATEFUL_SETS};
use crate::revision;
use crate::store::Shared;
use crate::{hash, object};

const HASH_LABEL: &str = "controller.kubernetes.io/hash";

/// The number of characters that a name has at most before its hash.
const LONGEST_PREFIX: usize = 223;

/// The revisions of a StatefulSet.
pub(super) struct Revisions {
    /// Those that were there before, the oldest first.
    all: Vec<Shared>,
    pub(super) current: Shared,
    pub(super) update: Shared,
    pub(super) collisions: i64,
}

/// Returns the revisions that there are, the oldest first: those that the StatefulSet manages, and those that nobody does.
pub(super) fn list(owner: &Value, selector: &LabelSelector, context: &Context<'_>) -> Vec<Shared> {
    let store = context.stores.of(&CONTROLLER_REVISIONS);
    let own = store.managed_by(&STATEFUL_SETS.kind, owner).chain(store.unmanaged(object::namespace(owner)));
    let mut all: Vec<Shared> = own.filter(|one| object::selects(selector, one)).cloned().collect();
    let order = |one: &Value| (revision::number(one), object::creation_time(one));
    all.sort_by(|a, b| (order(a), object::name(a)).cmp(&(order(b), object::name(b))));
    all
}

/// Finds the revision of the template, or makes it, and the one that the pods had before.
pub(super) async fn find(owner: &Value, all: Vec<Shared>, context: &Context<'_>) -> Result<Revisions, Error> {
    let data = revision::data(owner);
    let mut collisions = object::int(owner, "/status/collisionCount");
    let number = all.last().map_or(0, |last| revision::number(last)).saturating_add(1);
    let is_equal = |one: &&Shared| one.get("data") == Some(&data);
    let update = match all.iter().rfind(is_equal) {
        Some(_) if all.last().is_some_and(|last| is_equal(&last)) => all.last().cloned(),
        Some(equal) => Some(Arc::new(revision::renumber(equal, number, context).await?)),
        // Earlier versions have written nulls that mean nothing.
        None => all.last().filter(|last| brings_back(last, owner)).cloned(),
    };
    let update = match update {
        Some(update) => update,
        None => create(owner, number, &data, &mut collisions, context).await?,
    };
    let name = owner.text_at("/status/currentRevision");
    let current = all.iter().find(|one| object::name(one) == name).unwrap_or(&update).clone();
    Ok(Revisions { all, current, update, collisions })
}

/// Reports whether a revision brings back the template that a StatefulSet has, though other bytes say so.
fn brings_back(revision: &Value, owner: &Value) -> bool {
    let Some(mut template) = revision::template(revision) else { return false };
    remove_nulls(&mut template);
    owner.pointer("/spec/template") == Some(&template)
}

fn remove_nulls(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|_, value| !value.is_null());
            map.values_mut().for_each(remove_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_nulls),
        _ => {}
    }
}

/// Makes the revision of the template. If there is another one with its name, the next try has another hash. The label keeps the first.
async fn create(
    owner: &Value,
    number: i64,
    data: &Value,
    collisions: &mut i64,
    context: &Context<'_>,
) -> Result<Shared, Error> {
    let (namespace, bytes) = (object::namespace(owner), codec::json::to_vec(data));
    let prefix = object::name(owner);
    let prefix = prefix.get(..LONGEST_PREFIX).unwrap_or(prefix);
    let first = hash::of_data(&bytes, *collisions);
    loop {
        let name = [prefix, "-", &hash::of_data(&bytes, *collisions)].concat();
        let new = revision::new(owner, &STATEFUL_SETS, (name.clone(), number), (HASH_LABEL, &first), data);
        match context.client.create(&CONTROLLER_REVISIONS, namespace, &new).await {
            Err(error) if error.is_already_exists() => {}
            created => return created.map(Arc::new),
        }
        let other = context.client.get(&CONTROLLER_REVISIONS, namespace, &name, View::Whole).await?;
        if other.get("data") == Some(data) {
            return Ok(Arc::new(other));
        }
        // It is a number of 32 bits, as it is for Go.
        *collisions = i64::from((*collisions as i32).wrapping_add(1));
    }
}

/// Deletes the oldest revisions, if there are more than are to be kept. Those of pods stay, and the current ones.
pub(super) async fn truncate(set: &Set, revisions: &Revisions, context: &Context<'_>) -> Result<(), Error> {
    let mut live: BTreeSet<&str> = set.pods.iter().map(|pod| identity::pod_revision(pod)).collect();
    live.insert(object::name(&revisions.current));
    live.insert(object::name(&revisions.update));
    let old: Vec<_> = revisions.all.iter().filter(|one| !live.contains(object::name(one))).collect();
    let limit = object::int(&set.owner, "/spec/revisionHistoryLimit");
    let Ok(limit) = usize::try_from(limit) else { return Ok(()) };
    for one in old.iter().take(old.len().saturating_sub(limit)) {
        revision::delete(one, context).await?;
    }
    Ok(())
}
