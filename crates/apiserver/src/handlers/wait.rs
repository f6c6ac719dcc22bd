//! Waiting for the store to change.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};

use crate::server::Shared;
use crate::storage::Storage;

/// Somebody who waits for changes. Dropping it ends the waiting.
pub(crate) struct Waiter {
    shared: Arc<Shared>,
    id: u64,
}

impl Waiter {
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        let id = shared.storage().register();
        Self { shared: Arc::clone(shared), id }
    }

    /// The number that is this waiter's own.
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// Looks at the storage, and if `look` finds nothing there, is woken at the next change.
    pub(crate) fn poll<T>(
        &self,
        cx: &mut Context<'_>,
        look: impl FnOnce(&mut Storage) -> Option<T>,
    ) -> Poll<T> {
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
        let mut storage = self.shared.storage();
        storage.forget(self.id);
        storage.watches.remove(&self.id);
    }
}
