//! A cluster that a host and several engines have in common.

use std::sync::Arc;
use std::time::Duration;

use apiserver::ApiServer;
use clock::{Clock, ManualClock, Random};
use protocol::trace::Batch;

use crate::Tracer;
use crate::cluster::Cluster;
use crate::controllers::{Controllers, Slot};
use crate::time::EngineClock;

/// A cluster that several engines drive, each for a client of its own: what one does, the traces of all tell.
#[derive(Clone)]
pub struct SharedCluster {
    pub(crate) cluster: Cluster,
    pub(crate) clock: EngineClock,
    pub(crate) controllers: Slot,
}

impl SharedCluster {
    /// Makes it of an API server that a host serves in another way, too, and of that server's clock, which goes by itself.
    pub fn new(server: ApiServer, clock: Arc<dyn Clock>) -> Self {
        Self { cluster: Cluster::new(server), clock: EngineClock::Host(clock), controllers: Slot::default() }
    }

    /// Makes it of an API server that a host serves in another way, too, and of that server's clock, which those who drive the
    /// cluster may set.
    pub fn with_manual_clock(server: ApiServer, clock: ManualClock) -> Self {
        Self {
            cluster: Cluster::new(server),
            clock: EngineClock::Manual(clock),
            controllers: Slot::default(),
        }
    }

    /// Returns the clock, unless it is the host's.
    pub fn manual_clock(&self) -> Option<&ManualClock> {
        self.clock.settable().ok()
    }

    /// Returns the clock, for those who read it and wait.
    pub fn clock(&self) -> Arc<dyn Clock> {
        self.clock.shared()
    }

    /// Returns the time of its clock.
    pub fn now(&self) -> Duration {
        self.clock.time().now
    }

    /// Returns the API server of a number, if there is one. The first one is there always.
    pub fn server(&self, number: usize) -> Option<ApiServer> {
        self.cluster.find(number)
    }

    /// Returns the first API server.
    pub fn first(&self) -> &ApiServer {
        self.cluster.first()
    }

    /// Returns how many API servers there are.
    pub fn servers(&self) -> usize {
        self.cluster.len()
    }

    /// Makes a cluster of its own that begins with what this one has at a revision, and with the same clock; `None` if that revision
    /// is not kept, or is still to come.
    pub fn fork(&self, revision: u64, random: Arc<dyn Random>) -> Option<Self> {
        let first = self.cluster.first().fork(revision, random)?;
        let cluster = Cluster::new(first).with_webhooks(self.cluster.webhooks());
        Some(Self { cluster, clock: self.clock.clone(), controllers: Slot::default() })
    }

    /// Sets the controllers that engines which join ask: those that a host drives in another way.
    pub fn set_controllers(&self, controllers: Box<dyn Controllers>) {
        self.controllers.set(controllers);
    }

    /// Starts another API server over the same store, and returns it.
    pub fn add_server(&self) -> ApiServer {
        self.cluster.add()
    }

    /// Returns what is new in the trace for a subscriber: see [`Tracer::batch`].
    pub fn trace(&self, tracer: &mut Tracer) -> Option<Batch> {
        tracer.batch(self.cluster.first(), self.clock.time())
    }
}
