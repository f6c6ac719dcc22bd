//! The calls of webhooks: functions that stand in for them are called, by the script of the frame.

use js_sys::{Array, Function, Promise, Reflect};
use protocol::client::Client;
use protocol::webhook::{FunctionResult, WebhookCall};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// Has the engine send its calls of webhooks to a client, for which functions respond.
pub(crate) fn serve(client: &Client, webhook: Function) {
    client.call_webhooks(move |client, number, call, review| {
        let (client, webhook) = (client.clone(), webhook.clone());
        spawn_local(async move {
            let result = match &call.function {
                None => None,
                Some(source) => Some(run(&webhook, source, &call, &review).await),
            };
            let (outcome, body) = FunctionResult::outcome(result.as_ref());
            client.tell_webhook(number, outcome, body);
        });
    });
}

async fn run(webhook: &Function, source: &str, call: &WebhookCall, review: &[u8]) -> FunctionResult {
    let timeout = call.timeout.as_secs_f64() * 1000.0;
    let review = String::from_utf8_lossy(review);
    let arguments: [JsValue; 4] =
        [source.into(), call.url.as_str().into(), review.as_ref().into(), timeout.into()];
    let ran = async {
        let promise: Promise =
            webhook.apply(&JsValue::NULL, &arguments.iter().collect::<Array>())?.dyn_into()?;
        JsFuture::from(promise).await
    };
    match ran.await {
        Ok(json) => FunctionResult::read(&json.as_string().unwrap_or_default()),
        Err(why) => {
            let why = Reflect::get(&why, &"message".into()).ok().and_then(|why| why.as_string());
            FunctionResult::failure(why.unwrap_or_default())
        }
    }
}
