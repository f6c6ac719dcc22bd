//! Making and deleting pods in the name of an owner, with events about it.

use json_tree::{Value, json};

use crate::controller::Context;
use crate::error::Error;
use crate::events::EventType;
use crate::object;
use crate::resource::{PODS, Resource};

/// The pods that are made or deleted at once, at most.
pub(crate) const BURST: usize = 500;

/// An owner that keeps pods.
pub(crate) struct Keeper<'a> {
    pub(crate) owner: &'a Value,
    /// The resource of the owner.
    pub(crate) owners: &'a Resource,
}

impl Keeper<'_> {
    /// Makes a pod of a template, which is not stored yet.
    pub(crate) fn pod_of(&self, template: &Value) -> Value {
        let mut metadata = json!({"generateName": [object::name(self.owner), "-"].concat()});
        for field in ["labels", "annotations", "finalizers"] {
            let value = object::meta(template, field);
            if !value.is_null() {
                object::set(&mut metadata, field, value.clone());
            }
        }
        let reference =
            object::controller_reference(self.owner, &self.owners.api_version(), &self.owners.kind);
        object::set(&mut metadata, "ownerReferences", json!([reference]));
        json!({"metadata": metadata, "spec": template.get("spec").cloned().unwrap_or_default()})
    }

    /// Stores pods, of which `pod_at` makes one after the other: one, then twice as many each time, until one fails. Returns how many
    /// were stored.
    pub(crate) async fn create(
        &self,
        count: usize,
        pod_at: &(dyn Fn(usize) -> Value + Send + Sync),
        context: &mut Context<'_>,
    ) -> (usize, Result<(), Error>) {
        let (mut created, mut next, mut batch) = (0, 0, 1_usize);
        while next < count {
            let mut failed = None;
            for _ in 0..batch.min(count - next) {
                match self.create_one(&pod_at(next), context).await {
                    Ok(()) => created += 1,
                    Err(error) => failed = failed.or(Some(error)),
                }
                next += 1;
            }
            if let Some(error) = failed {
                return (created, Err(error));
            }
            batch = batch.saturating_mul(2);
        }
        (created, Ok(()))
    }

    async fn create_one(&self, pod: &Value, context: &mut Context<'_>) -> Result<(), Error> {
        match context.client.create(&PODS, object::namespace(self.owner), pod).await {
            Ok(created) => {
                let message = ["Created pod: ", object::name(&created)].concat();
                context.recorder.report(
                    self.owners,
                    self.owner,
                    EventType::Normal,
                    "SuccessfulCreate",
                    message,
                );
                Ok(())
            }
            // Every other one would fail, too, and it is nobody's fault.
            Err(error) if error.is_namespace_terminating() => Ok(()),
            Err(error) => {
                let message = format!("Error creating: {error}");
                context.recorder.report(self.owners, self.owner, EventType::Warning, "FailedCreate", message);
                Err(error)
            }
        }
    }

    /// Deletes a pod. That it is not there is an error, but no event tells of it.
    pub(crate) async fn delete(&self, pod: &Value, context: &mut Context<'_>) -> Result<(), Error> {
        let (namespace, name) = (object::namespace(pod), object::name(pod));
        let deleted = context.client.delete(&PODS, namespace, name, &Value::Null).await;
        let (kind, reason, message) = match &deleted {
            Ok(()) => (EventType::Normal, "SuccessfulDelete", ["Deleted pod: ", name].concat()),
            Err(error) if error.is_not_found() => return deleted,
            Err(error) => (EventType::Warning, "FailedDelete", format!("Error deleting: {error}")),
        };
        context.recorder.report(self.owners, self.owner, kind, reason, message);
        deleted
    }
}
