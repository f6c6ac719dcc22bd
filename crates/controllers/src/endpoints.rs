//! The controller of Endpoints: the addresses of the pods that a Service selects, in one object, as clients read them before there were
//! EndpointSlices.
//!
//! See <https://kubernetes.io/docs/concepts/services-networking/service/#endpoints>.

mod capacity;
mod pods;
mod subsets;

use futures::FutureExt;
use json_tree::{Map, Value, json};

use crate::change::Change;
use crate::client::View;
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::endpoint_slices::{HEADLESS, TRIGGER, Triggers, has_selector, queue_services, selects};
use crate::error::Error;
use crate::events::EventType;
use crate::object;
use crate::resource::{ENDPOINTS, PODS, Resource, SERVICES};
use crate::store::Shared;
pub(crate) use subsets::repack;

/// The key of the queue that has it look at all Endpoints that were there before it. Those of Services have a slash.
const LEFT_OVER: &str = "left-over";

/// The annotation of Endpoints that are no addresses, but a lock of programs that elect a leader.
pub(crate) const LEADER: &str = "control-plane.alpha.kubernetes.io/leader";

const MANAGED_BY: &str = "endpoints.kubernetes.io/managed-by";

/// The name by which the controller calls itself.
const MANAGER: &str = "endpoint-controller";

/// The controller. Its keys are those of Services.
#[derive(Default)]
pub(crate) struct Endpoints {
    triggers: Triggers,
    has_begun: bool,
}

impl Controller for Endpoints {
    fn resources(&self) -> Vec<(Resource, View)> {
        [ENDPOINTS, PODS, SERVICES].map(|resource| (resource, View::Whole)).to_vec()
    }

    fn first(&self) -> Option<&'static str> {
        Some(LEFT_OVER)
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        let Some(object) = change.object() else { return };
        if change.resource == PODS {
            queue_services(change, context);
        } else if change.resource == SERVICES || change.new.is_none() || self.is_left_over(object) {
            context.queue.add(object::key(object));
        }
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        async move {
            self.has_begun = true;
            if key == LEFT_OVER {
                return Ok(Outcome::Done);
            }
            self.sync_service(key, context).await
        }
        .boxed()
    }
}

impl Endpoints {
    /// Reports whether Endpoints were there before the controller: their Service may be gone.
    fn is_left_over(&self, endpoints: &Value) -> bool {
        !self.has_begun && object::annotation(endpoints, LEADER).is_none()
    }

    /// Brings the Endpoints of a Service to what its pods are.
    async fn sync_service(&mut self, key: &str, context: &mut Context<'_>) -> Result<Outcome, Error> {
        let Some(service) = context.stores.of(&SERVICES).get(key).cloned() else {
            self.triggers.forget(key);
            return delete(key, context).await;
        };
        if service.text_at("/spec/type") == "ExternalName" || !has_selector(&service) {
            return Ok(Outcome::Done);
        }
        let pods = context.stores.of(&PODS).in_namespace(object::namespace(&service));
        let pods: Vec<Shared> = pods.filter(|pod| selects(&service, pod)).cloned().collect();
        let trigger = self.triggers.next(key, &service, &pods);
        let subsets = repack(&pods::subsets(&service, &pods));
        let known = context.stores.of(&ENDPOINTS).get(key).cloned();
        if known.as_ref().is_some_and(|known| is_current(known, &service, &subsets)) {
            return Ok(Outcome::Done);
        }
        let metadata = json!({"name": object::name(&service), "namespace": object::namespace(&service)});
        let mut endpoints =
            known.as_ref().map_or_else(|| json!({"metadata": metadata}), |known| Value::clone(known));
        object::set(object::child(&mut endpoints, "metadata"), "labels", labels(&service));
        let (subsets, is_truncated) = capacity::truncate(subsets);
        object::set(&mut endpoints, "subsets", Value::Array(subsets));
        let time = trigger.map(object::timestamp);
        set_annotation(&mut endpoints, TRIGGER, time.as_deref());
        set_annotation(&mut endpoints, capacity::OVER_CAPACITY, is_truncated.then_some("truncated"));
        write(&service, &endpoints, known.is_none(), context).await
    }
}

/// Deletes the Endpoints of a Service that is gone.
async fn delete(key: &str, context: &Context<'_>) -> Result<Outcome, Error> {
    let (namespace, name) = key.split_once('/').unwrap_or(("", key));
    match context.client.delete(&ENDPOINTS, namespace, name, &Value::Null).await {
        Err(error) if !error.is_not_found() => Err(error),
        _ => Ok(Outcome::Done),
    }
}

/// Writes Endpoints, and tells if that fails.
async fn write(
    service: &Value,
    endpoints: &Value,
    is_new: bool,
    context: &mut Context<'_>,
) -> Result<Outcome, Error> {
    let written = match is_new {
        true => context.client.create(&ENDPOINTS, object::namespace(service), endpoints).await,
        false => context.client.update(&ENDPOINTS, endpoints, "").await,
    };
    let Err(error) = written else { return Ok(Outcome::Done) };
    if is_new && error.is_namespace_terminating() {
        return Ok(Outcome::Done);
    }
    let (reason, words) = match is_new {
        true => ("FailedToCreateEndpoint", "Failed to create endpoint for service"),
        false => ("FailedToUpdateEndpoint", "Failed to update endpoint"),
    };
    let message = format!("{words} {}: {error}", object::key(service));
    context.recorder.report(&ENDPOINTS, endpoints, EventType::Warning, reason, message);
    Err(error)
}

/// Reports whether Endpoints say already what is to be said.
fn is_current(endpoints: &Value, service: &Value, subsets: &[Value]) -> bool {
    let known = object::list(endpoints, "/subsets");
    let is_same = known == subsets || repack(known) == subsets;
    is_same && has_labels_of(endpoints, service) && capacity::is_told(endpoints)
}

/// Reports whether the labels of Endpoints are those of their Service, but for the controller's own.
fn has_labels_of(endpoints: &Value, service: &Value) -> bool {
    let labels = |object: &Value| object::meta(object, "labels").as_object().cloned().unwrap_or_default();
    let (mut own, wanted) = (labels(endpoints), labels(service));
    if own.get(MANAGED_BY).and_then(Value::as_str) != Some(MANAGER) {
        return false;
    }
    own.retain(|key, _| key != MANAGED_BY && key != HEADLESS);
    own == wanted
}

/// Returns the labels of the Endpoints of a Service.
fn labels(service: &Value) -> Value {
    let mut labels: Map<String, Value> =
        object::meta(service, "labels").as_object().cloned().unwrap_or_default();
    labels.retain(|key, _| key != HEADLESS);
    if matches!(service.text_at("/spec/clusterIP"), "" | "None") {
        labels.insert(HEADLESS.to_owned(), "".into());
    }
    labels.insert(MANAGED_BY.to_owned(), MANAGER.into());
    Value::Object(labels)
}

/// Sets an annotation, or removes it.
fn set_annotation(endpoints: &mut Value, key: &str, value: Option<&str>) {
    if let Some(value) = value {
        return object::set_annotation(endpoints, key, value);
    }
    let annotations = endpoints.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut);
    if let Some(annotations) = annotations {
        annotations.shift_remove(key);
    }
}
