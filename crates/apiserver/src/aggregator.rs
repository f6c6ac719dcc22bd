//! The aggregation layer: requests for versions of groups that other API servers serve are passed on to these.
//!
//! See <https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/>.

mod discovery;
mod forward;
mod transport;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use futures::future::BoxFuture;
use http::{HeaderValue, Request};
use json_tree::Value;

use crate::answer::Answer;
use crate::api_services::ApiService;
use crate::resources::Resources;
use apimachinery::User;
use kinds::kind::Objects;

pub(crate) use discovery::{ACCEPT, of_group_version, of_groups};
pub(crate) use forward::{Location, as_user, kept, unavailable};
pub use transport::{ProxyRequest, ProxyTransport};

/// Aggregated API servers, as the handling of requests knows them. The code is only there where a host has a way to them.
pub(crate) trait Aggregate: Send + Sync {
    /// Returns the APIService of the server that a path leads to: one of its versions, or of its documents.
    fn find(&self, resources: &Resources, path: &str) -> Option<Arc<ApiService>>;

    /// Passes a request of a user on to the server of an APIService, if that is available, with its id if it has one.
    fn forward(
        &self,
        objects: &dyn Objects,
        service: &ApiService,
        request: (&Request<Bytes>, User, Option<&HeaderValue>),
    ) -> BoxFuture<'static, Answer>;

    /// Returns what is known of a version of a group.
    fn downloaded(&self, service: &ApiService) -> Downloaded;

    /// Returns all documents of OpenAPI v3: their names, and where they are.
    fn documents(&self) -> BTreeMap<String, String>;
}

/// The connection to aggregated API servers, and what they have told of themselves.
pub(crate) struct Aggregator {
    pub(crate) transport: Arc<dyn ProxyTransport>,
    downloaded: Mutex<BTreeMap<String, Downloaded>>,
}

/// The account that an aggregated API server has given of the version that an APIService registers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Downloaded {
    /// The resources, as they stand in aggregated discovery.
    pub(crate) resources: Vec<Value>,
    /// True if it told so when it was last asked.
    pub(crate) current: bool,
    /// The documents of OpenAPI v3: their names, and where they are.
    pub(crate) documents: BTreeMap<String, String>,
}

impl Aggregator {
    /// Makes it for servers of which nothing is known yet.
    pub(crate) fn new(transport: Arc<dyn ProxyTransport>) -> Self {
        Self { transport, downloaded: Mutex::default() }
    }

    /// Notes what is known of a version of a group.
    pub(crate) fn learn(&self, service: &ApiService, downloaded: Downloaded) {
        self.all().insert(service.name.clone(), downloaded);
    }

    /// Forgets all of which there is no APIService any more.
    pub(crate) fn keep(&self, services: &[&Arc<ApiService>]) {
        self.all().retain(|name, _| services.iter().any(|service| service.name == *name));
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<String, Downloaded>> {
        self.downloaded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Aggregate for Aggregator {
    fn find(&self, resources: &Resources, path: &str) -> Option<Arc<ApiService>> {
        let found = match path.strip_prefix("/openapi/v3/") {
            Some(document) => {
                let all = self.all();
                let mut all = all.iter();
                let (name, _) = all.find(|(_, downloaded)| downloaded.documents.contains_key(document))?;
                resources.services.iter().find(|service| service.name == *name)
            }
            None => resources.aggregated(path),
        };
        found.map(Arc::clone)
    }

    fn forward(
        &self,
        objects: &dyn Objects,
        service: &ApiService,
        request: (&Request<Bytes>, User, Option<&HeaderValue>),
    ) -> BoxFuture<'static, Answer> {
        forward::forward(self, objects, service, request)
    }

    fn downloaded(&self, service: &ApiService) -> Downloaded {
        self.all().get(&service.name).cloned().unwrap_or_default()
    }

    fn documents(&self) -> BTreeMap<String, String> {
        self.all().values().flat_map(|downloaded| downloaded.documents.clone()).collect()
    }
}
