//! Calls of webhooks: connections to where their configurations say, or to the addresses that were given for services.

use apiserver::{WebhookCall, WebhookCaller, WebhookResponse};
use futures::FutureExt;
use futures::future::BoxFuture;
use http::header::{CONTENT_TYPE, HOST};
use http::{Method, Request, Uri};
use http_body_util::{BodyExt, Full, Limited};
use tokio::runtime::Handle;
use tokio::time::timeout;

use crate::dial::{ServiceAddress, Trust, address_of, connect, ended};
use crate::pool::outside;

/// The most bytes of a response that are read.
const RESPONSE_LIMIT: usize = 16 * 1024 * 1024;

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

/// Makes a call. `address`: where it goes, if not where its URL says.
async fn make(call: WebhookCall, address: Option<Result<String, String>>) -> Result<WebhookResponse, String> {
    let uri: Uri = call.url.parse().map_err(|error| format!("invalid URL: {error}"))?;
    let host = uri.host().unwrap_or_default().to_owned();
    let address = match address {
        Some(address) => address?,
        None => format!("{host}:{}", uri.port_u16().unwrap_or(443)),
    };
    let (mut sender, connection) = connect(&address, &host, Trust::of(&call.ca_bundle)).await?;
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    let target = uri.path_and_query().map_or("/", |target| target.as_str());
    let mut request = Request::builder().method(Method::POST).uri(target).header(HOST, authority);
    for (name, value) in WebhookCall::HEADERS {
        request = request.header(name, value);
    }
    let request = request.body(Full::new(call.body)).map_err(|error| error.to_string())?;
    let exchanged = async {
        let response = sender.send_request(request).await.map_err(|error| ended(&error))?;
        let code = response.status().as_u16();
        let content_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let content_type = content_type.unwrap_or_default().to_owned();
        let body = Limited::new(response.into_body(), RESPONSE_LIMIT).collect().await;
        let body = body.map_err(|error| error.to_string())?.to_bytes();
        Ok(WebhookResponse { code, content_type, body })
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
            body: bytes::Bytes::new(),
            function: None,
            timeout: std::time::Duration::from_millis(20),
        };
        // It is accepted by the system, and nobody says a word.
        let outcome = Webhooks::new(&[]).call(call).await;
        assert_eq!(outcome, Err(WebhookCall::error(&url, WebhookCall::DEADLINE)));
    }
}
