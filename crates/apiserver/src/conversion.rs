//! Conversion of custom objects by webhooks: which objects need it, and what becomes of the results. The host calls the webhooks.
//!
//! As in kube-apiserver, each object is sent in a review of its own. What a watch cache would have converted is kept
//! ([`memory`]); who reads an object from the store has it converted anew.
//!
//! See <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-conversion>.

mod check;
mod failure;
mod memory;
mod review;
mod watch;

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, join_all};

use crate::context::{Asked, Conversions, Converter, Reading, RequestContext, Shared};
use crate::custom::{self, Definition};
use crate::resource::Resource;
use crate::stored::Stored;
use crate::webhook_client::{Client, post};
use crate::webhooks::WebhookCaller;
use apimachinery::object::{Object, metadata_mut, sort};
use apimachinery::status::Status;

use memory::Memory;

/// The longest time that a webhook may take.
const TIMEOUT: Duration = Duration::from_secs(30);

/// How many objects are sent at a time.
const AT_ONCE: usize = 16;

/// Converts objects by calling webhooks.
#[derive(Clone)]
struct Webhook {
    caller: Arc<dyn WebhookCaller>,
    memory: Arc<Memory>,
}

/// Makes a converter that has webhooks called so.
pub(crate) fn converter(caller: Arc<dyn WebhookCaller>) -> Box<dyn Converter> {
    Box::new(Webhook { caller, memory: Arc::default() })
}

impl Converter for Webhook {
    fn show<'a>(
        &'a self,
        context: &'a RequestContext<'_>,
        stored: Vec<Arc<Stored>>,
        reading: Reading,
    ) -> BoxFuture<'a, Result<Vec<Arc<Stored>>, Box<Status>>> {
        async move {
            let resource = &context.target.resource;
            let (shown, failures) = self.show_all(context, &stored, reading.is_cached()).await?;
            if failures.is_empty() {
                return Ok(shown);
            }
            if reading != Reading::List {
                return Err(failure::of(resource, reading, &failures));
            }
            // A watch cache that cannot go on is of no use: all are read from the store.
            let (shown, failures) = self.show_all(context, &stored, false).await?;
            if failures.is_empty() { Ok(shown) } else { Err(failure::of(resource, reading, &failures)) }
        }
        .boxed()
    }

    fn show_one<'a>(
        &'a self,
        context: &'a RequestContext<'_>,
        stored: Arc<Stored>,
        reading: Reading,
    ) -> BoxFuture<'a, Result<Arc<Stored>, Box<Status>>> {
        async move {
            let resource = &context.target.resource;
            let shown = show(self, context.shared, resource, &stored, reading.is_cached()).await;
            shown.map_err(|why| failure::of(resource, reading, &[(stored, why)]))
        }
        .boxed()
    }

    fn bring<'a>(
        &'a self,
        shared: &'a Shared,
        definition: &'a Definition,
        object: Object,
        to: &'a str,
    ) -> BoxFuture<'a, Result<Object, Box<Status>>> {
        async move { self.settled(shared, definition, object, to).await.map_err(Status::unclassified) }
            .boxed()
    }

    fn convert<'a>(
        &'a self,
        shared: &'a Shared,
        definition: &'a Definition,
        asked: &'a Asked,
    ) -> BoxFuture<'a, Result<Object, String>> {
        self.ask(shared, definition, &asked.object, &asked.to).boxed()
    }

    fn watch(&self, shared: &Arc<Shared>, resource: &Arc<Resource>) -> Box<dyn Conversions> {
        watch::begin(self.clone(), shared, resource)
    }
}

/// Objects that could not be converted, and why.
type Failures = Vec<(Arc<Stored>, String)>;

