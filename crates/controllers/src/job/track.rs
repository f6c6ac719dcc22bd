//! Counting pods: those that have ended are noted in the status first, then lose their finalizers, and then are counted. So each is
//! counted once, whatever happens in between.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/job/#job-tracking-with-finalizers>.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use json_tree::Value;

use super::conditions::{self, End};
use super::indexes::Indexes;
use super::policies::{self, Failure};
use super::round::{Round, Uncounted};
use super::scale::remove_finalizer;
use super::{Jobs, fields, pods, revision};
use crate::controller::Context;
use crate::error::Error;
use crate::events::EventType;
use crate::resource::JOBS;
use crate::store::Shared;
use crate::{object, pod};

/// The pods that are noted in a status at most, before they are counted.
const MOST_UNCOUNTED: usize = 500;

impl Jobs {
    /// Counts pods, and writes the status: once, or twice if pods were counted or the Job has finished. `changed` tells whether there is
    /// something to be written already.
    pub(super) async fn track(
        &mut self,
        round: &mut Round,
        mut changed: bool,
        context: &mut Context<'_>,
    ) -> Result<(), Error> {
        if fields::is_indexed(&round.job) {
            json_tree::sort_by(&mut round.pods, by_index);
        }
        let tracked = round.pods.iter().filter(|pod| round.is_tracked(pod));
        let mut tracked: BTreeSet<String> = tracked.map(|pod| object::uid(pod).to_owned()).collect();
        changed |= count_released(&mut round.job, &tracked);
        let (ended, is_full) = note_ended(round, &mut changed);
        changed |= tell_end(round);
        if changed {
            let written = self.write(&round.job, context).await;
            round.job =
                written.map_err(|error| error.context("tracking status: adding uncounted pods to status"))?;
            self.memory(&object::key(&round.job)).backoff = round.backoff;
        }
        let released = self.release(&round.job, &ended, &mut tracked, context).await;
        let mut changed = count_released(&mut round.job, &tracked);
        let finish = if released.is_ok() && !is_full { finish(round) } else { None };
        changed |= finish.is_some();
        if changed {
            let written = self.write(&round.job, context).await;
            written.map_err(|error| error.context("tracking status: removing uncounted pods from status"))?;
        }
        if let Some(end) = finish {
            report(&round.job, &end, context);
        }
        released.map_err(|error| error.context("tracking status"))
    }

    /// Writes a Job's status, and returns the Job as it is then.
    async fn write(&mut self, job: &Value, context: &Context<'_>) -> Result<Value, Error> {
        let written = context.client.update(&JOBS, job, "status").await?;
        self.memory(&object::key(job)).written = revision(&written);
        Ok(written)
    }

    /// Removes the finalizers of pods, and takes those of which that was possible out of `tracked`.
    async fn release(
        &mut self,
        job: &Value,
        ended: &[Shared],
        tracked: &mut BTreeSet<String>,
        context: &Context<'_>,
    ) -> Result<(), Error> {
        let key = object::key(job);
        let mut outcome = Ok(());
        for pod in ended {
            let uid = object::uid(pod);
            self.memory(&key).removals.insert(uid.to_owned());
            if let Err(error) = remove_finalizer(pod, context).await {
                self.removal_observed(&key, uid);
                if !error.is_not_found() {
                    outcome = outcome.and(Err(error));
                    continue;
                }
            }
            tracked.remove(uid);
        }
        outcome
    }
}

fn by_index(a: &Shared, b: &Shared) -> Ordering {
    pods::index(a).cmp(&pods::index(b))
}

/// Sets a number of a status; none, if it is 0.
pub(super) fn set_number(job: &mut Value, field: &str, number: i64) {
    let status = object::child(job, "status");
    if number != 0 {
        object::set(status, field, number.into());
    } else if let Some(map) = status.as_object_mut() {
        map.shift_remove(field);
    }
}

/// Counts the pods that were noted, and are no longer tracked. Reports whether there were any.
fn count_released(job: &mut Value, tracked: &BTreeSet<String>) -> bool {
    let mut uncounted = Uncounted::of(job);
    let before = uncounted.count();
    for (field, uids) in [("succeeded", &mut uncounted.succeeded), ("failed", &mut uncounted.failed)] {
        let count = uids.len();
        uids.retain(|uid| tracked.contains(uid));
        let new = (count - uids.len()) as i64;
        if new > 0 {
            let known = job.get("status").and_then(|status| status.get(field)?.as_i64());
            set_number(job, field, known.unwrap_or_default().saturating_add(new));
        }
    }
    let is_changed = uncounted.count() != before;
    if is_changed {
        uncounted.write(job);
    }
    is_changed
}

