//! Calls of admission webhooks: connections to where their configurations say, or to the addresses that were given for services.

mod trust;

use std::io;
use std::sync::Arc;

use apiserver::{WebhookCall, WebhookCaller, WebhookResponse, WebhookService};
use futures::FutureExt;
use futures::future::BoxFuture;
use http::header::{ACCEPT, CONTENT_TYPE, HOST, USER_AGENT};
use http::{Method, Request, Uri};
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::runtime::Handle;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use crate::pool::outside;

/// The most bytes of a response that are read.
const RESPONSE_LIMIT: usize = 16 * 1024 * 1024;

/// The error of a call that did not end in time.
const DEADLINE: &str = "context deadline exceeded";

/// The address of a service, for those that lead nowhere: no cluster has a network here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceAddress {
    /// The namespace of the service.
    pub namespace: String,
    /// The name of the service.
    pub name: String,
    /// The port of the service; `None`: all of them.
    pub port: Option<u16>,
    /// Where it is instead, as `host:port`.
    pub address: String,
}

impl ServiceAddress {
    fn is_of(&self, service: &WebhookService) -> bool {
        self.namespace == service.namespace
            && self.name == service.name
            && self.port.is_none_or(|port| port == service.port)
    }
}

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
        let given =
            call.service.as_ref().and_then(|service| self.addresses.iter().find(|one| one.is_of(service)));
        let address = match (given, &call.service) {
            (Some(given), _) => Some(Ok(given.address.clone())),
            (None, service) => service.as_ref().map(|service| service.address.clone()),
        };
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
                    Err(DEADLINE.to_owned())
                }
            };
            outcome.map_err(|why| format!("Post {}: {why}", golang::strconv::quote(&url)))
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
    let stream = TcpStream::connect(&address).await.map_err(|error| dialed(&address, &error))?;
    // A socket that refuses still works.
    let _ = stream.set_nodelay(true);
    let name =
        ServerName::try_from(host.trim_matches(['[', ']']).to_owned()).map_err(|error| error.to_string())?;
    let config = trust::config(&call.ca_bundle)?;
    let stream = TlsConnector::from(Arc::new(config))
        .connect(name, stream)
        .await
        .map_err(|error| trust::worded(&error))?;
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    let target = uri.path_and_query().map_or("/", |target| target.as_str());
    let request = Request::builder().method(Method::POST).uri(target).header(HOST, authority);
    let request = request
        .header(ACCEPT, "application/json, */*")
        .header(CONTENT_TYPE, "application/json")
        .header(USER_AGENT, "kube-apiserver-admission")
        .body(Full::new(call.body))
        .map_err(|error| error.to_string())?;
    let connection = tokio::spawn(connection);
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

/// Words the error from connecting as Go does.
fn dialed(address: &str, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => format!("dial tcp {address}: connect: connection refused"),
        io::ErrorKind::HostUnreachable => format!("dial tcp {address}: connect: no route to host"),
        io::ErrorKind::NetworkUnreachable => format!("dial tcp {address}: connect: network is unreachable"),
        // The resolver has no kind of its own.
        _ if error.raw_os_error().is_none() => {
            let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
            format!("dial tcp: lookup {host}: no such host")
        }
        _ => format!("dial tcp {address}: {error}"),
    }
}

/// Words the end of a connection as Go does.
fn ended(error: &hyper::Error) -> String {
    if error.is_incomplete_message() { "EOF".to_owned() } else { error.to_string() }
}

/// Reads the address of a service: `NAMESPACE/NAME=HOST:PORT`, or `NAMESPACE/NAME:PORT=HOST:PORT`.
pub(crate) fn parse(text: &str) -> Option<ServiceAddress> {
    let (service, address) = text.split_once('=')?;
    let (namespace, name) = service.split_once('/')?;
    let (name, port) = match name.split_once(':') {
        Some((name, port)) => (name, Some(port.parse().ok()?)),
        None => (name, None),
    };
    let (host, own_port) = address.rsplit_once(':')?;
    let is_whole =
        ![namespace, name, host].iter().any(|part| part.is_empty()) && own_port.parse::<u16>().is_ok();
    is_whole.then(|| ServiceAddress {
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        port,
        address: address.to_owned(),
    })
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
            timeout: std::time::Duration::from_millis(20),
        };
        // It is accepted by the system, and nobody says a word.
        let outcome = Webhooks::new(&[]).call(call).await;
        assert_eq!(outcome, Err(format!("Post {url:?}: {DEADLINE}")));
    }

    #[test]
    fn addresses_of_services() {
        let of = |namespace: &str, name: &str, port, address: &str| ServiceAddress {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            port,
            address: address.to_owned(),
        };
        assert_eq!(parse("a/b=localhost:9443"), Some(of("a", "b", None, "localhost:9443")));
        assert_eq!(parse("a/b:443=[::1]:1"), Some(of("a", "b", Some(443), "[::1]:1")));
        for wrong in ["", "a/b", "a=b:1", "a/b=c", "a/b=:1", "/b=c:1", "a/=c:1", "a/b:x=c:1", "a/b=c:99999"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
