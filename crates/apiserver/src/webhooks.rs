//! Webhooks, as the server has its host call them.

use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;

/// A call of a webhook: a POST of a review in JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookCall {
    /// The URL, as it is told in errors.
    pub url: String,
    /// The service that it is reached by, if it is one of the cluster.
    pub service: Option<WebhookService>,
    /// The certificates of the authorities that its own is signed by, in PEM; empty: none is given.
    pub ca_bundle: Vec<u8>,
    /// The review.
    pub body: Bytes,
    /// The longest time that it may take.
    pub timeout: Duration,
}

/// A service that webhooks are reached by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookService {
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The port.
    pub port: u16,
    /// The address that it leads to, as `host:port`.
    ///
    /// # Errors
    /// The reason why it leads nowhere.
    pub address: Result<String, String>,
}

/// The response of a webhook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebhookResponse {
    /// The status code.
    pub code: u16,
    /// The media type; may be empty.
    pub content_type: String,
    /// The body.
    pub body: Bytes,
}

/// Calls webhooks, for a host that can open connections.
pub trait WebhookCaller: Send + Sync {
    /// Makes a call, and returns the response. An error is as Go's HTTP client words it.
    fn call(&self, call: WebhookCall) -> BoxFuture<'static, Result<WebhookResponse, String>>;
}
