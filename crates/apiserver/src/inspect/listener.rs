//! Waiting for news: of writes, requests and watches.

use std::sync::Arc;
use std::task::Waker;

use super::Inspect;
use crate::context::Shared;

/// Somebody who wants to hear when there is news for the trace. Dropping it ends that.
pub struct Listener {
    shared: Arc<Shared>,
    id: u64,
}

impl Inspect {
    /// Returns a listener, which can be woken when there is news for the trace.
    pub fn listener(&self) -> Listener {
        let shared = Arc::clone(self.shared());
        let id = shared.storage().number();
        Listener { shared, id }
    }
}

impl Listener {
    /// Has `waker` woken once, when there is news after this. Whoever looks for news after registering misses none.
    pub fn register(&self, waker: &Waker) {
        self.shared.listeners.listen(self.id, waker);
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.shared.listeners.forget(self.id);
    }
}
