//! Clusters.

use std::sync::Arc;
use std::time::Duration;

use apiserver::inspect::{Inspect, WatchInfo};
use clock::machine::SystemRandom;
use clock::{Random, SeededRandom};
use engine::SharedCluster;
use http::HeaderValue;
use serde::de::DeserializeOwned;

use crate::api_server::ApiServer;
use crate::client::Client;
use crate::error::Error;
use crate::trace::Trace;
use crate::webhooks::Webhooks;

/// A Kubernetes cluster in memory: API servers over one store, and their clock. All clones are the same cluster, which is gone
/// with the last of them and of its clients.
#[derive(Clone)]
pub struct Cluster {
    pub(crate) shared: SharedCluster,
    /// The header by which `admin` is let in, where tokens are asked for.
    pub(crate) admin: Option<HeaderValue>,
    pub(crate) randomness: Randomness,
    pub(crate) webhooks: Webhooks,
}

/// The source of uids and generated names.
#[derive(Clone)]
pub(crate) enum Randomness {
    System(Arc<SystemRandom>),
    Seeded(u64),
}

impl Randomness {
    pub(crate) fn source(&self) -> Arc<dyn Random> {
        match self {
            Self::System(random) => Arc::clone(random) as _,
            Self::Seeded(seed) => Arc::new(SeededRandom::new(*seed)),
        }
    }

    /// Returns the source of a fork at a revision: with a seed another one, for what the fork has already was made of this one's.
    fn fork(&self, revision: u64) -> Self {
        match self {
            Self::System(_) => self.clone(),
            Self::Seeded(seed) => {
                let mut bytes = [0; 8];
                SeededRandom::new(seed ^ revision).fill(&mut bytes);
                Self::Seeded(u64::from_le_bytes(bytes))
            }
        }
    }
}

impl Cluster {
    /// Returns a client of the first API server.
    pub fn client(&self) -> Client {
        self.first().client()
    }

    /// Returns the first API server.
    pub fn first(&self) -> ApiServer {
        self.server(self.shared.first().clone())
    }

    /// Returns the API server of a number, from 0, if there is one.
    pub fn api_server(&self, number: usize) -> Option<ApiServer> {
        self.shared.server(number).map(|api| self.server(api))
    }

    /// Returns the API servers, by their numbers.
    pub fn api_servers(&self) -> Vec<ApiServer> {
        (0..self.shared.servers()).filter_map(|number| self.api_server(number)).collect()
    }

    /// Starts another API server over the same store.
    pub fn add_api_server(&self) -> ApiServer {
        self.server(self.shared.add_server())
    }

    fn server(&self, api: apiserver::ApiServer) -> ApiServer {
        ApiServer {
            api,
            #[cfg(feature = "serve")]
            cluster: self.shared.clone(),
            admin: self.admin.clone(),
        }
    }

    /// Makes a cluster of its own that begins with the objects of this one as they are now: what is done to it this one never hears
    /// of, and the other way round. It has as many API servers, the same tokens, webhooks and the same interval of bookmarks; watches, lag and
    /// faults it does not have.
    ///
    /// Both go by the same clock. Of a cluster with a seed, all forks at one revision draw the same random numbers.
    pub fn fork(&self) -> Self {
        loop {
            let revision = self.revision();
            let randomness = self.randomness.fork(revision);
            // Somebody may have written and compacted meanwhile.
            let Some(shared) = self.shared.fork(revision, randomness.source()) else { continue };
            for _ in 1..self.shared.servers() {
                shared.add_server();
            }
            self.webhooks.install(shared.first(), shared.clock());
            return Self { shared, admin: self.admin.clone(), randomness, webhooks: self.webhooks.clone() };
        }
    }

    /// Returns the time of the cluster's clock, since the Unix epoch.
    pub fn now(&self) -> Duration {
        self.shared.now()
    }

