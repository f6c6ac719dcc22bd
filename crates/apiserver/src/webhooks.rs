//! Webhooks, as the server has its host call them, and the services that they are reached by.

use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use json_tree::Value;

/// The port of a service where its reference says nothing.
pub(crate) const PORT: u64 = 443;

/// A call of a webhook: a POST of a review in JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookCall {
    /// The URL, as it is told in errors.
    pub url: String,
    /// The service that it is reached by, if it is one of the cluster.
    pub service: Option<ServiceReference>,
    /// The certificates of the authorities that its own is signed by, in PEM; empty: none is given.
    pub ca_bundle: Vec<u8>,
    /// The review.
    pub body: Bytes,
    /// The longest time that it may take.
    pub timeout: Duration,
}

/// A service that a webhook or an aggregated API server is reached by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceReference {
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

/// Returns the URL that a client configuration leads to.
pub(crate) fn url_of(config: &Value) -> String {
    let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let reference = &config["service"];
    if reference.is_null() {
        return text(config, "url");
    }
    let (namespace, name) = (text(reference, "namespace"), text(reference, "name"));
    let port = reference["port"].as_u64().unwrap_or(PORT);
    let path = text(reference, "path");
    let slash = if path.is_empty() || path.starts_with('/') { "" } else { "/" };
    format!("https://{name}.{namespace}.svc:{port}{slash}{path}")
}
