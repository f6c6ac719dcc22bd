//! Calls of webhooks: connections to where their configurations say, or to the addresses that were given for services.

use apiserver::{WebhookCall, WebhookCaller, WebhookResponse};
use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use http::header::{CONTENT_TYPE, HOST, LOCATION};
use http::{Method, Request, Uri};
use http_body_util::{BodyExt, Full, Limited};
use tokio::runtime::Handle;
use tokio::time::timeout;

use crate::dial::{ServiceAddress, Trust, address_of, connect, ended};
use crate::pool::outside;

/// The most bytes of a response that are read.
const RESPONSE_LIMIT: usize = 16 * 1024 * 1024;

/// The most requests that are made for a call.
const MOST_REDIRECTIONS: usize = 10;

/// Calls webhooks over HTTPS.
pub(crate) struct Webhooks {
    runtime: Handle,
    addresses: Vec<ServiceAddress>,
}

impl Webhooks {
    /// Makes it, for calls on the runtime that this is called on.
    pub(crate) fn new(addresses: &[ServiceAddress]) -> Self {
        Self { runtime: Handle::current(), addresses: addresses.to_vec() }
    }
}

impl WebhookCaller for Webhooks {
    fn call(&self, call: WebhookCall) -> BoxFuture<'static, Result<WebhookResponse, String>> {
        let address = call.service.as_ref().map(|service| address_of(&self.addresses, service));
        let limit = call.timeout;
        let url = call.url.clone();
        // Those who handle requests have no sockets.
        let made = self.runtime.spawn(make(call, address));
        let abort = made.abort_handle();
        async move {
            let made = outside(timeout(limit, made)).await;
            let outcome = match made {
                Ok(Ok(outcome)) => outcome,
                Ok(Err(_)) => Err("the call was given up".to_owned()),
                Err(_) => {
                    abort.abort();
                    Err(WebhookCall::DEADLINE.to_owned())
                }
            };
            outcome.map_err(|why| WebhookCall::error(&url, &why))
        }
        .boxed()
    }
}

/// Makes a call, wherever responses lead to, as Go's HTTP client does. `address`: where it goes, if not where its URL says.
async fn make(call: WebhookCall, address: Option<Result<String, String>>) -> Result<WebhookResponse, String> {
    let mut uri: Uri = call.url.parse().map_err(|error| format!("invalid URL: {error}"))?;
    let origin = uri.authority().cloned();
    let address = address.transpose()?;
    let (mut method, mut body) = (Method::POST, call.body);
    for _ in 0..MOST_REDIRECTIONS {
        let host = uri.host().unwrap_or_default().to_owned();
        let own = || format!("{host}:{}", uri.port_u16().unwrap_or(443));
        let address = address.clone().filter(|_| uri.authority() == origin.as_ref()).unwrap_or_else(own);
        let (response, location) = exchange(&uri, (&address, &host), &call.ca_bundle, &method, &body).await?;
        let next = location.filter(|_| matches!(response.code, 301 | 302 | 303 | 307 | 308));
        let Some(next) = next.and_then(|location| resolve(&uri, &location)) else { return Ok(response) };
        uri = next;
        if response.code < 307 {
            (method, body) = (Method::GET, Bytes::new());
        }
    }
    Err(format!("stopped after {MOST_REDIRECTIONS} redirects"))
}

/// Returns the URI to which a location leads, as seen from another one; `None` if it is none of HTTPS.
fn resolve(from: &Uri, location: &str) -> Option<Uri> {
    let text = match from.authority() {
        Some(authority) if location.starts_with('/') && !location.starts_with("//") => {
            ["https://", authority.as_str(), location].concat()
        }
        _ => location.to_owned(),
    };
    text.parse().ok().filter(|uri: &Uri| uri.scheme_str() == Some("https"))
}

/// Sends a request to an address of a host, and returns the response, and where it leads to.
async fn exchange(
    uri: &Uri,
    (address, host): (&str, &str),
    ca_bundle: &[u8],
    method: &Method,
    body: &Bytes,
) -> Result<(WebhookResponse, Option<String>), String> {
    let (mut sender, connection) = connect(address, host, Trust::of(ca_bundle)).await?;
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    let target = uri.path_and_query().map_or("/", |target| target.as_str());
    let mut request = Request::builder().method(method).uri(target).header(HOST, authority);
    for (name, value) in WebhookCall::HEADERS {
        request = request.header(name, value);
    }
    let request = request.body(Full::new(body.clone())).map_err(|error| error.to_string())?;
    let exchanged = async {
        let response = sender.send_request(request).await.map_err(|error| ended(&error))?;
        let code = response.status().as_u16();
        let text =
            |name| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let (content_type, location) = (text(CONTENT_TYPE).unwrap_or_default(), text(LOCATION));
        let body = Limited::new(response.into_body(), RESPONSE_LIMIT).collect().await;
        let body = body.map_err(|error| error.to_string())?.to_bytes();
        Ok((WebhookResponse { code, content_type, body }, location))
    };
    let outcome = exchanged.await;
    connection.abort();
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_call_ends_in_time() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://{}/x?timeout=1s", listener.local_addr().unwrap());
        let call = WebhookCall {
            url: url.clone(),
            service: None,
            ca_bundle: Vec::new(),
            body: Bytes::new(),
            function: None,
            timeout: std::time::Duration::from_millis(20),
        };
        // It is accepted by the system, and nobody says a word.
        let outcome = Webhooks::new(&[]).call(call).await;
        assert_eq!(outcome, Err(WebhookCall::error(&url, WebhookCall::DEADLINE)));
    }

    #[test]
    fn locations() {
        let from: Uri = "https://h:9/a/b?timeout=1s".parse().unwrap();
        for (location, expected) in [
            ("/c?d", Some("https://h:9/c?d")),
            ("https://i/c", Some("https://i/c")),
            ("http://i/c", None),
            ("//i/c", None),
            ("c", None),
        ] {
            let found = resolve(&from, location).map(|uri| uri.to_string());
            assert_eq!(found.as_deref(), expected, "{location}");
        }
    }
}
