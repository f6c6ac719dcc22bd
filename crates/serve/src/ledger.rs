//! How many bytes are held for clients, and until when nobody gets more.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

/// A number of bytes that are held, and how many may be.
pub(crate) struct Ledger {
    held: AtomicUsize,
    limit: usize,
    freed: Notify,
}

impl Ledger {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { held: AtomicUsize::new(0), limit, freed: Notify::new() })
    }

    /// Reports whether fewer bytes are held than may be.
    pub(crate) fn has_room(&self) -> bool {
        self.held.load(Ordering::Relaxed) < self.limit
    }

    /// Waits until there is room.
    pub(crate) async fn room(&self) {
        loop {
            let freed = self.freed.notified();
            if self.has_room() {
                return;
            }
            freed.await;
        }
    }

    /// Returns a hold of no bytes, which can grow.
    pub(crate) fn open(self: &Arc<Self>) -> Hold {
        Hold { ledger: Arc::clone(self), bytes: 0 }
    }
}

/// Bytes that are held until this is dropped.
pub(crate) struct Hold {
    ledger: Arc<Ledger>,
    bytes: usize,
}

impl Hold {
    /// Holds more bytes, if there is room for them.
    pub(crate) fn grow(&mut self, more: usize) -> bool {
        let fits = |held: usize| held.checked_add(more).filter(|sum| *sum <= self.ledger.limit);
        let grown = self.ledger.held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok();
        if grown {
            self.bytes += more;
        }
        grown
    }

    /// Holds bytes that are there already, whether there is room or not.
    pub(crate) fn hold(&mut self, more: usize) {
        self.ledger.held.fetch_add(more, Ordering::Relaxed);
        self.bytes += more;
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.ledger.held.fetch_sub(self.bytes, Ordering::Relaxed);
        self.ledger.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[test]
    fn what_is_held_takes_room_until_it_is_dropped() {
        let ledger = Ledger::new(10);
        let (mut a, mut b) = (ledger.open(), ledger.open());
        assert!(a.grow(6) && !b.grow(5) && b.grow(4));
        assert!(!ledger.has_room() && ledger.room().now_or_never().is_none());
        drop(a);
        assert!(ledger.room().now_or_never().is_some());
        b.hold(20);
        assert!(!ledger.has_room());
        drop(b);
        assert!(ledger.has_room());
    }
}
