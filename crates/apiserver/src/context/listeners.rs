//! Those who are to be woken when there is news for the trace.

use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Waker;

/// Wakers with the numbers of their listeners, which are few, apart from the storage: whoever wakes them holds no lock of it.
#[derive(Default)]
pub(crate) struct Listeners {
    /// True if somebody listens: without listeners, news cost a look at this.
    any: AtomicBool,
    wakers: Mutex<Vec<(u64, Waker)>>,
}

impl Listeners {
    /// Has `waker` woken once, at the next news. Whoever looks for news after this misses none: news are made under the lock of the
    /// storage, and told after it.
    pub(crate) fn listen(&self, listener: u64, waker: &Waker) {
        let mut wakers = self.wakers();
        let last = take(&mut wakers, listener);
        wakers.push((listener, waker.clone()));
        self.any.store(true, Ordering::Release);
        drop(wakers);
        // What a waker takes with it may be a listener: it goes without the lock.
        drop(last);
    }

    /// Forgets a listener.
    pub(crate) fn forget(&self, listener: u64) {
        let last = take(&mut self.wakers(), listener);
        drop(last);
    }

    /// Wakes all listeners: there is news. To be called without the lock of the storage.
    pub(crate) fn wake(&self) {
        if self.any.swap(false, Ordering::AcqRel) {
            let wakers = mem::take(&mut *self.wakers());
            wakers.into_iter().for_each(|(_, waker)| waker.wake());
        }
    }

    fn wakers(&self) -> MutexGuard<'_, Vec<(u64, Waker)>> {
        // A waker that panics leaves the others as they are.
        self.wakers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes out the waker of a listener.
fn take(wakers: &mut Vec<(u64, Waker)>, listener: u64) -> Option<Waker> {
    let at = wakers.iter().position(|(known, _)| *known == listener)?;
    Some(wakers.swap_remove(at).1)
}
