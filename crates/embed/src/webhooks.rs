//! The calls of webhooks: functions that stand in for them are called, by the script of the frame.

use bytes::Bytes;
use js_sys::{Array, Function, Promise, Reflect};
use protocol::client::Client;
use protocol::webhook::{Told, WebhookCall, WebhookOutcome};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// Has the engine send its calls of webhooks to a client, which has functions answer them.
pub(crate) fn serve(client: &Client, webhook: Function) {
    let own = client.clone();
    client.call_webhooks(move |number, call, review| {
        let (client, webhook) = (own.clone(), webhook.clone());
        spawn_local(async move {
            let (outcome, body) = match &call.function {
                None => (WebhookOutcome::Unreachable, Bytes::new()),
                Some(source) => run(&webhook, source, &call, &review).await.outcome(),
            };
            client.tell_webhook(number, outcome, body);
        });
    });
}

async fn run(webhook: &Function, source: &str, call: &WebhookCall, review: &[u8]) -> Told {
    let timeout = call.timeout.as_secs_f64() * 1000.0;
    let review = String::from_utf8_lossy(review);
    let arguments: [JsValue; 4] =
        [source.into(), call.url.as_str().into(), review.as_ref().into(), timeout.into()];
    let told = async {
        let promise: Promise =
            webhook.apply(&JsValue::NULL, &arguments.iter().collect::<Array>())?.dyn_into()?;
        JsFuture::from(promise).await
    };
    match told.await {
        Ok(json) => Told::read(&json.as_string().unwrap_or_default()),
        Err(why) => {
            let why = Reflect::get(&why, &"message".into()).ok().and_then(|why| why.as_string());
            Told { failed: Some(why.unwrap_or_default()), ..Told::default() }
        }
    }
}
