//! Calling webhooks for the engine of this tab.

use bytes::Bytes;
use leptos::task::spawn_local;
use protocol::client::Client;
use protocol::webhook::{FunctionResult, WebhookCall, WebhookOutcome};

use super::Page;
use crate::cluster::webhooks;

impl Page {
    /// Calls a webhook for the engine of a client, once the code for that is there.
    pub(super) fn call_webhook(self, client: Client, number: u64, call: WebhookCall, review: Bytes) {
        let loading = (self.chunks().more)();
        spawn_local(async move {
            match loading.await {
                Ok(more) => (more.webhook)(self, client, number, call, review),
                Err(why) => {
                    client.tell_webhook(number, WebhookOutcome::Failed(why.to_string()), Bytes::new());
                }
            }
        });
    }
}

/// Calls a webhook, notes that for the request that it is for, and tells the engine the outcome.
pub(crate) fn call(page: Page, client: Client, number: u64, call: WebhookCall, review: Bytes) {
    spawn_local(async move {
        let called = webhooks::call(call, review).await;
        let (outcome, body) = FunctionResult::outcome(called.result.as_ref());
        page.quietly(|model| model.trace.called(called));
        client.tell_webhook(number, outcome, body);
    });
}
