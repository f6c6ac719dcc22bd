//! The consequences of changes of Jobs and pods: which keys are queued.

use apimachinery::selector::LabelSelector;
use json_tree::Value;

use super::{BATCH, Jobs, fields, finished, orphans, queue_in};
use crate::change::Change;
use crate::controller::Context;
use crate::resource::{JOBS, PODS};
use crate::{object, pod};

impl Jobs {
    /// Hears of a change, and queues keys.
    pub(super) fn hear(&mut self, change: &Change, context: &mut Context<'_>) {
        let (old, new) = (change.old.as_deref(), change.new.as_deref());
        if change.resource == PODS {
            match (old, new) {
                (None, Some(new)) => self.pod_created(new, context),
                (Some(old), Some(new)) => self.pod_updated(old, new, context),
                (Some(old), None) => self.pod_deleted(old, true, context),
                (None, None) => {}
            }
        } else if change.resource == JOBS {
            match (old, new) {
                (Some(old), Some(new)) if object::uid(old) == object::uid(new) => {
                    job_updated(old, new, context)
                }
                (old, new) => {
                    if let Some(old) = old {
                        self.job_deleted(old, context);
                    }
                    if let Some(new) = new {
                        context.queue.add(object::key(new));
                    }
                }
            }
        }
    }

    fn job_deleted(&mut self, job: &Value, context: &mut Context<'_>) {
        let key = object::key(job);
        self.forget(&key);
        context.queue.add(key);
        queue_tracked_pods(job, context);
    }

    fn pod_created(&mut self, pod: &Value, context: &mut Context<'_>) {
        if object::is_being_deleted(pod) {
            return self.pod_deleted(pod, false, context);
        }
        if object::controller_of(pod).is_none() {
            orphans::queue(pod, context);
            return queue_adopters(pod, context);
        }
        if let Some(job) = orphans::job_of(pod, context.stores) {
            let key = object::key(job);
            self.expectations.creation_observed(&key);
            queue_in(&key, BATCH, context);
        }
    }

    fn pod_updated(&mut self, old: &Value, new: &Value, context: &mut Context<'_>) {
        if object::is_being_deleted(new) {
            return self.pod_deleted(new, false, context);
        }
        let (before, now) = (object::controller_of(old), object::controller_of(new));
        let has_other_manager = before != now;
        let managed = [old, new];
        // The manager before is told, if it is another one, and the one that it has now.
        for pod in if has_other_manager { &managed[..] } else { &managed[1..] } {
            let Some(job) = orphans::job_of(pod, context.stores) else { continue };
            let key = object::key(job);
            if !fields::is_tracked(new) {
                self.removal_observed(&key, object::uid(new));
            }
            queue_in(&key, BATCH, context);
        }
        if now.is_none() {
            orphans::queue(new, context);
            if has_other_manager || object::meta(old, "labels") != object::meta(new, "labels") {
                queue_adopters(new, context);
            }
        }
    }

    /// Hears that a pod is about to be deleted, or gone.
    fn pod_deleted(&mut self, pod: &Value, is_gone: bool, context: &mut Context<'_>) {
        match orphans::job_of(pod, context.stores).filter(|job| finished(job).is_none()) {
            None => orphans::queue(pod, context),
            Some(job) => {
                let key = object::key(job);
                self.expectations.deletion_observed(&key, &object::key(pod));
                if is_gone || !fields::is_tracked(pod) {
                    self.removal_observed(&key, object::uid(pod));
                }
                queue_in(&key, BATCH, context);
            }
        }
    }
}

fn job_updated(old: &Value, new: &Value, context: &mut Context<'_>) {
    let key = object::key(new);
    if finished(new).is_some() {
        return queue_tracked_pods(new, context);
    }
    if object::generation(old) == object::generation(new) {
        queue_in(&key, BATCH, context);
    } else {
        context.queue.add(key.as_str());
    }
    let seconds = |job| fields::number(job, "/spec/activeDeadlineSeconds");
    if let Some(deadline) = seconds(new).filter(|_| seconds(old) != seconds(new))
        && let Some(start) = new.pointer("/status/startTime").and_then(object::time)
    {
        context.queue.add_at(key, start.saturating_add(pod::seconds(deadline)));
    }
}

/// Queues all Jobs that may adopt a pod.
fn queue_adopters(pod: &Value, context: &mut Context<'_>) {
    for job in context.stores.of(&JOBS).in_namespace(object::namespace(pod)) {
        let selector = job.pointer("/spec/selector").and_then(LabelSelector::of);
        if object::may_join(pod, selector.as_ref()) {
            queue_in(&object::key(job), BATCH, context);
        }
    }
}

/// Queues the pods that the selector of a Job selects, so that they lose their finalizers.
fn queue_tracked_pods(job: &Value, context: &mut Context<'_>) {
    let Some(selector) = job.pointer("/spec/selector").and_then(LabelSelector::of) else { return };
    for pod in context.stores.of(&PODS).in_namespace(object::namespace(job)) {
        if object::selects(&selector, pod) {
            orphans::queue(pod, context);
        }
    }
}
