//! The controller of EndpointSlices: the addresses of the pods that a Service selects.
//!
//! See <https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/>.

mod endpoint;
mod hints;
mod plan;
mod slice;
mod tracker;
mod trigger;

use std::collections::BTreeSet;
use std::time::Duration;

use futures::FutureExt;
use json_tree::Value;

use crate::change::Change;
use crate::claim::aggregate;
use crate::client::View;
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::error::Error;
use crate::events::EventType;
use crate::object::{self, list};
use crate::pace::Doubling;
use crate::resource::{ENDPOINT_SLICES, NODES, PODS, Resource, SERVICES};
use crate::store::Shared;
pub(crate) use endpoint::{find_port, has_address, key as endpoint_key, ports_key, says_the_same};
use plan::Plan;
use slice::MANAGER;
pub(crate) use slice::{HEADLESS, MANAGED_BY, SERVICE_NAME, TRIGGER, is_managed_by, service_of};
pub(crate) use tracker::Tracker;
pub(crate) use trigger::Triggers;

/// The delays after failures.
const DELAYS: Doubling = Doubling { first: Duration::from_secs(1), longest: Duration::from_secs(1000) };

/// The delay after a slice was changed by somebody else.
const SLICE_DELAY: Duration = Duration::from_secs(1);

/// The controller. Its keys are those of Services.
#[derive(Default)]
pub(crate) struct EndpointSlices {
    tracker: Tracker,
    triggers: Triggers,
}

impl EndpointSlices {
    /// Brings the slices of a Service to what its pods are.
    async fn sync_service(&mut self, key: &str, context: &mut Context<'_>) -> Result<Outcome, Error> {
        let Some(service) = context.stores.of(&SERVICES).get(key).cloned() else {
            self.tracker.forget(key);
            self.triggers.forget(key);
            return Ok(Outcome::Done);
        };
        if service.text_at("/spec/type") == "ExternalName" || !has_selector(&service) {
            return Ok(Outcome::Done);
        }
        let namespace = object::namespace(&service);
        let pods = context.stores.of(&PODS).in_namespace(namespace);
        let pods: Vec<Shared> = pods.filter(|pod| selects(&service, pod)).cloned().collect();
        let slices = context.stores.of(&ENDPOINT_SLICES).in_namespace(namespace);
        let is_own = |slice: &&Shared| {
            is_managed_by(slice, MANAGER)
                && service_of(slice) == object::name(&service)
                && !object::is_being_deleted(slice)
        };
        let slices: Vec<Shared> = slices.filter(is_own).cloned().collect();
        if self.tracker.is_stale(key, &slices) {
            return Err(Error::Other("EndpointSlice informer cache is out of date".to_owned()));
        }
        let trigger = self.triggers.next(key, &service, &pods);
        let outcome = self.reconcile(&service, &pods, slices, trigger, context).await;
        if let Err(error) = &outcome {
            let message = format!("Error updating Endpoint Slices for Service {key}: {error}");
            context.recorder.report(
                &SERVICES,
                &service,
                EventType::Warning,
                "FailedToUpdateEndpointSlices",
                message,
            );
        }
        outcome.map(|()| Outcome::Done)
    }

    /// Brings the slices of each type of address to what the pods are, and deletes those of other types.
    async fn reconcile(
        &mut self,
        service: &Shared,
        pods: &[Shared],
        slices: Vec<Shared>,
        trigger: Option<Duration>,
        context: &mut Context<'_>,
    ) -> Result<(), Error> {
        let mut errors = Vec::new();
        let families: BTreeSet<&str> = list(service, "/spec/ipFamilies").iter().map(Value::as_text).collect();
        for family in &families {
            let own = slices.iter().filter(|slice| slice.text("addressType") == *family);
            let own: Vec<Shared> = own.cloned().collect();
            let (groups, missing) = endpoint::groups(service, pods, family, context.stores.of(&NODES));
            errors.extend(missing);
            let mut plan = Plan::new(service, family, groups, &own);
            hints::set(service, &mut plan, &own);
            plan.reuse(service);
            if let Err(error) = self.carry_out(service, plan, trigger, context).await {
                errors.push(error);
            }
        }
        let is_other = |slice: &&Shared| !families.contains(slice.text("addressType"));
        for slice in slices.iter().filter(is_other) {
            if let Err(error) = self.delete(slice, context).await {
                let (name, key) = (object::name(slice), object::key(service));
                let words = ["error deleting ", name, " EndpointSlice for Service ", &key];
                errors.push(error.context(&words.concat()));
            }
        }
        aggregate(&errors).map_or(Ok(()), Err)
    }

