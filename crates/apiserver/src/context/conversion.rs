//! Conversion of custom objects by the webhooks of their definitions, as requests ask for it. The code that does it is there
//! only where a host has [webhooks called](super::HostWebhooks).
//!
//! <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-conversion>

use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::future::BoxFuture;
use json_tree::Value;
use store::Revision;

use super::{RequestContext, Shared};
use crate::custom::{self, Custom, Definition};
use crate::resource::Resource;
use crate::stored::Stored;
use apimachinery::object::{Object, sort};
use apimachinery::status::Status;

/// The way in which stored objects are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// One is read from the store, to be shown.
    Object,
    /// One is read from a watch cache, to be shown or to be written anew.
    Cached,
    /// One is read that has just been written.
    Written,
    /// They are read for a list.
    List,
}

impl Reading {
    /// Reports whether a watch cache of the version is read.
    pub(crate) fn is_cached(self) -> bool {
        matches!(self, Self::Cached | Self::List)
    }
}

/// A conversion of one object that no schema is applied to.
pub(crate) struct Asked {
    /// The object.
    pub(crate) object: Object,
    /// The version that it is wanted in, as `apiVersion` has it.
    pub(crate) to: String,
}

/// Has webhooks convert objects.
pub(crate) trait Converter: Send + Sync {
    /// Brings stored objects of the request's resource into its version.
    fn show<'a>(
        &'a self,
        context: &'a RequestContext<'_>,
        stored: Vec<Arc<Stored>>,
        reading: Reading,
    ) -> BoxFuture<'a, Result<Vec<Arc<Stored>>, Box<Status>>>;

    /// Brings one stored object of the request's resource into its version.
    fn show_one<'a>(
        &'a self,
        context: &'a RequestContext<'_>,
        stored: Arc<Stored>,
        reading: Reading,
    ) -> BoxFuture<'a, Result<Arc<Stored>, Box<Status>>>;

    /// Brings an object into the version in which it is stored, or back, and into the form that is to have there.
    fn bring<'a>(
        &'a self,
        shared: &'a Shared,
        definition: &'a Definition,
        object: Object,
        to: &'a str,
    ) -> BoxFuture<'a, Result<Object, Box<Status>>>;

    /// Brings an object into another version, and does no more.
    fn convert<'a>(
        &'a self,
        shared: &'a Shared,
        definition: &'a Definition,
        asked: &'a Asked,
    ) -> BoxFuture<'a, Result<Object, String>>;

    /// Begins to convert for a watch of this resource.
    fn watch(&self, shared: &Arc<Shared>, resource: &Arc<Resource>) -> Box<dyn Conversions>;
}

/// The conversions for a watch, which looks for what is there and has the rest made while it waits.
pub(crate) trait Conversions: Send {
    /// Returns an object in the version of the watch, if it is there by now, and else has it made.
    fn get(&mut self, stored: &Arc<Stored>) -> Option<Arc<Stored>>;

    /// Reports whether something is to be made.
    fn is_due(&self) -> bool;

    /// Returns the first revision of something that could not be converted the last time; nothing, if all could.
    fn failing(&self) -> Option<Revision>;

    /// Makes what was asked for. What cannot be converted is tried again after a while, and again.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()>;
}

