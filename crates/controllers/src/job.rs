//! The controller of Jobs: it runs pods until as many have succeeded as are to.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/job/>.

mod backoff;
mod conditions;
mod fields;
mod indexes;
mod observe;
mod orphans;
mod pods;
mod policies;
mod round;
mod scale;
mod track;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use apimachinery::selector::LabelSelector;
use futures::FutureExt;
use json_tree::Value;

use crate::change::Change;
use crate::claim::Claimant;
use crate::client::View;
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::error::Error;
use crate::events::EventType;
use crate::expectations::Expectations;
use crate::object;
use crate::pace::Doubling;
use crate::resource::{JOBS, PODS, Resource};
use crate::store::Shared;
use backoff::Backoff;
use conditions::End;
pub(crate) use conditions::finished;
use round::Round;

/// The time after which a Job is looked at when its pods or its status have changed, so that many changes are looked at together.
const BATCH: Duration = Duration::from_secs(1);

/// The delays after failures.
const DELAYS: Doubling = Doubling { first: Duration::from_secs(1), longest: Duration::from_secs(60) };

/// The controller. Its keys are those of Jobs, and those of pods that may have to lose their finalizers.
#[derive(Default)]
pub(crate) struct Jobs {
    expectations: Expectations,
    /// The memories of Jobs, by their keys.
    memories: HashMap<String, Memory>,
}

/// The memory of a Job.
#[derive(Default)]
struct Memory {
    /// The uids of pods whose finalizers were removed, and whose copies may have them still.
    removals: BTreeSet<String>,
    backoff: Backoff,
    /// The resource version that was written last; 0 if none was.
    written: u64,
}

impl Jobs {
    /// Forgets a Job.
    fn forget(&mut self, key: &str) {
        self.expectations.forget(key);
        self.memories.remove(key);
    }

    /// Notes that a pod has lost its finalizer, or is gone.
    fn removal_observed(&mut self, key: &str, uid: &str) {
        if let Some(memory) = self.memories.get_mut(key) {
            memory.removals.remove(uid);
        }
    }

    /// Returns what is remembered of a Job, to be changed.
    fn memory(&mut self, key: &str) -> &mut Memory {
        self.memories.entry(key.to_owned()).or_default()
    }

    /// Looks at a Job, makes or deletes pods, and counts those that have ended.
    async fn sync_job(&mut self, key: &str, context: &mut Context<'_>) -> Result<Outcome, Error> {
        let Some(job) = context.stores.of(&JOBS).get(key).cloned() else {
            self.forget(key);
            return Ok(Outcome::Done);
        };
        if fields::is_managed_elsewhere(&job) {
            return Ok(Outcome::Done);
        }
        if finished(&job).is_some() {
            self.memories.remove(key);
            return Ok(Outcome::Done);
        }
        // The change that was written comes, and then it is looked at.
        let memory = self.memory(key);
        if revision(&job) < memory.written {
            return Ok(Outcome::Done);
        }
        let (counted, backoff) = (memory.removals.clone(), memory.backoff);
        let may_manage = self.expectations.are_met(key, context.now());
        let pods = claim(&job, context).await?;
        let known = numbers(&job);
        let mut round = Round::new(Value::clone(&job), pods, counted, backoff, context.now());
        round.find_failure();
        if round.end.is_none()
            && let Some(deadline) = round.deadline()
        {
            context.queue.add_at(key, deadline);
        }
        round.look_at_indexes();
        let mut outcome = Ok(());
        let mut changed = false;
        if round.end.is_some() {
            let (are_all_deleted, deleted) = self.delete_active(&mut round, context).await;
            if !are_all_deleted || !may_manage {
                round.end = None;
            }
            outcome = deleted;
        } else {
            let manages = may_manage && !object::is_being_deleted(&job);
            if manages {
                outcome = self.manage(&mut round, context).await;
            }
            if round.is_complete() {
                let message = "Reached expected number of succeeded pods";
                round.end = Some(End::new(conditions::SUCCESS_CRITERIA_MET, "CompletionsReached", message));
            } else if manages {
                changed = tell_suspension(&mut round, context);
            }
        }
        track::set_number(&mut round.job, "active", round.active);
        let status = object::child(&mut round.job, "status");
        object::set(status, "ready", round.ready.into());
        object::set(status, "terminating", round.terminating.into());
        changed |= numbers(&round.job) != known;
        self.track(&mut round, changed, context).await?;
        outcome.map(|()| Outcome::Done)
    }
}

