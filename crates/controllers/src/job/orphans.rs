//! Pods that no Job counts any more: they lose their finalizers, so that they can go.

use json_tree::Value;

use super::conditions::finished;
use super::fields;
use super::scale::remove_finalizer;
use crate::controller::{Context, Outcome};
use crate::error::Error;
use crate::object;
use crate::resource::{JOBS, PODS};
use crate::store::{Shared, Stores};

/// The prefix of the keys of pods, which those of Jobs do not have.
const POD: &str = "pod/";

/// Returns the key of the pod that a key of the queue is about. `None` if it is about a Job, whose key has one slash.
pub(super) fn pod_key(key: &str) -> Option<&str> {
    key.strip_prefix(POD).filter(|pod| pod.contains('/'))
}

/// Queues a pod, if it has the finalizer.
pub(super) fn queue(pod: &Value, context: &mut Context<'_>) {
    if fields::is_tracked(pod) {
        context.queue.add([POD, &object::key(pod)].concat());
    }
}

/// Returns the Job that a pod names as its manager, if it is there.
pub(super) fn job_of<'a>(pod: &Value, stores: &'a Stores) -> Option<&'a Shared> {
    let reference = object::controller_of(pod).filter(|one| one.text("kind") == JOBS.kind)?;
    let key = object::join_key(object::namespace(pod), reference.text("name"));
    stores.of(&JOBS).get(&key).filter(|job| object::uid(job) == reference.text("uid"))
}

/// Removes the finalizer of a pod, unless a Job counts it that has not finished, or somebody else manages it.
pub(super) async fn sync(key: &str, context: &Context<'_>) -> Result<Outcome, Error> {
    let pod = context.stores.of(&PODS).get(key).filter(|pod| fields::is_tracked(pod));
    let Some(pod) = pod else { return Ok(Outcome::Done) };
    if let Some(reference) = object::controller_of(pod) {
        let is_job = reference.text("kind") == JOBS.kind && reference.text("apiVersion") == "batch/v1";
        let job = job_of(pod, context.stores);
        let is_counted = job.is_some_and(|job| fields::is_managed_elsewhere(job) || finished(job).is_none());
        if !is_job || is_counted {
            return Ok(Outcome::Done);
        }
    }
    match remove_finalizer(pod, context).await {
        Err(error) if !error.is_not_found() => Err(error),
        _ => Ok(Outcome::Done),
    }
}