    /// Creates, updates and deletes slices.
    async fn carry_out(
        &mut self,
        service: &Value,
        plan: Plan,
        trigger: Option<Duration>,
        context: &mut Context<'_>,
    ) -> Result<(), Error> {
        let Plan { mut create, mut update, delete } = plan;
        create.iter_mut().chain(&mut update).for_each(|slice| slice::set_trigger(slice, trigger));
        let of = |error: Error, words: &str| error.context(&[words, &object::key(service)].concat());
        let may_create = !object::is_being_deleted(service);
        for slice in create.iter().filter(|_| may_create) {
            match context.client.create(&ENDPOINT_SLICES, object::namespace(service), slice).await {
                Ok(created) => self.tracker.expect(&created),
                // Every other one would fail, too, and it is nobody's fault.
                Err(error) if error.is_namespace_terminating() => return Ok(()),
                Err(error) => return Err(of(error, "failed to create EndpointSlice for Service ")),
            }
        }
        for slice in &update {
            match context.client.update(&ENDPOINT_SLICES, slice, "").await {
                Ok(updated) => self.tracker.expect(&updated),
                Err(error) => {
                    let words = ["failed to update ", object::name(slice), " EndpointSlice for Service "];
                    return Err(of(error, &words.concat()));
                }
            }
        }
        for slice in &delete {
            if let Err(error) = self.delete(slice, context).await {
                let words = ["failed to delete ", object::name(slice), " EndpointSlice for Service "];
                return Err(of(error, &words.concat()));
            }
        }
        Ok(())
    }

    async fn delete(&mut self, slice: &Value, context: &Context<'_>) -> Result<(), Error> {
        let at = (object::namespace(slice), object::name(slice));
        context.client.delete(&ENDPOINT_SLICES, at.0, at.1, &Value::Null).await?;
        self.tracker.expect_deletion(slice);
        Ok(())
    }
}

impl Controller for EndpointSlices {
    fn resources(&self) -> Vec<(Resource, View)> {
        [SERVICES, PODS, NODES, ENDPOINT_SLICES].map(|resource| (resource, View::Whole)).to_vec()
    }

    fn delays(&self) -> Doubling {
        DELAYS
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        match &*change.resource.kind {
            "Service" => context.queue.add(change.object().map_or_else(String::new, |one| object::key(one))),
            "Pod" => queue_services(change, context),
            "EndpointSlice" => {
                let at = context.now().saturating_add(SLICE_DELAY);
                for key in self.tracker.news(change, MANAGER) {
                    context.queue.add_at(key, at);
                }
            }
            _ => {}
        }
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        self.sync_service(key, context).boxed()
    }
}

/// Queues the Services that select a pod that has changed, or did so.
pub(crate) fn queue_services(change: &Change, context: &mut Context<'_>) {
    let (old, new) = (change.old.as_ref(), change.new.as_ref());
    let (pod_changed, labels_changed) = match (old, new) {
        (Some(old), Some(new)) => endpoint::changes(old, new),
        _ => (true, false),
    };
    if !pod_changed && !labels_changed {
        return;
    }
    let keys = |pod: Option<&Shared>| services_of(pod, context);
    let (before, now) = (keys(old), keys(new));
    for key in before.union(&now) {
        if pod_changed || before.contains(key) != now.contains(key) {
            context.queue.add(key.as_str());
        }
    }
}

/// Reports whether a Service has a selector: without one, somebody else makes its slices.
pub(crate) fn has_selector(service: &Value) -> bool {
    let selector = service.pointer("/spec/selector").and_then(Value::as_object);
    selector.is_some_and(|selector| !selector.is_empty())
}

/// Reports whether a Service selects a pod.
pub(crate) fn selects(service: &Value, pod: &Value) -> bool {
    let labels = object::meta(pod, "labels");
    let selector = service.pointer("/spec/selector").and_then(Value::as_object);
    has_selector(service) && selector.into_iter().flatten().all(|(key, value)| labels.get(key) == Some(value))
}

/// Returns the keys of the Services that select a pod.
fn services_of(pod: Option<&Shared>, context: &Context<'_>) -> BTreeSet<String> {
    let Some(pod) = pod else { return BTreeSet::new() };
    let services = context.stores.of(&SERVICES).in_namespace(object::namespace(pod));
    services.filter(|service| selects(service, pod)).map(|service| object::key(service)).collect()
}
