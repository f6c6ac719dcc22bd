//! Calling webhooks for the engine of this tab.

use bytes::Bytes;
use leptos::task::spawn_local;
use protocol::webhook::{Told, WebhookCall, WebhookOutcome};

use super::Page;
use crate::cluster::webhooks;

impl Page {
    /// Calls a webhook for the engine, once the code for that is there.
    pub(super) fn call_webhook(self, number: u64, call: WebhookCall, review: Bytes) {
        let (loading, client) = ((self.chunks().more)(), self.embedded().client());
        spawn_local(async move {
            match loading.await {
                Ok(more) => (more.webhook)(self, number, call, review),
                Err(why) => {
                    client.tell_webhook(number, WebhookOutcome::Failed(why.to_string()), Bytes::new());
                }
            }
        });
    }
}

/// Calls a webhook, notes that for the request that it is for, and tells the engine the outcome.
pub(crate) fn call(page: Page, number: u64, call: WebhookCall, review: Bytes) {
    let client = page.embedded().client();
    spawn_local(async move {
        let called = webhooks::call(call, review).await;
        let unreachable = (WebhookOutcome::Unreachable, Bytes::new());
        let (outcome, body) = called.told.as_ref().map_or(unreachable, Told::outcome);
        page.quietly(|model| model.trace.called(called));
        client.tell_webhook(number, outcome, body);
    });
}