impl RequestContext<'_> {
    /// Returns the definition of the resource, if a webhook converts its objects.
    pub(crate) fn converted(&self) -> Option<&Custom> {
        self.target.resource.converted()
    }

    /// Checks that nobody has to convert stored objects to the version of the request.
    ///
    /// # Errors
    /// The 500 that a webhook has to, where nobody calls any.
    pub(crate) fn check_shown(&self, stored: &[Arc<Stored>]) -> Result<(), Box<Status>> {
        let Some(custom) = self.converted() else { return Ok(()) };
        let own = self.target.resource.api_version();
        match stored.iter().all(|one| one.is_in(&own)) {
            true => Ok(()),
            false => Err(Status::unclassified(custom.definition.unreachable())),
        }
    }

    /// Brings a stored object into the version of the request, where a webhook does that. Others are left as they are.
    ///
    /// # Errors
    /// The one that goes with how it is read.
    pub(crate) async fn show_one(
        &self,
        stored: Arc<Stored>,
        reading: Reading,
    ) -> Result<Arc<Stored>, Box<Status>> {
        match self.shared.webhooks.converter().filter(|_| self.converted().is_some()) {
            Some(converter) => converter.show_one(self, stored, reading).await,
            None => self.check_shown(std::slice::from_ref(&stored)).map(|()| stored),
        }
    }

    /// Brings stored objects into the version of the request, where a webhook does that. Others are left as they are.
    ///
    /// # Errors
    /// The one that goes with how they are read.
    pub(crate) async fn show(
        &self,
        stored: Vec<Arc<Stored>>,
        reading: Reading,
    ) -> Result<Vec<Arc<Stored>>, Box<Status>> {
        match self.shared.webhooks.converter() {
            Some(converter) => converter.show(self, stored, reading).await,
            None => self.check_shown(&stored).map(|()| stored),
        }
    }

    /// Returns the JSON of what has been written at a key, or only tried out, in the version of the request, where a webhook does that.
    ///
    /// # Errors
    /// The 500 that says why it cannot be had in that.
    pub(crate) async fn show_written(&self, key: &str, json: Bytes) -> Result<Bytes, Box<Status>> {
        let Some(custom) = self.converted() else { return Ok(json) };
        if let Some(stored) = self.shared.find(key).filter(|stored| stored.json == json) {
            return Ok(self.show_one(stored, Reading::Written).await?.json.clone());
        }
        let (own, definition) = (self.target.resource.api_version(), &custom.definition);
        let Some(converter) = self.shared.webhooks.converter().filter(|_| !custom::is_in(&json, &own)) else {
            return Ok(json);
        };
        let object = custom::read(custom, &json);
        let mut shown = converter.bring(self.shared, definition, object, &own).await?;
        sort(&mut shown);
        let mut json = Vec::new();
        codec::json::write_exact(&Value::Object(shown), &mut json);
        Ok(json.into())
    }

    /// Brings an object that is to be stored into the version for that, where a webhook does that.
    ///
    /// # Errors
    /// The 500 that says why it cannot be had in that.
    pub(crate) async fn to_storage(&self, object: &mut Object) -> Result<(), Box<Status>> {
        let Some(custom) = self.converted() else { return Ok(()) };
        let definition = &custom.definition;
        let version = definition.storage_api_version();
        if object.get("apiVersion").is_some_and(|own| *own == version) {
            return Ok(());
        }
        let Some(converter) = self.shared.webhooks.converter() else {
            return Err(Status::unclassified(definition.unreachable()));
        };
        let sent = std::mem::take(object);
        *object = converter.bring(self.shared, definition, sent, &version).await?;
        custom::fill(definition, object);
        Ok(())
    }

    /// Does work that may look for objects in other versions ([`Notes::in_version`](crate::notes::Notes::in_version)), until
    /// all that it looks for is there.
    pub(crate) async fn with_conversions<T>(&self, work: impl Fn() -> T) -> T {
        loop {
            let done = work();
            let Some((object, to)) = self.notes.wanted() else { return done };
            let converted = self.convert(&object, to.clone()).await;
            self.notes.learn(object, to, converted);
        }
    }

    /// Returns an object in another version, as a webhook has it. It is remembered for as long as the request is handled.
    ///
    /// # Errors
    /// The reason why it cannot be had in that version.
    pub(crate) async fn in_version(&self, object: &Object, to: &str) -> Result<Value, String> {
        self.with_conversions(|| self.notes.in_version(object, to)).await
    }

    /// Brings an object that admission has changed in another version back into that of the request, where a webhook does that.
    ///
    /// # Errors
    /// The reason why it cannot be had in that version.
    pub(crate) async fn in_own_version(&self, object: Object) -> Result<Object, String> {
        let own = self.target.resource.api_version();
        if self.converted().is_none() || object.get("apiVersion").is_none_or(|version| *version == own) {
            return Ok(object);
        }
        match self.in_version(&object, &own).await? {
            Value::Object(object) => Ok(object),
            _ => Ok(object),
        }
    }

    async fn convert(&self, object: &Object, to: String) -> Result<Value, String> {
        let Some(custom) = self.converted() else { return Err(String::new()) };
        let Some(converter) = self.shared.webhooks.converter() else {
            return Err(custom.definition.unreachable());
        };
        let asked = Asked { object: object.clone(), to };
        converter.convert(self.shared, &custom.definition, &asked).await.map(Value::Object)
    }
}
