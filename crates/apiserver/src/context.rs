//! The context of requests: the cluster that they share, what a server is made of, and each request as far as every handler
//! needs it.

mod config;
mod conversion;
mod instruments;
mod last_modes;
mod listeners;
mod non_resource;
mod transaction;
mod webhooks;

use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::task::Waker;
use std::time::Duration;

use admission::Plugin;
use bytes::Bytes;
use http::{HeaderMap, Method};
use store::{KeyRange, Revision};

use crate::aggregator::Aggregate;
use crate::audit_context::Audit;
use crate::authenticator::TokenAuthenticator;
use crate::components::Components;
use crate::deadline::Deadline;
use crate::definitions;
use crate::issuer::{Issuer, OwnIssuer};
use crate::kubelet::Kubelets;
use crate::native::Native;
use crate::negotiate::Output;
use crate::notes::Notes;
use crate::rbac::Index;
use crate::resources::Resources;
use crate::route::Target;
use crate::service_range::ServiceRange;
use crate::storage::Storage;
use crate::stored::Stored;
use crate::watch_cache::caches::CacheId;
use apimachinery::object::Object;
use apimachinery::query::Query;
use apimachinery::{Attributes, User};
use kinds::kind::{Found, Objects};

pub use config::{Config, FIRST_REVISION, FeatureGates, Formats, MIN_REQUEST_TIMEOUT, Writes};
pub(crate) use config::{DISCOVERY, OPENAPI, WRITES};
pub(crate) use conversion::{Asked, Conversions, Converter, Reading};
pub use instruments::{Host, ProcessInfo, RequestLimits};
pub(crate) use instruments::{InFlight, Instruments, RequestDigest, Seat, Seating};
pub(crate) use last_modes::LastModes;
pub(crate) use listeners::Listeners;
pub(crate) use non_resource::{NonResourceHandler, NonResourceRequest};
pub(crate) use webhooks::{CONVERTER, HostWebhooks};

/// A cluster's API server. Cheap to clone; all clones are the same server.
#[derive(Clone)]
pub struct ApiServer {
    pub(crate) shared: Arc<Shared>,
    pub(crate) number: usize,
}

/// The state that all API servers of a cluster, and all their requests, share.
pub(crate) struct Shared {
    pub(crate) config: Config,
    /// The range of the ServiceCIDR that every cluster has.
    pub(crate) service_range: ServiceRange,
    pub(crate) storage: Mutex<Storage>,
    /// The issuer of the tokens of service accounts, from when it is first needed.
    pub(crate) issuer: OnceLock<Arc<dyn Issuer>>,
    /// The one who recognizes tokens that the server does not know, if the host has one.
    pub(crate) authenticator: Native<dyn TokenAuthenticator>,
    /// The modes by which users were last let be somebody else.
    pub(crate) last_modes: LastModes,
    /// The OpenAPI documents that somebody asked for: names, hashes, and when each changed.
    pub(crate) documents: Mutex<Vec<(String, String, Duration)>>,
    /// The way to aggregated API servers, if the host has one.
    pub(crate) aggregator: Native<dyn Aggregate>,
    /// The calls of webhooks, if the host makes any.
    pub(crate) webhooks: HostWebhooks,
    /// The instruments that observe requests, if the host wants any.
    pub(crate) instruments: Native<dyn Instruments>,
    /// The audit of requests, if the host wants a log.
    pub(crate) audit: Native<dyn Audit>,
    /// Those whom requests about running pods are passed on to.
    pub(crate) kubelets: Kubelets,
    /// The parts of the control plane that run besides.
    pub(crate) components: Arc<Components>,
    /// Those who follow the trace.
    pub(crate) listeners: Listeners,
    /// True if the results of admission policies are noted in full for each request.
    pub(crate) explains: bool,
}

impl Shared {
    /// The storage, for one transaction.
    pub(crate) fn storage(&self) -> MutexGuard<'_, Storage> {
        // A panic while the lock was held cannot have torn a write: the store commits in one step.
        self.storage.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Returns when the OpenAPI document of this name became what has this hash: when it was first asked for.
    pub(crate) fn modified(&self, name: &str, hash: &str) -> Duration {
        let mut documents = self.documents.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match documents.iter_mut().find(|(known, ..)| known == name) {
            Some((_, known, at)) if known == hash => *at,
            Some((_, known, at)) => {
                (*known, *at) = (hash.to_owned(), self.config.clock.now());
                *at
            }
            None => {
                let now = self.config.clock.now();
                documents.push((name.to_owned(), hash.to_owned(), now));
                now
            }
        }
    }

