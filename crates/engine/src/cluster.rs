//! A cluster: API servers over one store.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use apiserver::ApiServer;

use crate::webhooks::Webhooks;

/// The API servers of a cluster, by their numbers. There is always one. All clones are the same cluster.
#[derive(Clone)]
pub(crate) struct Cluster {
    first: ApiServer,
    others: Arc<Mutex<Vec<ApiServer>>>,
    /// The webhooks, where clients of engines call them.
    webhooks: Option<Webhooks>,
}

impl Cluster {
    /// Makes a cluster of which `first` is the only API server.
    pub(crate) fn new(first: ApiServer) -> Self {
        Self { first, others: Arc::default(), webhooks: None }
    }

    /// The same, with webhooks called so, unless its host has them called in another way.
    pub(crate) fn with_webhooks(self, webhooks: Option<&Webhooks>) -> Self {
        if let Some(webhooks) = webhooks {
            self.first.set_webhooks(Arc::new(webhooks.clone()));
        }
        Self { webhooks: webhooks.cloned(), ..self }
    }

    /// Returns its webhooks, where clients of engines call them.
    pub(crate) fn webhooks(&self) -> Option<&Webhooks> {
        self.webhooks.as_ref()
    }

    fn others(&self) -> MutexGuard<'_, Vec<ApiServer>> {
        self.others.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the first API server.
    pub(crate) fn first(&self) -> &ApiServer {
        &self.first
    }

    /// Returns the API server of a number; the first one where there is none.
    pub(crate) fn server(&self, number: usize) -> ApiServer {
        self.find(number).unwrap_or_else(|| self.first.clone())
    }

    /// Returns the API server of a number, if there is one.
    pub(crate) fn find(&self, number: usize) -> Option<ApiServer> {
        match number.checked_sub(1) {
            None => Some(self.first.clone()),
            Some(other) => self.others().get(other).cloned(),
        }
    }

    /// Returns how many API servers there are.
    pub(crate) fn len(&self) -> usize {
        1 + self.others().len()
    }

    /// Starts another API server over the same store, and returns it.
    pub(crate) fn add(&self) -> ApiServer {
        let mut others = self.others();
        let server = self.first.join();
        others.push(server.clone());
        server
    }
}
