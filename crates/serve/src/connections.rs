//! All connections: how many there may be, and which one goes when there are too many.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::Notify;

use crate::connection::Connection;

/// The connections that are open.
pub(crate) struct Connections {
    limit: usize,
    open: Mutex<Open>,
    closed: Notify,
}

#[derive(Default)]
struct Open {
    last: u64,
    all: HashMap<u64, Weak<Connection>>,
}

/// A connection's place among all, until this is dropped.
pub(crate) struct Place {
    connections: Arc<Connections>,
    pub(crate) connection: Arc<Connection>,
}

impl Connections {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, open: Mutex::default(), closed: Notify::new() })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a new connection. Where there is none, those that have been quiet for longest are ended, first those
    /// over which nobody has ever asked for anything. `None`: all are in use.
    pub(crate) fn enter(self: &Arc<Self>) -> Option<Place> {
        let mut open = self.open();
        if open.all.len() >= self.limit {
            let connections = open.all.values().filter_map(Weak::upgrade);
            let mut quiet: Vec<_> = connections.filter_map(|one| Some((one.quiet()?, one))).collect();
            quiet.sort_by_key(|(since, _)| *since);
            // Some at once, so that a flood does not have all of them looked at each time.
            quiet.truncate((self.limit / 16).max(1));
            if quiet.is_empty() {
                return None;
            }
            for (_, connection) in quiet {
                connection.end();
                open.all.remove(&connection.id);
            }
        }
        open.last += 1;
        let connection = Connection::new(open.last);
        open.all.insert(connection.id, Arc::downgrade(&connection));
        drop(open);
        Some(Place { connections: Arc::clone(self), connection })
    }

    /// Ends those whose readers have taken nothing for so long.
    pub(crate) fn end_stalled(&self, longer: Duration) {
        let connections: Vec<_> = self.open().all.values().filter_map(Weak::upgrade).collect();
        let stalled = |one: &Arc<Connection>| one.stalled().is_some_and(|since| since > longer);
        connections.into_iter().filter(stalled).for_each(|one| one.end());
    }

    /// Waits until all are closed.
    pub(crate) async fn all_closed(&self) {
        loop {
            let closed = self.closed.notified();
            if self.open().all.is_empty() {
                return;
            }
            closed.await;
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.connections.open().all.remove(&self.connection.id);
        self.connections.closed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_quietest_goes_first() {
        let connections = Connections::new(3);
        let mut places = Vec::new();
        for _ in 0..3 {
            places.push(connections.enter().unwrap());
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        // The first one has asked for something, the second one is asking.
        drop(places[0].connection.begin());
        let asking = places[1].connection.begin();
        let over = |place: &Place| place.connection.ended().now_or_never().is_some();
        let fourth = connections.enter().unwrap();
        assert_eq!(places.iter().map(over).collect::<Vec<_>>(), [false, false, true]);
        let fifth = connections.enter().unwrap();
        assert!(over(&fourth) && !over(&places[0]));
        let busy = [places[0].connection.begin(), fifth.connection.begin()];
        assert!(connections.enter().is_none());
        busy[0].offer();
        tokio::time::advance(Duration::from_secs(1)).await;
        connections.end_stalled(Duration::from_secs(2));
        assert!(!over(&places[0]));
        tokio::time::advance(Duration::from_secs(2)).await;
        connections.end_stalled(Duration::from_secs(2));
        assert!(over(&places[0]) && !over(&places[1]));
        drop((busy, asking, places, fourth, fifth));
        assert!(connections.all_closed().now_or_never().is_some());
    }
}
