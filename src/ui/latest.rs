//! Work that only the last one of counts.

use leptos::prelude::*;
use leptos::task::spawn_local;

/// Keeps what was begun earlier from being taken later. A handle: all copies are the same.
#[derive(Clone, Copy)]
pub(crate) struct Latest(StoredValue<u64>);

impl Latest {
    pub(crate) fn new() -> Self {
        Self(StoredValue::new(0))
    }

    /// Begins some work, and gives `take` what comes of it, unless other work has been begun meanwhile or nobody looks any more.
    pub(crate) fn begin<T: 'static>(
        self,
        work: impl Future<Output = T> + 'static,
        take: impl FnOnce(T) + 'static,
    ) {
        let own = self.0.try_update_value(|turn| {
            *turn += 1;
            *turn
        });
        spawn_local(async move {
            let done = work.await;
            if self.0.try_get_value() == own && own.is_some() {
                take(done);
            }
        });
    }
}
