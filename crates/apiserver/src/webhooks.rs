//! Webhooks, as the server has its host call them, and the services that they are reached by.

use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use golang::path::from_root;
use golang::url::{Url, escape_path, path_unescape};
use json_tree::Value;

/// The port of a service where its reference says nothing.
pub(crate) const PORT: u64 = 443;

/// The annotation of a configuration of webhooks, and of a definition whose objects one converts: a function that stands in for what
/// listens at its URLs, for hosts that cannot connect to it. Servers of Kubernetes take no notice of it.
pub(crate) const FUNCTION: &str = "kubeglass.dev/function";

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
    /// The source of a function that stands in for the webhook, as the annotation `kubeglass.dev/function` of its configuration has it.
    pub function: Option<String>,
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

impl WebhookCall {
    /// The headers of the request, as kube-apiserver has them.
    pub const HEADERS: [(&str, &str); 3] = [
        ("accept", "application/json, */*"),
        ("content-type", "application/json"),
        ("user-agent", "kube-apiserver-admission"),
    ];

    /// The reason why a call has failed that did not end in time.
    pub const DEADLINE: &str = "context deadline exceeded";

    /// Returns the error of a call to a URL that has failed, as Go's HTTP client words it.
    pub fn error(url: &str, why: &str) -> String {
        format!("Post {}: {why}", golang::strconv::quote(url))
    }

    /// Returns the reason why a call fails where nothing listens.
    pub fn unreachable(&self) -> String {
        match &self.service {
            Some(service) => match &service.address {
                Ok(address) => format!("dial tcp {address}: connect: connection refused"),
                Err(why) => why.clone(),
            },
            None => {
                let rest = self.url.split_once("://").map_or("", |(_, rest)| rest);
                let host = rest.split(['/', '?']).next().unwrap_or_default();
                let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
                format!("dial tcp: lookup {name}: no such host")
            }
        }
    }
}

/// Calls webhooks, for a host that can open connections.
pub trait WebhookCaller: Send + Sync {
    /// Makes a call, and returns the response. An error is as Go's HTTP client words it.
    fn call(&self, call: WebhookCall) -> BoxFuture<'static, Result<WebhookResponse, String>>;
}

/// Returns the URL that a client configuration leads to, as client-go asks for it: with a path that begins at the root, and has no end that
/// is empty. One that cannot be read is returned as it is.
pub(crate) fn url_of(config: &Value) -> String {
    let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let reference = &config["service"];
    let (origin, path) = if reference.is_null() {
        let url = text(config, "url");
        let Ok(parts) = Url::parse(&url) else { return url };
        let Ok(path) = path_unescape(&parts.path) else { return url };
        ([&parts.scheme, "://", &parts.host].concat(), path)
    } else {
        let (namespace, name) = (text(reference, "namespace"), text(reference, "name"));
        let port = reference["port"].as_u64().unwrap_or(PORT);
        (format!("https://{name}.{namespace}.svc:{port}"), text(reference, "path"))
    };
    [origin, escape_path(&from_root(&path))].concat()
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check(config: &Value, expected: &str) {
        assert_eq!(url_of(config), expected, "{config}");
    }

    #[test]
    fn urls_of_webhooks() {
        for (url, expected) in [
            ("https://h:9", "https://h:9/"),
            ("https://h:9//a//b/", "https://h:9/a/b"),
            ("https://h/a/../b", "https://h/b"),
            ("https://h/a%20b/", "https://h/a%20b"),
            ("https://h/a%2Fb", "https://h/a/b"),
            ("https://h/ä", "https://h/%C3%A4"),
            ("https://[::1]:9/x", "https://[::1]:9/x"),
            ("https://H/a b", "https://H/a%20b"),
            ("https://h/a+b;c=d,e!'()*", "https://h/a+b;c=d,e%21%27%28%29%2A"),
        ] {
            check(&json!({ "url": url }), expected);
        }
        let service = |path: Value| json!({"service": {"namespace": "n", "name": "s", "path": path}});
        check(&service(Value::Null), "https://s.n.svc:443/");
        check(&service("/a/".into()), "https://s.n.svc:443/a");
    }
}
