//! The outcome of looking for a node: a pod is bound, or it is said why not, and others have to go.

use std::sync::Arc;

use json_tree::{Value, json};

use super::node_info::PodInfo;
use super::preemption::{Candidate, REASON};
use super::{Hope, NAME, Scheduler};
use crate::controller::{Context, Outcome};
use crate::error::Error;
use crate::events::{EventType, Note};
use crate::object::{self, list};
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
        match context.client.bind(pod, node).await {
            Ok(()) => {
                let place = object::join_key(object::namespace(pod), object::name(pod));
                let text = format!("Successfully assigned {place} to {node}");
                let note = Note::new(EventType::Normal, "Scheduled", "Binding", text);
                context.recorder.note(&PODS, pod, note);
                Ok(Outcome::Done)
            }
            Err(error) => {
                self.cache.remove_pod(&object::key(pod));
                if error.is_not_found() {
                    return Ok(Outcome::Done);
                }
                let text = format!("running Bind plugin \"DefaultBinder\": {error}");
                self.tell(pod, "SchedulerError", &text, None, context).await?;
                Ok(Outcome::Retry)
            }
        }
    }

    /// Says that a pod fits nowhere, and has others make room for it if they can.
    pub(super) async fn fail(
        &mut self,
        pod: &Shared,
        text: &str,
        hope: Hope,
        context: &mut Context<'_>,
    ) -> Result<Outcome, Error> {
        let nominated = match hope {
            Hope::None => Some(String::new()),
            Hope::Same => None,
            Hope::Node(candidate) => {
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
        let known = list(pod, "/status/conditions").iter().find(|one| one.text("type") == "PodScheduled");
        let is_same = known.is_some_and(|known| {
            known.text("status") == "False" && known.text("reason") == reason && known.text("message") == text
        });
        if !is_same {
            let since = known.filter(|known| known.text("status") == "False");
            let condition = json!({
                "type": "PodScheduled",
                "observedGeneration": object::generation(pod),
                "status": "False",
                "lastProbeTime": null,
                "lastTransitionTime": since.map_or_else(
                    || object::timestamp(context.now()).into(),
                    |known| known["lastTransitionTime"].clone()
                ),
                "reason": reason,
                "message": text
            });
            object::set(&mut status, "conditions", json!([condition]));
        }
        if let Some(node) = nominated.filter(|node| pod.text_at("/status/nominatedNodeName") != node) {
            let value = if node.is_empty() { Value::Null } else { node.into() };
            object::set(&mut status, "nominatedNodeName", value);
        }
        patch_status(pod, status, context).await
    }

    /// Deletes the pods that have to go, and takes the nominations of less important pods for the node away.
    async fn preempt(
        &mut self,
        pod: &Shared,
        candidate: &Candidate,
        context: &mut Context<'_>,
    ) -> Result<(), Error> {
        for victim in &candidate.victims {
            let at = (victim.namespace(), object::name(&victim.pod));
            let condition = json!({
                "type": "DisruptionTarget",
                "observedGeneration": object::generation(&victim.pod),
                "status": "True",
                "lastProbeTime": null,
                "lastTransitionTime": object::timestamp(context.now()),
                "reason": REASON,
                "message": format!("{NAME}: preempting to accommodate a higher priority pod")
            });
            patch_status(&victim.pod, json!({"conditions": [condition]}), context).await?;
            match context.client.delete(&PODS, at.0, at.1, &Value::Null).await {
                Err(error) if !error.is_not_found() => return Err(error),
                _ => {}
            }
            let text = format!("Preempted by pod {} on node {}", object::uid(pod), candidate.node);
            let note = Note::new(EventType::Normal, "Preempted", "Preempting", text).related(&PODS, pod);
            context.recorder.note(&PODS, &victim.pod, note);
        }
        let priority = object::int(pod, "/spec/priority");
        let own = object::key(pod);
        let others: Vec<Arc<PodInfo>> = self
            .cache
            .nominated_on(&candidate.node)
            .filter(|other| other.priority < priority && other.key != own)
            .cloned()
            .collect();
        for other in others {
            self.cache.nominate(&other.pod, "");
            patch_status(&other.pod, json!({"nominatedNodeName": null}), context).await?;
        }
        Ok(())
    }
}

/// Patches the status of a pod, unless nothing is to be changed, or the pod is gone.
async fn patch_status(pod: &Value, status: Value, context: &Context<'_>) -> Result<(), Error> {
    if status.as_object().is_none_or(|status| status.is_empty()) {
        return Ok(());
    }
    let patch = json!({"metadata": {"uid": object::uid(pod)}, "status": status});
    let at = (object::namespace(pod), object::name(pod));
    match context.client.patch_status(&PODS, at, &patch).await {
        Err(error) if !error.is_not_found() => Err(error),
        _ => Ok(()),
    }
}