impl Webhook {
    /// Brings stored objects into the version of a request, some at a time.
    async fn show_all(
        &self,
        context: &RequestContext<'_>,
        stored: &[Arc<Stored>],
        remembers: bool,
    ) -> Result<(Vec<Arc<Stored>>, Failures), Box<Status>> {
        let (mut shown, mut failures) = (Vec::with_capacity(stored.len()), Failures::new());
        for part in stored.chunks(AT_ONCE) {
            let resource = &context.target.resource;
            let calls = part.iter().map(|one| show(self, context.shared, resource, one, remembers));
            for (one, outcome) in part.iter().zip(join_all(calls).await) {
                match outcome {
                    Ok(object) => shown.push(object),
                    Err(why) => failures.push((Arc::clone(one), why)),
                }
            }
            context.give_way().await?;
        }
        Ok((shown, failures))
    }

    /// Brings an object into another version for the storage, or from there: its own is not sent, and what the schema of the version
    /// does not know is dropped.
    async fn settled(
        &self,
        shared: &Shared,
        definition: &Definition,
        object: Object,
        to: &str,
    ) -> Result<Object, String> {
        let mut sent = object.clone();
        metadata_mut(&mut sent).shift_remove("resourceVersion");
        let mut converted = self.ask(shared, definition, &sent, to).await?;
        if let Some(version) = object.get("metadata").and_then(|metadata| metadata.get("resourceVersion")) {
            metadata_mut(&mut converted).insert("resourceVersion".to_owned(), version.clone());
        }
        custom::settle(definition, &mut converted)?;
        Ok(converted)
    }

    /// Asks the webhook for an object in another version.
    async fn ask(
        &self,
        shared: &Shared,
        definition: &Definition,
        object: &Object,
        to: &str,
    ) -> Result<Object, String> {
        let from = check::api_version(object).to_owned();
        for (version, word) in [(to, "to"), (&from, "from")] {
            if definition.at(version).is_none() {
                return Err(format!("request to convert CR {word} an invalid group/version: {version}"));
            }
        }
        let mut object = object.clone();
        sort(&mut object);
        if from == to {
            return Ok(object);
        }
        if check::is_empty(&object) {
            object.insert("apiVersion".to_owned(), to.into());
            return Ok(object);
        }
        let config = definition.webhook().cloned().unwrap_or_default();
        let uid = shared.uid();
        let (version, body) = review::write(&config, &object, to, &uid)?;
        let gvk = check::gvk(&object);
        let failed = |why: String| format!("conversion webhook for {gvk} failed: {why}");
        let client = Client { config: &config["clientConfig"], function: definition.function.as_deref() };
        let response = post(shared, &*self.caller, client, TIMEOUT, body).await;
        let response = response.map_err(failed)?;
        let converted = review::read(&response, &uid, version).map_err(failed)?;
        let count = converted.len();
        let [converted] = converted.as_slice() else {
            return Err(format!("conversion webhook for {gvk} returned {count} objects, expected 1"));
        };
        let mut converted = check::converted(&object, converted, to)?;
        sort(&mut converted);
        Ok(converted)
    }
}

/// Brings a stored object into the version of a resource.
async fn show(
    webhook: &Webhook,
    shared: &Shared,
    resource: &Resource,
    stored: &Arc<Stored>,
    remembers: bool,
) -> Result<Arc<Stored>, String> {
    let Some(custom) = resource.custom() else { return Ok(Arc::clone(stored)) };
    let (definition, own) = (&custom.definition, resource.api_version());
    if definition.since == 0 && stored.is_in(&own) {
        return Ok(Arc::clone(stored));
    }
    if let Some(known) = webhook.memory.find(stored, definition, &own).filter(|_| remembers) {
        return Ok(known);
    }
    let mut object = custom::read(custom, &stored.json);
    if !stored.is_in(&own) {
        object = webhook.settled(shared, definition, object, &own).await?;
    }
    let shown = Arc::new(Stored::as_it_is(resource, &mut object, stored.revision()));
    webhook.memory.keep(stored, definition, &own, &shown);
    Ok(shown)
}
