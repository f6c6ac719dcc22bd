//! A cluster: API servers over one store.

use apiserver::ApiServer;

/// The API servers of a cluster, by their numbers. There is always one.
pub(crate) struct Cluster {
    first: ApiServer,
    others: Vec<ApiServer>,
}

impl Cluster {
    /// Makes a cluster of which `first` is the only API server.
    pub(crate) fn new(first: ApiServer) -> Self {
        Self { first, others: Vec::new() }
    }

    /// Returns the API server of a number; the first one where there is none.
    pub(crate) fn server(&self, number: usize) -> &ApiServer {
        number.checked_sub(1).and_then(|other| self.others.get(other)).unwrap_or(&self.first)
    }

    /// Returns whether there is an API server of a number.
    pub(crate) fn has(&self, number: usize) -> bool {
        number <= self.others.len()
    }

    /// Starts another API server over the same store, and returns its number.
    pub(crate) fn add(&mut self) -> usize {
        self.others.push(self.first.join());
        self.others.len()
    }
}
