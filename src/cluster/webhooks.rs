//! The calls of webhooks: functions that stand in for them are called, in a frame without an origin (`static/webhooks.js`).

use std::cell::RefCell;
use std::sync::Arc;

use apimachinery::target;
use bytes::Bytes;
use js_sys::{Function, Promise, Reflect};
use protocol::webhook::{FunctionResult, WebhookCall};
use serde_json::Value;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use crate::cluster::Request;
use crate::cluster::place::Place;
use crate::ui::dom;

/// The address of the script, from that of the page's own.
const SCRIPT: &str = "../webhooks.js";

thread_local! {
    /// The script, once somebody has asked for it.
    static LOADED: RefCell<Option<Promise>> = const { RefCell::new(None) };
}

/// A call of a webhook, and what came of it.
#[derive(Debug)]
pub(crate) struct Called {
    /// The URL.
    pub(crate) url: String,
    /// The review that was sent.
    pub(crate) review: Bytes,
    /// The result of the function that stands in for it, if one does.
    pub(crate) result: Option<FunctionResult>,
    /// How long it took, in milliseconds.
    pub(crate) took: f64,
}

/// How many calls are kept for a request: of a list whose objects are converted there may be thousands.
const KEPT: usize = 20;

/// The calls of webhooks for a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calls {
    /// The first ones.
    pub(crate) first: Vec<Arc<Called>>,
    /// How many came after those.
    pub(crate) more: usize,
}

impl Calls {
    /// Adds a call.
    pub(crate) fn add(&mut self, called: Called) {
        if self.first.len() < KEPT {
            self.first.push(Arc::new(called));
        } else {
            self.more += 1;
        }
    }
}

/// Reports whether a review may have been sent for a request: one to the resource of the review and to its object, or one to the group of
/// objects that are to be converted.
pub(crate) fn is_for(review: &Value, request: &Request) -> bool {
    let (path, params) = target::split(&request.target);
    let Some(place) = Place::of(&path) else { return false };
    let asked = &review["request"];
    let text = |pointer: &str| asked.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    if review["kind"] == "ConversionReview" {
        return text("/desiredAPIVersion").split('/').next() == Some(place.group());
    }
    // The preview of a request is a dry run, and may be under way beside it.
    if (asked["dryRun"] == true) != params.iter().any(|(name, _)| name == "dryRun") {
        return false;
    }
    let named = place.name.is_empty() || text("/name").is_empty() || text("/name") == place.name;
    let resource = if asked["requestResource"].is_object() { "/requestResource" } else { "/resource" };
    let group = text(&[resource, "/group"].concat()) == place.group();
    let within = place.namespace.is_empty() || text("/namespace") == place.namespace;
    group && named && within && text(&[resource, "/resource"].concat()) == place.resource
}

/// Calls a webhook with a review: the function that stands in for it, if there is one.
pub(crate) async fn call(call: WebhookCall, review: Bytes) -> Called {
    let begun = dom::monotonic();
    let WebhookCall { url, function, timeout } = call;
    let result = match function {
        None => None,
        Some(source) => Some(run(&source, &url, &review, timeout.as_secs_f64() * 1000.0).await),
    };
    Called { url, review, result, took: dom::monotonic() - begun }
}

/// Calls a function with a review.
async fn run(source: &str, url: &str, review: &[u8], timeout: f64) -> FunctionResult {
    let result = try_run(source, url, &String::from_utf8_lossy(review), timeout).await;
    result.unwrap_or_else(|why| {
        // Who asks next tries again.
        LOADED.set(None);
        let why = Reflect::get(&why, &"message".into()).ok().and_then(|why| why.as_string());
        FunctionResult::failure(why.unwrap_or_default())
    })
}

async fn try_run(source: &str, url: &str, review: &str, timeout: f64) -> Result<FunctionResult, JsValue> {
    let script = LOADED.with_borrow_mut(|loaded| loaded.get_or_insert_with(|| dom::import(SCRIPT)).clone());
    let call: Function = Reflect::get(&JsFuture::from(script).await?, &"call".into())?.dyn_into()?;
    let result: Promise = call
        .call4(&JsValue::NULL, &source.into(), &url.into(), &review.into(), &timeout.into())?
        .dyn_into()?;
    Ok(FunctionResult::read(&JsFuture::from(result).await?.as_string().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(review: &Value, target: &str, expected: bool) {
        let request = Request { target: target.to_owned(), ..Request::default() };
        assert_eq!(is_for(review, &request), expected, "{target}");
    }

    #[test]
    fn the_request_that_a_review_is_for() {
        let resource = json!({"group": "apps", "version": "v1", "resource": "deployments"});
        let review = json!({"kind": "AdmissionReview", "request": {"requestResource": resource, "namespace": "default", "name": "web"}});
        let namespace = "/apis/apps/v1/namespaces/default";
        check(&review, &format!("{namespace}/deployments"), true);
        check(&review, &format!("{namespace}/deployments/web?fieldManager=a"), true);
        check(&review, &format!("{namespace}/deployments/web?dryRun=All"), false);
        let mut tried = review.clone();
        tried["request"]["dryRun"] = true.into();
        check(&tried, &format!("{namespace}/deployments/web?dryRun=All"), true);
        check(&tried, &format!("{namespace}/deployments/web"), false);
        check(&review, &format!("{namespace}/deployments/api"), false);
        check(&review, &format!("{namespace}/replicasets/web"), false);
        check(&review, "/apis/apps/v1/namespaces/other/deployments", false);
        check(&review, "/api/v1/namespaces/default/pods", false);
        check(&review, "/version", false);
        let review = json!({"kind": "ConversionReview", "request": {"desiredAPIVersion": "example.com/v2"}});
        check(&review, "/apis/example.com/v2/widgets", true);
        check(&review, "/apis/example.org/v2/widgets", false);
    }
}
