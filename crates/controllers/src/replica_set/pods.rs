//! Making and deleting pods.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use json_tree::{Value, json};

use super::ReplicaSets;
use crate::controller::Context;
use crate::error::Error;
use crate::events::EventType;
use crate::resource::PODS;
use crate::store::Shared;
use crate::{object, pod};

/// The pods that are made or deleted at once, at most.
const BURST: usize = 500;

impl ReplicaSets {
    /// Makes the pods that are missing, or deletes those that are too many.
    pub(super) async fn manage(
        &mut self,
        owner: &Value,
        active: &[Shared],
        context: &mut Context<'_>,
    ) -> Result<(), Error> {
        let wanted = usize::try_from(object::replicas(owner)).unwrap_or_default();
        let key = object::key(owner);
        if active.len() < wanted {
            let missing = (wanted - active.len()).min(BURST);
            self.expectations.expect_creations(&key, missing, context.now());
            let (created, outcome) = self.create(owner, missing, context).await;
            (created..missing).for_each(|_| self.expectations.creation_observed(&key));
            outcome
        } else if active.len() > wanted {
            let count = (active.len() - wanted).min(BURST);
            let chosen = self.choose(owner, active, count, context);
            let keys: BTreeSet<String> = chosen.iter().map(|pod| object::key(pod)).collect();
            self.expectations.expect_deletions(&key, keys, context.now());
            self.delete(owner, &chosen, context).await
        } else {
            Ok(())
        }
    }

    /// Makes pods: one, then twice as many each time, until one fails. Returns how many were made.
    async fn create(
        &self,
        owner: &Value,
        count: usize,
        context: &mut Context<'_>,
    ) -> (usize, Result<(), Error>) {
        let pod = self.pod_of(owner);
        let (mut created, mut batch) = (0, 1);
        while created < count {
            let mut failed = None;
            let mut succeeded = 0;
            for _ in 0..batch.min(count - created) {
                match self.create_one(owner, &pod, context).await {
                    Ok(()) => succeeded += 1,
                    Err(error) => failed = failed.or(Some(error)),
                }
            }
            created += succeeded;
            if let Some(error) = failed {
                return (created, Err(error));
            }
            batch *= 2;
        }
        (created, Ok(()))
    }

    async fn create_one(&self, owner: &Value, pod: &Value, context: &mut Context<'_>) -> Result<(), Error> {
        let resource = self.kind.resource;
        match context.client.create(&PODS, object::namespace(owner), pod).await {
            Ok(created) => {
                let message = format!("Created pod: {}", object::name(&created));
                context.recorder.report(resource, owner, EventType::Normal, "SuccessfulCreate", message);
                Ok(())
            }
            // Every other one would fail, too, and it is nobody's fault.
            Err(error) if error.is_namespace_terminating() => Ok(()),
            Err(error) => {
                let message = format!("Error creating: {error}");
                context.recorder.report(resource, owner, EventType::Warning, "FailedCreate", message);
                Err(error)
            }
        }
    }

    /// Makes a pod of the template.
    fn pod_of(&self, owner: &Value) -> Value {
        let mut metadata = json!({"generateName": [object::name(owner), "-"].concat()});
        let template = owner.pointer("/spec/template").unwrap_or(&Value::Null);
        for field in ["labels", "annotations", "finalizers"] {
            let value = object::meta(template, field);
            if !value.is_null() {
                object::set(&mut metadata, field, value.clone());
            }
        }
        let resource = self.kind.resource;
        let reference = object::controller_reference(owner, &resource.api_version(), &resource.kind);
        object::set(&mut metadata, "ownerReferences", json!([reference]));
        json!({"metadata": metadata, "spec": template.get("spec").cloned().unwrap_or_default()})
    }

    /// Chooses the pods that are to go.
    fn choose(&self, owner: &Value, active: &[Shared], count: usize, context: &Context<'_>) -> Vec<Shared> {
        let mut pods: Vec<Shared> = active.to_vec();
        if count < pods.len() {
            let on_nodes = self.related_pods(owner, context);
            let rank = |pod: &Value| on_nodes.get(pod.text_at("/spec/nodeName")).copied().unwrap_or_default();
            let now: Duration = context.now();
            // The order has circles, as kube-controller-manager's has.
            json_tree::sort_by(&mut pods, |a, b| pod::deletion_order(a, b, (rank(a), rank(b)), now));
        }
        pods.truncate(count);
        pods
    }

    /// Counts the active pods of all objects with the same manager, by nodes.
    fn related_pods(&self, owner: &Value, context: &Context<'_>) -> BTreeMap<String, usize> {
        let mut on_nodes = BTreeMap::new();
        let Some(reference) = object::controller_of(owner) else { return on_nodes };
        let namespace = object::namespace(owner);
        let others = context.stores.of(self.kind.resource).in_namespace(namespace);
        let is_related = |other: &&Shared| {
            object::controller_of(other).is_some_and(|one| one.text("uid") == reference.text("uid"))
        };
        let selectors: Vec<_> =
            others.filter(is_related).filter_map(|related| self.kind.selector(related)).collect();
        for pod in context.stores.of(&PODS).in_namespace(namespace).filter(|pod| pod::is_active(pod)) {
            if selectors.iter().any(|selector| object::selects(selector, pod)) {
                *on_nodes.entry(pod.text_at("/spec/nodeName").to_owned()).or_default() += 1;
            }
        }
        on_nodes
    }

    async fn delete(
        &mut self,
        owner: &Value,
        pods: &[Shared],
        context: &mut Context<'_>,
    ) -> Result<(), Error> {
        let key = object::key(owner);
        let resource = self.kind.resource;
        let mut outcome = Ok(());
        for pod in pods {
            let (namespace, name) = (object::namespace(pod), object::name(pod));
            match context.client.delete(&PODS, namespace, name, &Value::Null).await {
                Ok(()) => {
                    let message = format!("Deleted pod: {name}");
                    context.recorder.report(resource, owner, EventType::Normal, "SuccessfulDelete", message);
                }
                Err(error) => {
                    self.expectations.deletion_observed(&key, &object::key(pod));
                    if error.is_not_found() {
                        continue;
                    }
                    let message = format!("Error deleting: {error}");
                    context.recorder.report(resource, owner, EventType::Warning, "FailedDelete", message);
                    outcome = outcome.and(Err(error.context("unable to delete pods")));
                }
            }
        }
        outcome
    }
}
