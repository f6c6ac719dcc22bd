//! The outcome of looking for a node: a pod is bound, or it is said why not, and others have to go.

use std::sync::Arc;

use json_tree::{Value, json};

use super::node_info::PodInfo;
use super::preemption::{Candidate, REASON};
use super::{NAME, Nomination, Scheduler};
use crate::controller::{Context, Outcome};
use crate::error::Error;
use crate::events::{EventType, Note};
use crate::object::{self, list};
use crate::pod;
use crate::resource::PODS;
use crate::store::Shared;

impl Scheduler {
    /// Binds a pod to a node. From then on it is assumed to be there.
    pub(super) async fn bind(
        &mut self,
        pod: &Shared,
        node: &str,
        context: &mut Context<'_>,
    ) -> Result<Outcome, Error> {
        self.cache.put_pod(pod, node);
        let key = object::key(pod);
        match context.client.bind(pod, node).await {
            Ok(()) => {
                let text = format!("Successfully assigned {key} to {node}");
                let note = Note::new(EventType::Normal, "Scheduled", "Binding", text);
                context.recorder.note(&PODS, pod, note);
                Ok(Outcome::Done)
            }
            Err(error) => {
                self.cache.remove_pod(&key);
                if error.is_not_found() {
                    return Ok(Outcome::Done);
                }
                let now = context.now();
                let attempts = self.attempts.entry(key).or_default();
                attempts.errors = attempts.errors.saturating_add(1);
                attempts.last = now;
                let pause = attempts.next() - now;
                let text = format!("running Bind plugin \"DefaultBinder\": {error}");
                // It is tried again whether or not it could be told.
                let _ = self.tell(pod, "SchedulerError", &text, Some(String::new()), context).await;
                Ok(Outcome::After(pause))
            }
        }
    }

    /// Says that a pod fits nowhere, and has others make room for it if they can.
    pub(super) async fn fail(
        &mut self,
        pod: &Shared,
        text: &str,
        nomination: Nomination,
        context: &mut Context<'_>,
    ) -> Result<Outcome, Error> {
        let nominated = match nomination {
            Nomination::None => Some(String::new()),
            Nomination::Kept => None,
            Nomination::On(candidate) => {
                self.preempt(pod, &candidate, context).await?;
                Some(candidate.node)
            }
        };
        if let Some(node) = &nominated {
            self.cache.nominate(pod, node);
        }
        self.tell(pod, "Unschedulable", text, nominated, context).await?;
        Ok(Outcome::Done)
    }

    /// Reports an event, and writes the condition and the nomination, where they are others than before.
    async fn tell(
        &self,
        pod: &Shared,
        reason: &'static str,
        text: &str,
        nominated: Option<String>,
        context: &mut Context<'_>,
    ) -> Result<(), Error> {
        let note = Note::new(EventType::Warning, "FailedScheduling", "Scheduling", text.to_owned());
        context.recorder.note(&PODS, pod, note);
        let mut status = json!({});
        if let Some(condition) = new_condition(pod, ("PodScheduled", false), (reason, text), context) {
            object::set(&mut status, "conditions", json!([condition]));
        }
        if let Some(node) = nominated.filter(|node| pod.text_at("/status/nominatedNodeName") != node) {
            let value = if node.is_empty() { Value::Null } else { node.into() };
            object::set(&mut status, "nominatedNodeName", value);
        }
        unless_gone(patch_status(pod, &status, context).await).map(drop)
    }

    /// Takes the nominations of less important pods for a node away, and deletes those that have to go.
    async fn preempt(
        &mut self,
        pod: &Shared,
        candidate: &Candidate,
        context: &mut Context<'_>,
    ) -> Result<(), Error> {
        let is_there = |victim: &&Arc<PodInfo>| !object::is_being_deleted(&victim.pod);
        let victims: Vec<_> = candidate.victims.iter().filter(is_there).collect();
        if victims.is_empty() {
            return Ok(());
        }
        let own = object::key(pod);
        let nominated = self.cache.nominated_on(&candidate.node);
        let others: Vec<Arc<PodInfo>> = nominated
            .filter(|other| other.priority < pod::priority(pod) && other.key != own)
            .cloned()
            .collect();
        for other in others {
            self.cache.nominate(&other.pod, "");
            // They find another place sooner; if that fails, they find it later.
            let _ = patch_status(&other.pod, &json!({"nominatedNodeName": null}), context).await;
        }
        for victim in victims {
            if unless_gone(evict(victim, context).await)? {
                let text = format!("Preempted by pod {} on node {}", object::uid(pod), candidate.node);
                let note = Note::new(EventType::Normal, "Preempted", "Preempting", text).related(&PODS, pod);
                context.recorder.note(&PODS, &victim.pod, note);
            }
        }
        Ok(())
    }
}

/// Deletes a pod that has to go, and says why in its status before.
async fn evict(victim: &PodInfo, context: &Context<'_>) -> Result<(), Error> {
    let message = format!("{NAME}: preempting to accommodate a higher priority pod");
    pod::disrupt(&victim.pod, REASON, &message, context).await?;
    context.client.delete(&PODS, victim.namespace(), object::name(&victim.pod), &Value::Null).await
}

/// Makes a condition of a pod; `None` if it says what it has said before.
fn new_condition(pod: &Value, what: (&str, bool), why: (&str, &str), context: &Context<'_>) -> Option<Value> {
    let known = list(pod, "/status/conditions");
    let condition = pod::condition(what, why, pod, known, context.now());
    let is_same = |field: &&str, known: &Value| known.text(field) == condition.text(field);
    let is_known =
        |known: &Value| ["type", "status", "reason", "message"].iter().all(|field| is_same(field, known));
    let is_new = !known.iter().any(is_known);
    is_new.then_some(condition)
}

/// Patches the status of a pod, unless nothing is to be changed.
async fn patch_status(pod: &Value, status: &Value, context: &Context<'_>) -> Result<(), Error> {
    if status.as_object().is_none_or(|status| status.is_empty()) {
        return Ok(());
    }
    let patch = json!({"metadata": {"uid": object::uid(pod)}, "status": status.clone()});
    context.client.patch_status(&PODS, (object::namespace(pod), object::name(pod)), &patch).await
}

/// Reports whether the pod of a request was there.
fn unless_gone(outcome: Result<(), Error>) -> Result<bool, Error> {
    match outcome {
        Err(error) if error.is_not_found() => Ok(false),
        outcome => outcome.map(|()| true),
    }
}
