//! Watches: a collection's changes, as they happen.

mod frames;
mod stream;

use std::sync::OnceLock;
use std::time::Duration;

use store::Revision;

use super::read::invalid_version;
use super::scope::Scope;
use crate::answer::{Answer, Outcome};
use crate::context::RequestContext;
use crate::options::ListOptions;
use crate::{Body, negotiate};
use apimachinery::status::Status;
use golang::strconv::parse_uint;
use protocol::trace::Layer;

use frames::Frames;
pub(super) use stream::Steps;
pub(crate) use stream::event_type;
use stream::{Converting, Opening, Watch};

/// The steps of watches of objects which a webhook converts, where somebody has webhooks called.
pub(super) static STEPS: OnceLock<&'static Steps> = OnceLock::new();

/// The start of a watch.
#[derive(Clone, Copy)]
enum Start {
    /// With the state that the watch cache has, once that is not older than a version.
    State(Revision),
    /// With what happens after a version.
    After(Revision),
}

impl RequestContext<'_> {
    /// Opens a watch, which is served by the watch cache alone.
    ///
    /// | `resourceVersion` | `sendInitialEvents` | begins |
    /// | --- | --- | --- |
    /// | unset | unset, `true` | with a state that is not older than the store's at the time |
    /// | `0` | unset, `true` | with whatever state the cache has |
    /// | other | `true` | with a state that is not older than that |
    /// | unset, `0` | `false` | with what happens from now on |
    /// | other | unset, `false` | with what happened since |
    ///
    /// Under the deprecated path `/watch/` without `watch=1`, an unset version means the same as `0`.
    ///
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-watch>
    pub(crate) fn watch(&self, options: ListOptions) -> Outcome {
        let cache = self.cache.ok_or_else(Status::path_not_found)?;
        let text = options.resource_version.as_str();
        let version = match text {
            "" => 0,
            text => parse_uint(text).map_err(|why| Status::unclassified(invalid_version(text, &why)))?,
        };
        let stream = negotiate::stream(self.formats(), self.output)?;
        let (head, reached) = {
            let storage = self.shared.storage();
            let reached = storage.cache(self.server, cache).map_or(0, |cache| cache.revision);
            (storage.store.revision(), reached)
        };
        let start = match options.send_initial_events {
            Some(true) if text.is_empty() => Start::State(head),
            Some(true) => Start::State(version),
            Some(false) if text.is_empty() => Start::After(head),
            Some(false) if version == 0 => Start::After(reached),
            None if version == 0 => Start::State(0),
            _ => Start::After(version),
        };
        let timeout = match options.timeout_seconds {
            None | Some(0) => self.default_timeout(),
            Some(seconds) => Duration::from_secs(u64::try_from(seconds).unwrap_or(0)),
        };
        let scope = Scope::of(self.target, &options);
        let conversions = self.conversions()?;
        let frames = Frames::new(&self.target.resource, self.presenter()?, self.output.format);
        self.read_from(Layer::Cache, reached);
        let opening =
            Opening { server: self.server, cache, uri: self.uri, scope, start, timeout, conversions };
        let watch = Watch::open(self.shared, opening, frames, options);
        let _ = self.notes.watch.set(watch.number());
        Ok(Answer::stream(stream, Body::Stream(Box::pin(watch))))
    }

    /// Begins to convert for the watch, where a webhook does that.
    ///
    /// # Errors
    /// The 500 where nobody calls it.
    fn conversions(&self) -> Result<Option<Converting>, Box<Status>> {
        let Some(custom) = self.converted() else { return Ok(None) };
        let resource = &self.target.resource;
        match (self.shared.webhooks.converter(), STEPS.get()) {
            (Some(converter), Some(steps)) => {
                let conversions = converter.watch(self.shared, resource);
                Ok(Some(Converting { conversions, steps }))
            }
            _ if resource.version == custom.definition.storage_version => Ok(None),
            _ => Err(Status::unclassified(custom.definition.unreachable())),
        }
    }

    fn default_timeout(&self) -> Duration {
        let mut bytes = [0; 8];
        self.shared.config.random.fill(&mut bytes);
        let least = u64::from(self.shared.config.min_request_timeout);
        match u64::from_le_bytes(bytes).checked_rem(least) {
            Some(more) => Duration::from_secs(least + more),
            None => Duration::MAX,
        }
    }
}
