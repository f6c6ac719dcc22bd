//! Waiting: for the store to change, and for a watch cache to be fresh enough.
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#unavailable-resource-versions>

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::future::select;
use store::Revision;

use crate::context::{RequestContext, Shared};
use crate::storage::Storage;
use crate::watch_cache::caches::CacheId;

/// How long a read waits for a version that is still to come, as kube-apiserver's watch cache does.
pub(super) const FRESHNESS_WAIT: Duration = Duration::from_secs(3);

/// Somebody who waits for changes. Dropping it ends the waiting.
pub(crate) struct Waiter {
    shared: Arc<Shared>,
    id: u64,
}

impl Waiter {
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        let id = shared.storage().number();
        Self { shared: Arc::clone(shared), id }
    }

    /// Looks at the storage, and if `look` finds nothing there, is woken at the next change.
    fn poll<T>(&self, cx: &mut Context<'_>, look: impl FnOnce(&mut Storage) -> Option<T>) -> Poll<T> {
        let mut storage = self.shared.storage();
        match look(&mut storage) {
            Some(found) => Poll::Ready(found),
            None => {
                storage.wait(self.id, cx.waker());
                Poll::Pending
            }
        }
    }

    /// Waits until `met` is.
    pub(crate) async fn until(&self, met: impl Fn(&Storage) -> bool) {
        poll_fn(|cx| self.poll(cx, |storage| met(storage).then_some(()))).await;
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        self.shared.storage().forget(self.id);
    }
}

impl RequestContext<'_> {
    /// Waits until the cache has reached `revision`, or gives up after three seconds.
    ///
    /// # Errors
    /// The revision that the cache has reached instead.
    pub(crate) async fn until_fresh(&self, cache: CacheId, revision: Revision) -> Result<(), Revision> {
        let clock = &self.shared.config.clock;
        let deadline = clock.now().saturating_add(FRESHNESS_WAIT);
        let waiter = Waiter::new(self.shared);
        loop {
            self.shared.tick();
            let now = clock.now();
            let (turn, due) = {
                let storage = self.shared.storage();
                let reached = storage.cache(self.server, cache).map_or(0, |cache| cache.revision);
                if reached >= revision {
                    return Ok(());
                }
                if now >= deadline {
                    return Err(reached);
                }
                (storage.turn(), storage.due(self.server, cache))
            };
            // If the cache lags, what it waits for may be under way already.
            let until = due.filter(|due| *due > now).unwrap_or(deadline).min(deadline);
            let changed = Box::pin(waiter.until(|storage| storage.turn() != turn));
            select(changed, clock.sleep(until - now)).await;
        }
    }
}
