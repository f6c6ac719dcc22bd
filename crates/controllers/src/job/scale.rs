//! As many pods as a Job needs now: which are to be made, and which to go.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::time::Duration;

use json_tree::{Value, json};

use super::indexes::Indexes;
use super::round::Round;
use super::{Jobs, backoff, fields, pods};
use crate::client::{STRATEGIC_MERGE_PATCH, View};
use crate::controller::Context;
use crate::error::Error;
use crate::pods::{BURST, Keeper};
use crate::resource::{JOBS, PODS};
use crate::store::Shared;
use crate::{object, pod};

impl Jobs {
    /// Makes the pods that are missing, or deletes those that are too many. The numbers of pods are those after it.
    pub(super) async fn manage(&mut self, round: &mut Round, context: &mut Context<'_>) -> Result<(), Error> {
        let wanted = if fields::is_suspended(&round.job) { 0 } else { wanted(round) };
        let mut superfluous = superfluous(round, round.active.saturating_sub(wanted));
        if !fields::is_suspended(&round.job) {
            superfluous.truncate(BURST);
        }
        if !superfluous.is_empty() {
            return self.remove(round, &superfluous, context).await;
        }
        let waiting = if fields::replaces_failed_only(&round.job) { round.terminating } else { 0 };
        let missing = wanted.saturating_sub(waiting).saturating_sub(round.active);
        let missing = usize::try_from(missing).unwrap_or_default().min(BURST);
        if missing == 0 { Ok(()) } else { self.create(round, missing, context).await }
    }

    /// Makes pods, unless it is too early for that after failures.
    async fn create(
        &mut self,
        round: &mut Round,
        missing: usize,
        context: &mut Context<'_>,
    ) -> Result<(), Error> {
        let key = object::key(&round.job);
        let (mut new, mut pause): (Vec<Option<i64>>, Duration) = (vec![None; missing], Duration::ZERO);
        let is_per_index = fields::backoff_limit_per_index(&round.job).is_some();
        if !is_per_index {
            pause = round.backoff.left(round.now);
        }
        if pause.is_zero() && fields::is_indexed(&round.job) {
            let (ready, next) = ready_indexes(round, missing, is_per_index);
            new = ready.into_iter().map(Some).collect();
            pause = next;
        }
        if !pause.is_zero() {
            super::queue_in(&key, pause, context);
            // As the real one has it: while it waits, it says that none is active (kubernetes/kubernetes#139428).
            round.active = 0;
            return Ok(());
        }
        self.expectations.expect_creations(&key, new.len(), round.now);
        let (job, known) = (&round.job, &*round);
        let pod_at = |at: usize| match new.get(at).copied().flatten() {
            Some(index) => pods::indexed(job, index, known.kept(index).map(|pod| &**pod)),
            None => pods::plain(job),
        };
        let keeper = Keeper { owner: job, owners: &JOBS };
        let (created, outcome) = keeper.create(new.len(), &pod_at, context).await;
        (created..new.len()).for_each(|_| self.expectations.creation_observed(&key));
        round.active = round.active.saturating_add(created as i64);
        outcome
    }

    /// Has pods count no longer, and deletes them.
    async fn remove(
        &mut self,
        round: &mut Round,
        superfluous: &[Shared],
        context: &mut Context<'_>,
    ) -> Result<(), Error> {
        let key = object::key(&round.job);
        let keys: BTreeSet<String> = superfluous.iter().map(|pod| object::key(pod)).collect();
        self.expectations.expect_deletions(&key, keys, round.now);
        let mut outcome = Ok(());
        for pod in superfluous {
            let released = match fields::is_tracked(pod) {
                true => remove_finalizer(pod, context).await,
                false => Ok(()),
            };
            let was_released = released.is_ok();
            let removed = match released {
                Ok(()) => {
                    let keeper = Keeper { owner: &round.job, owners: &JOBS };
                    let deleted = keeper.delete(pod, context).await;
                    deleted.map_err(|error| (error.is_not_found(), error.context("unable to delete pods")))
                }
                Err(error) => Err((error.is_not_found(), error.context("removing completion finalizer"))),
            };
            if was_released && pod::is_ready(pod) {
                round.ready -= 1;
            }
            if removed.is_err() {
                self.expectations.deletion_observed(&key, &object::key(pod));
            }
            match removed {
                Err((false, error)) => outcome = outcome.and(Err(error)),
                _ => {
                    round.active -= 1;
                    round.terminating += 1;
                }
            }
        }
        outcome
    }