/// Notes the pods that have ended in the status. Returns those that are to lose their finalizers, and whether there may be more of them.
fn note_ended(round: &mut Round, changed: &mut bool) -> (Vec<Shared>, bool) {
    let job = &round.job;
    let is_indexed = fields::is_indexed(job);
    let mut noted = Uncounted::of(job);
    let mut new_indexes = Vec::new();
    let (mut ended, mut is_full) = (Vec::new(), false);
    for pod in round.pods.iter().filter(|pod| round.is_tracked(pod)) {
        let has_failed = pods::has_failed(pod, job);
        if !may_release(round, pod, has_failed) {
            continue;
        }
        ended.push(pod.clone());
        let uid = object::uid(pod);
        let index = pods::valid_index(pod, job);
        let is_noted = |list: &[String]| list.iter().any(|known| known == uid);
        let is_failure = is_noted(&round.uncounted.failed);
        if pod::phase(pod) == "Succeeded" && !is_failure {
            if is_indexed {
                // The index is enough to tell that it was counted.
                new_indexes.extend(index.filter(|index| !round.known_indexes.has(*index)));
            } else if !is_noted(&round.uncounted.succeeded) {
                noted.succeeded.push(uid.to_owned());
            }
        } else if (has_failed || round.end.as_ref().is_some_and(|end| !end.is_success()))
            && !is_failure
            && (!is_indexed || index.is_some())
            && policies::judge(job, pod) != Failure::Ignored
        {
            noted.failed.push(uid.to_owned());
        }
        if new_indexes.len() + noted.count() >= MOST_UNCOUNTED {
            is_full = true;
            break;
        }
    }
    *changed |= !new_indexes.is_empty() || noted.count() > Uncounted::of(job).count();
    noted.write(&mut round.job);
    if is_indexed {
        *changed |= note_indexes(round, new_indexes);
    }
    (ended, is_full)
}

/// Reports whether a pod need not be tracked any longer.
fn may_release(round: &Round, pod: &Value, has_failed: bool) -> bool {
    if object::is_being_deleted(&round.job) || round.end.is_some() || pod::phase(pod) == "Succeeded" {
        return true;
    }
    let is_kept = || {
        let kept = pods::index(pod).and_then(|index| round.kept(index));
        kept.is_some_and(|kept| object::uid(kept) == object::uid(pod))
    };
    has_failed && !is_kept()
}

/// Writes the indexes into the status. Reports whether they have changed.
fn note_indexes(round: &mut Round, new: Vec<i64>) -> bool {
    round.succeeded_indexes = round.succeeded_indexes.union(&Indexes::of(new));
    let job = &mut round.job;
    set_number(job, "succeeded", round.succeeded_indexes.count());
    let status = object::child(job, "status");
    let mut changed = false;
    let failed = round.failed_indexes.as_ref().map(Indexes::text);
    let succeeded = Some(round.succeeded_indexes.text()).filter(|text| !text.is_empty());
    for (field, text) in [("completedIndexes", succeeded), ("failedIndexes", failed)] {
        if status.get(field).and_then(Value::as_str) == text.as_deref() {
            continue;
        }
        changed = true;
        match (text, status.as_object_mut()) {
            (Some(text), _) => object::set(status, field, text.into()),
            (None, Some(map)) => drop(map.shift_remove(field)),
            (None, None) => {}
        }
    }
    changed
}

/// Tells in the status that the Job is to end, before the finalizers go. What it ends with is in the round then. Reports whether that
/// has changed anything.
fn tell_end(round: &mut Round) -> bool {
    let Some(end) = &mut round.end else { return false };
    let mut changed = false;
    if end.kind == conditions::FAILURE_TARGET {
        conditions::add(&mut round.job, end, round.now);
        changed = true;
        end.kind = conditions::FAILED;
    } else if end.kind == conditions::SUCCESS_CRITERIA_MET {
        if conditions::find_true(&round.job, conditions::SUCCESS_CRITERIA_MET).is_none() {
            conditions::add(&mut round.job, end, round.now);
            changed = true;
        }
        end.kind = conditions::COMPLETE;
    }
    changed
}

/// Has the Job be finished, if it is to end and nothing is left to wait for. Returns its end then.
fn finish(round: &mut Round) -> Option<End> {
    let is_waiting = Uncounted::of(&round.job).count() > 0 || round.terminating > 0;
    let end = round.end.clone().filter(|_| !is_waiting)?;
    conditions::set(&mut round.job, (end.kind, true), &end.reason, &end.message, round.now);
    if end.is_success() {
        let now = object::timestamp(round.now);
        object::set(object::child(&mut round.job, "status"), "completionTime", now.into());
    }
    Some(end)
}

/// Reports that a Job has finished.
fn report(job: &Value, end: &End, context: &mut Context<'_>) {
    if !end.is_success() {
        let message = end.message.clone();
        context.recorder.report(&JOBS, job, EventType::Warning, end.event_reason(), message);
        return;
    }
    let succeeded = object::int(job, "/status/succeeded");
    if fields::completions(job).is_some_and(|completions| succeeded > completions) {
        let message = "Too many succeeded pods running after completion count reached".to_owned();
        context.recorder.report(&JOBS, job, EventType::Warning, "TooManySucceededPods", message);
    }
    context.recorder.report(&JOBS, job, EventType::Normal, "Completed", "Job completed".to_owned());
}
