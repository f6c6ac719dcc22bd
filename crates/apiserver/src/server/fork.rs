//! A cluster of its own that begins as another one is: what is done to it, the other one never hears of.

use std::sync::{Arc, Mutex, OnceLock};

use crate::clock::Random;
use crate::context::{ApiServer, HostWebhooks, LastModes, Listeners, Shared};
use crate::definitions;
use crate::kubelet::Kubelets;
use crate::native::Native;

impl ApiServer {
    /// The first API server of a new cluster, which has in it what this one has at `revision`, and the same time. `None`:
    /// the revision has been compacted, or is still to come.
    ///
    /// Nothing is copied but who has which key. The interval of bookmarks is the same; watches, lag and faults are not taken
    /// over. What its admission policies make of requests is told in full: see
    /// [`RequestRecord::considered`](protocol::trace::RequestRecord::considered).
    pub fn fork(&self, revision: u64, random: Arc<dyn Random>) -> Option<Self> {
        let config = self.shared.config.with_random(random);
        let now = config.clock.now();
        let mut storage = self.shared.storage().fork(revision, config.compaction, now)?;
        definitions::follow(&mut storage, config.sources());
        let number = storage.join();
        // Whoever has a token of the one can show it to the other.
        let issuer = OnceLock::from(Arc::clone(self.shared.issuer()));
        let shared = Shared {
            config,
            service_range: self.shared.service_range,
            storage: Mutex::new(storage),
            issuer,
            // What is tried out in it, nobody else hears of.
            authenticator: Native::new(),
            aggregator: Native::new(),
            webhooks: HostWebhooks::default(),
            // Nothing runs in it.
            instruments: Native::new(),
            audit: Native::new(),
            kubelets: Kubelets::default(),
            components: Arc::default(),
            listeners: Listeners::default(),
            last_modes: LastModes::default(),
            documents: Mutex::default(),
            explains: true,
        };
        Some(Self { shared: Arc::new(shared), number })
    }
}
