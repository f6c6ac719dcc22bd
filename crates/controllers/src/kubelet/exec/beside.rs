//! The things that are done beside a program while it runs: somebody else writes to its files, and somebody looks at them.

use std::sync::Arc;
use std::time::Duration;

use super::files::{Files, Written};
use super::server::Server;

/// The things that are done beside a program, in the order of their times.
#[derive(Clone, Debug, Default)]
pub(super) struct Beside {
    /// The changes that others make, and how many of them were made.
    pub(super) changes: Arc<Vec<Written>>,
    pub(super) made: usize,
    /// The times at which somebody looks, and how often that was done.
    pub(super) looks: Arc<[Duration]>,
    pub(super) looked: usize,
    pub(super) seen: Vec<Seen>,
    /// The servers that listen.
    pub(super) servers: Vec<Server>,
}

/// The state of a container at a time.
#[derive(Clone, Debug)]
pub(in super::super) struct Seen {
    pub(in super::super) at: Duration,
    pub(in super::super) files: Files,
    /// The servers that listen.
    pub(in super::super) servers: Vec<Server>,
    /// False if it is not known what its program does.
    pub(in super::super) is_known: bool,
}

impl Beside {
    /// Returns those for a shell within.
    pub(super) fn within(&self) -> Self {
        Self { seen: Vec::new(), ..self.clone() }
    }

    /// Takes over those of a shell within.
    pub(super) fn take_back(&mut self, within: Self) {
        let Self { made, looked, mut seen, servers, .. } = within;
        self.seen.append(&mut seen);
        (self.made, self.looked, self.servers) = (made, looked, servers);
    }
}

impl Seen {
    /// Reports whether a server listens on a port.
    pub(in super::super) fn listens(&self, port: u16) -> bool {
        self.servers.iter().any(|server| server.port == port)
    }

    /// Makes changes to the files that were made elsewhere.
    pub(in super::super) fn put(&mut self, written: impl IntoIterator<Item = Written>) {
        written.into_iter().for_each(|written| self.files.put(written));
    }
}
