//! The webhooks of a cluster: who calls them, and what has them convert custom objects, whose code may be loaded when it is first
//! needed. See [`ApiServer::set_webhooks`](super::ApiServer::set_webhooks).

use std::sync::{Arc, OnceLock};

use super::Converter;
use crate::chunk::{Chunk, Late};
use crate::webhooks::WebhookCaller;

/// Makes what has webhooks convert custom objects.
type MakeConverter = fn(Arc<dyn WebhookCaller>) -> Box<dyn Converter>;

/// The code that makes it.
pub(crate) static CONVERTER: Late<MakeConverter> = Late::new(Chunk::Webhooks);

/// The webhooks of a cluster, whose host may have none called.
#[derive(Default)]
pub(crate) struct HostWebhooks {
    caller: OnceLock<Arc<dyn WebhookCaller>>,
    converter: OnceLock<Box<dyn Converter>>,
}

impl HostWebhooks {
    /// Has webhooks called so, unless it is said already how.
    pub(crate) fn set(&self, caller: Arc<dyn WebhookCaller>) {
        self.caller.get_or_init(|| caller);
    }

    /// Returns who calls webhooks, if anybody does.
    pub(crate) fn caller(&self) -> Option<&Arc<dyn WebhookCaller>> {
        self.caller.get()
    }

    /// Returns what has webhooks convert custom objects, if somebody calls them, and the code for it is there.
    pub(crate) fn converter(&self) -> Option<&dyn Converter> {
        let caller = self.caller.get()?;
        let make = CONVERTER.get().ok()?;
        Some(self.converter.get_or_init(|| make(Arc::clone(caller))).as_ref())
    }
}