    /// Deletes the pods that are active when a Job ends. Reports whether all of them could be.
    pub(super) async fn delete_active(
        &self,
        round: &mut Round,
        context: &mut Context<'_>,
    ) -> (bool, Result<(), Error>) {
        let mut outcome = Ok(());
        for pod in &round.active_pods {
            let deleted = Keeper { owner: &round.job, owners: &JOBS }.delete(pod, context).await;
            if pod::is_ready(pod) {
                round.ready -= 1;
            }
            match deleted {
                Err(error) if !error.is_not_found() => {
                    outcome = outcome.and(Err(error.context("unable to delete pods")));
                }
                _ => {
                    round.active -= 1;
                    round.terminating += 1;
                }
            }
        }
        (round.active == 0, outcome)
    }
}

/// Removes the finalizer of a pod, so that it counts no longer.
pub(super) async fn remove_finalizer(pod: &Value, context: &Context<'_>) -> Result<(), Error> {
    let at = (object::namespace(pod), object::name(pod));
    let patch = json!({"metadata": {"$deleteFromPrimitiveList/finalizers": [fields::FINALIZER]}});
    context.client.patch(&PODS, at, STRATEGIC_MERGE_PATCH, &patch, View::Metadata).await.map(drop)
}

/// Returns how many pods are to be active.
fn wanted(round: &Round) -> i64 {
    let parallelism = object::int(&round.job, "/spec/parallelism");
    match fields::completions(&round.job) {
        // Once a pod has succeeded, those that are there go on.
        None if round.succeeded > 0 => round.active,
        None => parallelism,
        Some(completions) => completions.saturating_sub(round.succeeded).min(parallelism).max(0),
    }
}

/// Chooses active pods that are to go: those that make no sense, and others, until there are as many.
fn superfluous(round: &Round, count: i64) -> Vec<Shared> {
    let count = usize::try_from(count).unwrap_or_default();
    let (mut chosen, mut others) = match fields::is_indexed(&round.job) {
        true => by_index(round),
        false => (Vec::new(), round.active_pods.clone()),
    };
    if chosen.len() < count {
        json_tree::sort_by(&mut others, removal_order);
        others.truncate(count - chosen.len());
        chosen.append(&mut others);
    }
    chosen
}

fn removal_order(a: &Shared, b: &Shared) -> Ordering {
    pod::removal_order(a, b)
}

/// Divides active pods into those that are to go, because they have no valid index or it is another one's, too, and the rest.
fn by_index(round: &Round) -> (Vec<Shared>, Vec<Shared>) {
    let (mut superfluous, mut others) = (Vec::new(), Vec::new());
    let index = |pod: &Shared| pods::valid_index(pod, &round.job);
    let mut pods = round.active_pods.clone();
    json_tree::sort_by(&mut pods, |a, b| index(a).cmp(&index(b)).then_with(|| removal_order(a, b)));
    for (at, pod) in pods.iter().enumerate() {
        let own = index(pod);
        let is_last = pods.get(at + 1).is_none_or(|next| index(next) != own);
        let list = if own.is_some() && is_last { &mut others } else { &mut superfluous };
        list.push(pod.clone());
    }
    (superfluous, others)
}

/// Returns the first indexes that need a pod, and may have one now. If there are none only because others have failed of late, the
/// time until the first of them may.
fn ready_indexes(round: &Round, count: usize, is_per_index: bool) -> (Vec<i64>, Duration) {
    let completions = fields::completions(&round.job).unwrap_or_default();
    let replaces_failed_only = fields::replaces_failed_only(&round.job);
    let has_pod = |pod: &&Shared| pod::is_active(pod) || replaces_failed_only && pod::is_terminating(pod);
    let indexes = round.pods.iter().filter(has_pod).filter_map(|pod| pods::index(pod)).collect();
    let mut taken = round.succeeded_indexes.union(&Indexes::of(indexes));
    if let Some(failed) = &round.failed_indexes {
        taken = taken.union(failed);
    }
    let missing = taken.missing(count, completions);
    if !is_per_index {
        return (missing, Duration::ZERO);
    }
    let (mut ready, mut pause) = (Vec::new(), Duration::MAX);
    for index in missing {
        let left = round
            .kept(index)
            .map_or(Duration::ZERO, |pod| backoff::left_for(pod, pods::failures_before(pod), round.now));
        if left.is_zero() {
            ready.push(index);
        } else {
            pause = pause.min(left);
        }
    }
    let pause = if ready.is_empty() && pause < Duration::MAX { pause } else { Duration::ZERO };
    (ready, pause)
}