/// Returns the resource version of a Job as a number; 0 if it is none.
fn revision(job: &Value) -> u64 {
    object::version(job).parse().unwrap_or_default()
}

/// Returns the numbers of pods that are there, as a status has them.
fn numbers(job: &Value) -> [Option<i64>; 3] {
    let number = |pointer| fields::number(job, pointer);
    [number("/status/active").or(Some(0)), number("/status/ready"), number("/status/terminating")]
}

/// Returns the pods of a Job, after adoptions and releases. Those that were adopted have the finalizer.
async fn claim(job: &Value, context: &Context<'_>) -> Result<Vec<Shared>, Error> {
    let selector = job.pointer("/spec/selector").and_then(LabelSelector::of);
    let Some(selector) = selector else {
        return Err(Error::Other("couldn't convert Job selector".to_owned()));
    };
    let store = context.stores.of(&PODS);
    let all = store.managed_by("Job", job).chain(store.unmanaged(object::namespace(job)));
    let all = all.cloned().collect();
    let claimant = Claimant { owner: job, owners: &JOBS, selector: &selector, dependents: &PODS };
    let mut pods = claimant.claim_with(fields::FINALIZER, all, context).await?;
    for pod in &mut pods {
        if object::controller_of(pod).is_none() && !fields::is_tracked(pod) {
            let mut finalizers: Vec<Value> = object::finalizers(pod).map(Value::from).collect();
            finalizers.push(fields::FINALIZER.into());
            let mut adopted = Value::clone(pod);
            object::set(object::child(&mut adopted, "metadata"), "finalizers", Value::Array(finalizers));
            *pod = Arc::new(adopted);
        }
    }
    Ok(pods)
}

/// Tells in the status whether a Job is suspended, if that has changed, and begins one anew that goes on. Reports whether it has.
fn tell_suspension(round: &mut Round, context: &mut Context<'_>) -> bool {
    let is_suspended = fields::is_suspended(&round.job);
    let (reason, event, message) = match is_suspended {
        true => ("JobSuspended", "Suspended", "Job suspended"),
        false => ("JobResumed", "Resumed", "Job resumed"),
    };
    let condition = (conditions::SUSPENDED, is_suspended);
    let changed = conditions::set(&mut round.job, condition, reason, message, round.now);
    if changed {
        context.recorder.report(&JOBS, &round.job, EventType::Normal, event, message.to_owned());
        if is_suspended {
            let status = object::child(&mut round.job, "status");
            if let Some(map) = status.as_object_mut() {
                map.shift_remove("startTime");
            }
        } else {
            round.start();
        }
    }
    changed
}

/// Queues a Job after some time, and not before the changes of its pods are looked at together.
fn queue_in(key: &str, pause: Duration, context: &mut Context<'_>) {
    let at = context.now().saturating_add(pause.max(BATCH));
    context.queue.add_at(key, at);
}

impl Controller for Jobs {
    fn resources(&self) -> Vec<(Resource, View)> {
        vec![(JOBS, View::Whole), (PODS, View::Whole)]
    }

    fn delays(&self) -> Doubling {
        DELAYS
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        self.hear(change, context);
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        match orphans::pod_key(key) {
            Some(pod) => orphans::sync(pod, context).boxed(),
            None => self.sync_job(key, context).boxed(),
        }
    }
}