    /// Moves the clock on, and wakes whoever waits for what is due then: bookmarks, timeouts of watches, caches that lag, compaction.
    ///
    /// # Errors
    /// [`Error::ClockNotManual`]: the cluster has not been built with a [clock that stands](crate::Builder::clock).
    pub fn advance(&self, by: Duration) -> Result<(), Error> {
        self.shared.manual_clock().ok_or(Error::ClockNotManual)?.advance(by);
        Ok(())
    }

    /// Returns the newest revision, which is the resource version of the last write.
    pub fn revision(&self) -> u64 {
        self.shared.first().inspect().revision()
    }

    /// Returns the revision up to which the store has been compacted.
    pub fn compact_revision(&self) -> u64 {
        self.shared.first().inspect().revisions().1
    }

    /// Compacts the store up to a revision, as etcd does every five minutes: lists at older ones, and continue tokens of such, are
    /// `410 Gone`. Watch caches keep their events; [`ApiServer::forget`] has them forget.
    pub fn compact(&self, revision: u64) {
        self.shared.first().inspect().compact(revision);
    }

    /// Compacts the store up to now, and lets all watch caches forget: watches that are behind end, and a list or watch from an
    /// older revision is `410 Gone`.
    pub fn expire(&self) {
        let revision = self.revision();
        self.compact(revision);
        self.api_servers().iter().for_each(|server| server.forget(revision));
    }

    /// Sets how often a watch that wants bookmarks gets one: a minute, unless it is set.
    pub fn set_bookmark_interval(&self, interval: Duration) {
        self.shared.first().inspect().set_bookmark_interval(interval);
    }

    /// Returns the watches that are open, of all API servers.
    pub fn watches(&self) -> Vec<WatchInfo> {
        self.shared.first().inspect().overview().watches
    }

    /// Ends an open watch by its number, as a network that breaks would.
    pub fn drop_watch(&self, id: u64) {
        self.shared.first().inspect().drop_watch(id);
    }

    /// Returns the objects of a resource (`configmaps`, `deployments.apps`) as they are stored, by namespace and name: as the types of
    /// `k8s-openapi`, as a [`serde_json::Value`], or as whatever else can be read. They have no `kind` and `apiVersion`. Nothing of
    /// that is in the [trace](Trace).
    ///
    /// # Errors
    /// [`Error::UnknownResource`], and [`Error::Object`] where one is no `T`.
    pub fn objects<T: DeserializeOwned>(&self, resource: &str) -> Result<Vec<T>, Error> {
        let objects = self.at_head(|inspect, revision| inspect.state_at(resource, revision));
        let objects = objects.ok_or_else(|| Error::UnknownResource(resource.to_owned()))?;
        objects.iter().map(|json| read(resource, json)).collect()
    }

    /// Returns an object as [`objects`](Self::objects) does, if it is there. The namespace is empty for one that is in none.
    ///
    /// # Errors
    /// [`Error::UnknownResource`], and [`Error::Object`] if it is no `T`.
    pub fn object<T: DeserializeOwned>(
        &self,
        resource: &str,
        namespace: &str,
        name: &str,
    ) -> Result<Option<T>, Error> {
        let json = self.at_head(|inspect, revision| inspect.object_at(resource, namespace, name, revision));
        if json.is_none() {
            self.first().known(Some(resource))?;
        }
        json.map(|json| read(resource, &json)).transpose()
    }

    /// Looks at the newest revision; at a newer one, if that has been compacted meanwhile.
    fn at_head<T>(&self, look: impl Fn(&Inspect, u64) -> Option<T>) -> Option<T> {
        let inspect = self.shared.first().inspect();
        loop {
            let revision = inspect.revision();
            let found = look(&inspect, revision);
            let (_, compact_revision) = inspect.revisions();
            if found.is_some() || compact_revision <= revision {
                return found;
            }
        }
    }

    /// Subscribes to what happens in the cluster from now on.
    pub fn trace(&self) -> Trace {
        Trace::from_now(self.shared.clone())
    }
}

fn read<T: DeserializeOwned>(resource: &str, json: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(json).map_err(|source| Error::Object { resource: resource.to_owned(), source })
}
