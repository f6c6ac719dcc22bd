//! Parts of the server that only native hosts have. In WebAssembly they are never there, and none of their code is.

use std::sync::{Arc, OnceLock};

/// Returns a part, where there are any.
pub(crate) fn on_host<T>(part: Option<T>) -> Option<T> {
    if cfg!(target_family = "wasm") { None } else { part }
}

/// A part of the server that a native host may set, once.
pub(crate) struct Native<T: ?Sized>(OnceLock<Arc<T>>);

impl<T: ?Sized> Native<T> {
    pub(crate) const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// Returns the part, if the host has set it.
    pub(crate) fn get(&self) -> Option<&Arc<T>> {
        on_host(self.0.get())
    }

    /// Sets the part. Returns false if there is one already.
    pub(crate) fn set(&self, part: Arc<T>) -> bool {
        self.0.set(part).is_ok()
    }
}
