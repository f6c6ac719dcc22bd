//! The ControllerRevisions of a DaemonSet: one for each template that it had.
//!
//! See <https://kubernetes.io/docs/tasks/manage-daemon/rollback-daemon-set/#understanding-daemonset-revisions>.

use std::collections::BTreeSet;
use std::sync::Arc;

use apimachinery::selector::LabelSelector;
use json_tree::{Value, json};

use super::{Daemon, claim};
use crate::client::{MERGE_PATCH, View};
use crate::controller::Context;
use crate::error::Error;
use crate::resource::{CONTROLLER_REVISIONS, DAEMON_SETS, PODS};
use crate::revision::{self, HASH_LABEL};
use crate::store::Shared;
use crate::{hash, object};

/// Finds the revision of the template, or makes it, and returns it with all others.
pub(super) async fn construct(
    owner: &Value,
    selector: &LabelSelector,
    context: &Context<'_>,
) -> Result<(Shared, Vec<Shared>), Error> {
    let data = revision::data(owner);
    let (mut current, mut old) = (Vec::new(), Vec::new());
    for mut history in claim(owner, selector, &CONTROLLER_REVISIONS, context).await? {
        if object::meta(&history, "labels").get(HASH_LABEL).is_none() {
            let mut labeled = Value::clone(&history);
            let name = object::name(&history);
            object::set(
                object::child(object::child(&mut labeled, "metadata"), "labels"),
                HASH_LABEL,
                name.into(),
            );
            history = Arc::new(context.client.update(&CONTROLLER_REVISIONS, &labeled, "").await?);
        }
        let list = if history.get("data") == Some(&data) { &mut current } else { &mut old };
        list.push(history);
    }
    let highest = old.iter().map(|history| revision::number(history)).max().unwrap_or_default();
    let number = highest.max(0).saturating_add(1);
    let Some(newest) = current.iter().max_by_key(|history| revision::number(history)).cloned() else {
        return Ok((snapshot(owner, number, &data, context).await?, old));
    };
    if current.len() > 1 {
        merge(owner, selector, &newest, &current, context).await?;
    }
    if revision::number(&newest) < number {
        revision::renumber(&newest, number, context).await?;
    }
    Ok((newest, old))
}

/// Gives all pods the hash of one revision, and deletes the other ones of the same template.
async fn merge(
    owner: &Value,
    selector: &LabelSelector,
    kept: &Value,
    all: &[Shared],
    context: &Context<'_>,
) -> Result<(), Error> {
    let hash = object::meta(kept, "labels").text(HASH_LABEL);
    for pod in claim(owner, selector, &PODS, context).await? {
        if object::meta(&pod, "labels").text(HASH_LABEL) != hash {
            let patch = json!({"metadata": {"labels": {HASH_LABEL: hash}}});
            let at = (object::namespace(&pod), object::name(&pod));
            context.client.patch(&PODS, at, MERGE_PATCH, &patch, View::Metadata).await?;
        }
    }
    for other in all.iter().filter(|other| object::name(other) != object::name(kept)) {
        revision::delete(other, context).await?;
    }
    Ok(())
}

/// Makes the revision of the template. If there is another one with its name, the next try has another hash.
async fn snapshot(owner: &Value, number: i64, data: &Value, context: &Context<'_>) -> Result<Shared, Error> {
    let count = |owner: &Value| owner.pointer("/status/collisionCount").and_then(Value::as_i64);
    let template = owner.pointer("/spec/template").unwrap_or(&Value::Null);
    let hash = hash::of_template(template, count(owner));
    let (namespace, owner_name) = (object::namespace(owner), object::name(owner));
    let name = [owner_name, "-", &hash].concat();
    let new = revision::new(owner, &DAEMON_SETS, (name.clone(), number), (HASH_LABEL, &hash), data);
    let taken = match context.client.create(&CONTROLLER_REVISIONS, namespace, &new).await {
        Err(error) if error.is_already_exists() => error,
        created => return created.map(Arc::new),
    };
    let other = context.client.get(&CONTROLLER_REVISIONS, namespace, &name, View::Whole).await?;
    if other.get("data") == new.get("data") {
        return Ok(Arc::new(other));
    }
    let mut latest = context.client.get(&DAEMON_SETS, namespace, owner_name, View::Whole).await?;
    let known = count(&latest);
    if known != count(owner) {
        return Err(taken.context("found a stale collision count"));
    }
    let next = known.unwrap_or_default().saturating_add(1);
    object::set(object::child(&mut latest, "status"), "collisionCount", next.into());
    context.client.update(&DAEMON_SETS, &latest, "status").await?;
    Err(taken)
}

/// Deletes the oldest revisions, if there are more than are to be kept. Those of pods stay.
pub(super) async fn clean_up(
    daemon: &Daemon,
    mut old: Vec<Shared>,
    context: &Context<'_>,
) -> Result<(), Error> {
    let limit = usize::try_from(object::int(&daemon.owner, "/spec/revisionHistoryLimit")).unwrap_or_default();
    let excess = old.len().saturating_sub(limit);
    let pods = daemon.pods.iter().filter(|pod| super::template::target(pod).is_some());
    let live: BTreeSet<&str> = pods.map(|pod| object::meta(pod, "labels").text(HASH_LABEL)).collect();
    old.sort_by_key(|history| revision::number(history));
    let is_live = |history: &Shared| {
        let hash = object::meta(history, "labels").text(HASH_LABEL);
        !hash.is_empty() && live.contains(hash)
    };
    for history in old.iter().filter(|history| !is_live(history)).take(excess) {
        revision::delete(history, context).await?;
    }
    Ok(())
}
