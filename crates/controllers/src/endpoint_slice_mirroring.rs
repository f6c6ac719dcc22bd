//! The controller that mirrors Endpoints which somebody else makes, for Services without a selector, in EndpointSlices.
//!
//! See <https://kubernetes.io/docs/concepts/services-networking/service/#endpointslice-mirroring>.

mod mirror;

use std::time::Duration;

use futures::FutureExt;
use json_tree::Value;

use crate::change::Change;
use crate::client::View;
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::endpoint_slices::{Tracker, has_selector, is_managed_by, service_of};
use crate::endpoints::LEADER;
use crate::error::Error;
use crate::events::EventType;
use crate::object;
use crate::pace::Doubling;
use crate::resource::{ENDPOINT_SLICES, ENDPOINTS, Resource, SERVICES};
use crate::store::Shared;
use mirror::{MANAGER, Mirror};

/// The delays after failures.
const DELAYS: Doubling = Doubling { first: Duration::from_secs(1), longest: Duration::from_secs(100) };

/// The label of Endpoints that are not to be mirrored.
const SKIP: &str = "endpointslice.kubernetes.io/skip-mirror";

/// The controller. Its keys are those of Endpoints.
#[derive(Default)]
pub(crate) struct EndpointSliceMirroring {
    tracker: Tracker,
}

impl Controller for EndpointSliceMirroring {
    fn resources(&self) -> Vec<(Resource, View)> {
        [ENDPOINTS, ENDPOINT_SLICES, SERVICES].map(|resource| (resource, View::Whole)).to_vec()
    }

    fn delays(&self) -> Doubling {
        DELAYS
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        let (old, new) = (change.old.as_deref(), change.new.as_deref());
        let Some(object) = new.or(old) else { return };
        if change.resource == ENDPOINT_SLICES {
            for key in self.tracker.news(change, MANAGER) {
                context.queue.add(key);
            }
            return;
        }
        let is_meant = match change.resource == SERVICES {
            true => match (old, new) {
                (Some(old), Some(new)) => has_selector(old) != has_selector(new),
                _ => !has_selector(object),
            },
            false => [old, new].into_iter().flatten().any(is_mirrored),
        };
        if is_meant {
            context.queue.add(object::key(object));
        }
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        self.sync_endpoints(key, context).boxed()
    }
}

/// Reports whether Endpoints are mirrored, if their Service has no selector.
fn is_mirrored(endpoints: &Value) -> bool {
    object::meta(endpoints, "labels").text(SKIP) != "true" && object::annotation(endpoints, LEADER).is_none()
}

impl EndpointSliceMirroring {
    /// Brings the slices of Endpoints to what they say.
    async fn sync_endpoints(&mut self, key: &str, context: &mut Context<'_>) -> Result<Outcome, Error> {
        let (namespace, name) = key.split_once('/').unwrap_or(("", key));
        let own = |slice: &&Shared| is_managed_by(slice, MANAGER) && service_of(slice) == name;
        let slices = context.stores.of(&ENDPOINT_SLICES).in_namespace(namespace);
        let slices: Vec<Shared> = slices.filter(own).cloned().collect();
        let endpoints = context.stores.of(&ENDPOINTS).get(key).filter(|endpoints| is_mirrored(endpoints));
        let has_place = context.stores.of(&SERVICES).get(key).is_some_and(|service| !has_selector(service));
        let Some(endpoints) = endpoints.filter(|_| has_place).cloned() else {
            self.tracker.forget(key);
            return delete_all(key, &slices, context).await;
        };
        if self.tracker.is_stale(key, &slices) {
            return Err(Error::Other("EndpointSlice informer cache is out of date".to_owned()));
        }
        let mirror = Mirror::new(&endpoints, &slices);
        if mirror.invalid > 0 {
            let count = mirror.invalid;
            let message = format!("Skipped {count} invalid IP addresses when mirroring to EndpointSlices");
            warn(&endpoints, "InvalidIPAddress", message, context);
        }
        if mirror.skipped > mirror.invalid {
            let message = format!(
                "A max of {} addresses can be mirrored to EndpointSlices per Endpoints subset. {} addresses were skipped",
                mirror::MOST,
                mirror.skipped
            );
            warn(&endpoints, "TooManyAddressesToMirror", message, context);
        }
        for slice in &mirror.kept {
            if !self.tracker.has(slice) {
                self.tracker.expect(slice);
            }
        }
        self.carry_out(&endpoints, &mirror, context).await.map(|()| Outcome::Done)
    }

    /// Creates, updates and deletes slices.
    async fn carry_out(
        &mut self,
        endpoints: &Value,
        mirror: &Mirror,
        context: &Context<'_>,
    ) -> Result<(), Error> {
        let key = object::key(endpoints);
        let failed = |error: Error, words: &str| error.context(&[words, &key].concat());
        let may_create = !object::is_being_deleted(endpoints);
        for slice in mirror.create.iter().filter(|_| may_create) {
            match context.client.create(&ENDPOINT_SLICES, object::namespace(endpoints), slice).await {
                Ok(created) => self.tracker.expect(&created),
                Err(error) if error.is_namespace_terminating() => return Ok(()),
                Err(error) => return Err(failed(error, "failed to create EndpointSlice for Endpoints ")),
            }
        }
        for slice in &mirror.update {
            match context.client.update(&ENDPOINT_SLICES, slice, "").await {
                Ok(updated) => self.tracker.expect(&updated),
                Err(error) => {
                    let words = ["failed to update ", object::name(slice), " EndpointSlice for Endpoints "];
                    return Err(failed(error, &words.concat()));
                }
            }
        }
        for slice in &mirror.delete {
            let at = (object::namespace(slice), object::name(slice));
            if let Err(error) = context.client.delete(&ENDPOINT_SLICES, at.0, at.1, &Value::Null).await {
                let words = ["failed to delete ", at.1, " EndpointSlice for Endpoints "];
                return Err(failed(error, &words.concat()));
            }
            self.tracker.expect_deletion(slice);
        }
        Ok(())
    }
}

fn warn(endpoints: &Value, reason: &'static str, message: String, context: &mut Context<'_>) {
    context.recorder.report(&ENDPOINTS, endpoints, EventType::Warning, reason, message);
}

/// Deletes all slices of Endpoints that are not mirrored any more.
async fn delete_all(key: &str, slices: &[Shared], context: &Context<'_>) -> Result<Outcome, Error> {
    let mut errors = Vec::new();
    for slice in slices {
        let at = (object::namespace(slice), object::name(slice));
        if let Err(error) = context.client.delete(&ENDPOINT_SLICES, at.0, at.1, &Value::Null).await {
            errors.push(error);
        }
    }
    match errors.first() {
        None => Ok(Outcome::Done),
        Some(first) => Err(first.context(&format!(
            "error(s) deleting {}/{} EndpointSlices for {key} Endpoints, including",
            errors.len(),
            slices.len()
        ))),
    }
}
