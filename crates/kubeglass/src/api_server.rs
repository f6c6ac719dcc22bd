//! API servers, and what is done to one on purpose.

use std::time::Duration;

use apiserver::inspect::{Fault, Inspect, WatchInfo};
use http::HeaderValue;

use crate::client::Client;
use crate::error::Error;

/// One of a cluster's API servers. Each has watch caches of its own over the one store, so that what one of them knows another one
/// may not know yet. Cheap to clone.
///
/// Resources are named by their plural, with the group: `configmaps`, `deployments.apps`.
#[derive(Clone)]
pub struct ApiServer {
    pub(crate) api: apiserver::ApiServer,
    #[cfg(feature = "serve")]
    pub(crate) cluster: engine::SharedCluster,
    /// The header by which `admin` is let in, where tokens are asked for.
    pub(crate) admin: Option<HeaderValue>,
}

impl ApiServer {
    /// Returns its number; that of the first one is 0.
    pub fn number(&self) -> usize {
        self.inspect().server()
    }

    /// Returns a client of this API server.
    pub fn client(&self) -> Client {
        Client::new(self.api.clone(), self.admin.clone())
    }

    /// Sets how long the watch cache of a resource (`None`: every one) takes until it hears of a write: lists and watches that are
    /// served from it are stale for so long.
    ///
    /// # Errors
    /// [`Error::UnknownResource`].
    pub fn set_lag(&self, resource: Option<&str>, lag: Duration) -> Result<(), Error> {
        self.known(resource)?.set_lag(resource, lag);
        Ok(())
    }

    /// Cuts the watch cache of a resource (`None`: every one) off from the store, as if the network between them were down, or
    /// connects it again. If what it missed has been [compacted](crate::Cluster::compact), it lists anew, which ends its watches.
    ///
    /// # Errors
    /// [`Error::UnknownResource`].
    pub fn set_partitioned(&self, resource: Option<&str>, partitioned: bool) -> Result<(), Error> {
        self.known(resource)?.set_stopped(resource, partitioned);
        Ok(())
    }

    /// Lets its watch caches forget the events up to a revision, as they do by themselves when newer ones need the room. Watches that
    /// have not seen them end, and one that is to go on from there is told `410 Gone`.
    pub fn forget(&self, revision: u64) {
        self.inspect().forget(revision);
    }

    /// Lets the next requests fail, of those that the fault is meant for.
    pub fn fail_next(&self, count: usize, fault: Fault) {
        self.inspect().fail_next(count, fault);
    }

    /// Lets no more requests fail, and returns how many were still to.
    pub fn clear_faults(&self) -> usize {
        let inspect = self.inspect();
        let left = inspect.faults();
        inspect.clear_faults();
        left
    }

    /// Returns the watches that are open.
    pub fn watches(&self) -> Vec<WatchInfo> {
        let inspect = self.inspect();
        inspect.overview().watches.into_iter().filter(|watch| watch.server == inspect.server()).collect()
    }

    /// Ends its watches, as a network that breaks would.
    pub fn drop_watches(&self) {
        let inspect = self.inspect();
        self.watches().iter().for_each(|watch| inspect.drop_watch(watch.id));
    }

    pub(crate) fn inspect(&self) -> Inspect {
        self.api.inspect()
    }

    /// Returns its [`Inspect`], if it serves a resource (`None`: whatever it serves).
    pub(crate) fn known(&self, resource: Option<&str>) -> Result<Inspect, Error> {
        let inspect = self.inspect();
        match resource {
            Some(name) if !inspect.caches().iter().any(|cache| cache.resource == name) => {
                Err(Error::UnknownResource(name.to_owned()))
            }
            _ => Ok(inspect),
        }
    }
}