    /// Returns the object at a key as it is now.
    pub(crate) fn find(&self, key: &str) -> Option<Arc<Stored>> {
        self.storage().store.get(key).map(|entry| Arc::clone(&entry.value))
    }

    /// Returns the objects whose keys begin with a prefix as they are now, in the order of their keys.
    pub(crate) fn all(&self, prefix: &str) -> Vec<Arc<Stored>> {
        let range = KeyRange::prefix(prefix);
        self.storage().store.range(&range).map(|entry| Arc::clone(&entry.value)).collect()
    }

    /// Returns the RBAC rules, as of now.
    pub(crate) fn rules(&self) -> Arc<Index> {
        self.storage().rules()
    }

    /// Returns the resources that are served now: the built-in ones, and those that were defined.
    pub(crate) fn resources(&self) -> Arc<Resources> {
        Arc::clone(&self.storage().resources)
    }

    /// Returns the issuer of tokens: the host's, or one with a key that is made up when it is first needed.
    pub(crate) fn issuer(&self) -> &Arc<dyn Issuer> {
        self.issuer.get_or_init(|| {
            let mut key = [0; 32];
            self.config.random.fill(&mut key);
            Arc::new(OwnIssuer { key })
        })
    }

    /// Lets the caches follow what was written, and wakes whoever waits for it. Returns the newest revision before that.
    pub(crate) fn announce(&self) -> Revision {
        let sources = self.config.sources();
        let (revision, wakers) = {
            let mut storage = self.storage();
            let revision = storage.store.revision();
            definitions::follow(&mut storage, sources);
            (revision, storage.settle(sources.clock.now()))
        };
        wakers.into_iter().for_each(Waker::wake);
        revision
    }

    /// Does what the clock has made due.
    pub(crate) fn tick(&self) {
        let wakers = self.storage().tick(self.config.clock.now());
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Makes up a uid: a random UUID.
    pub(crate) fn uid(&self) -> String {
        self.config.sources().uid()
    }
}

/// One request, read as far as every handler needs it.
pub(crate) struct RequestContext<'a> {
    pub(crate) shared: &'a Arc<Shared>,
    /// The number of the API server.
    pub(crate) server: usize,
    /// The number of the watch cache of the path's resource, if that is stored.
    pub(crate) cache: Option<CacheId>,
    /// In whose name it is sent.
    pub(crate) user: &'a User,
    /// The attributes of what the request has been allowed to do.
    pub(crate) attributes: &'a Attributes,
    pub(crate) target: &'a Target,
    pub(crate) method: &'a Method,
    pub(crate) uri: &'a str,
    pub(crate) query: &'a Query,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) body: &'a Bytes,
    pub(crate) output: Output,
    /// The revision that it reads, whatever it asks for: see [`Inspect::read_at`](crate::inspect::Inspect::read_at).
    pub(crate) at: Option<Revision>,
    /// When it has to be answered.
    pub(crate) deadline: Deadline,
    /// True if other requests may go on while this one is computed.
    pub(crate) gives_way: bool,
    pub(crate) notes: &'a Notes,
}

impl RequestContext<'_> {
    /// Returns whether an admission plugin runs.
    pub(crate) fn runs(&self, plugin: Plugin) -> bool {
        self.shared.config.plugins.runs(plugin)
    }

    /// Returns the write of an object, as admission plugins see it: a new one, or one in place of `old`.
    pub(crate) fn admission_request<'a>(&'a self, old: Option<&'a Object>) -> admission::Request<'a> {
        admission::Request {
            objects: &**self.shared,
            resource: &self.target.resource,
            subresource: "",
            old,
            plugins: self.shared.config.plugins,
            pod_security: self.shared.config.validation.pod_security,
            audit: None,
        }
    }
}

/// Each call locks the storage anew, so two calls may see different revisions.
impl Objects for Shared {
    fn find(&self, key: &str, look: &mut dyn FnMut(&dyn Found)) {
        if let Some(stored) = Self::find(self, key) {
            look(stored.as_ref());
        }
    }

    fn each(&self, prefix: &str, look: &mut dyn FnMut(&dyn Found)) {
        for stored in self.all(prefix) {
            look(stored.as_ref());
        }
    }
}
