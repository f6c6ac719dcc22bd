//! Aggregated API servers: requests to them, by the certificate of a proxy that they believe, and what is published for them to know it.
//!
//! See <https://kubernetes.io/docs/tasks/extend-kubernetes/configure-aggregation-layer/>.

use std::pin::Pin;
use std::sync::Arc;
use std::time::SystemTime;

use apiserver::{Body, ProxyRequest, ProxyTransport};
use bytes::Bytes;
use futures::future::BoxFuture;
use futures::{FutureExt, stream};
use http::header::HOST;
use http::{HeaderValue, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use json_tree::{Map, Value};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::args::Options;
use crate::dial::{Identity, ServiceAddress, Trust, address_of, connect, ended};
use crate::pool::outside;
use crate::tls::authority::Authority;
use crate::tls::{self, Certificates, read_certificates, unusable};

/// The name in the certificate of the proxy.
const NAME: &str = "front-proxy-client";
/// How many parts of a response wait for whoever reads it.
const WAITING: usize = 16;

/// The certificate of the proxy, and what aggregated API servers have to know of it.
pub(crate) struct FrontProxy {
    identity: Identity,
    /// The authority that has signed it, in PEM, if it is known.
    authority: Option<String>,
    /// The authorities of clients' certificates, in PEM, if there are any.
    clients: Option<String>,
}

impl FrontProxy {
    /// Reads the certificate that the options name, or makes one. `certificates` are those of the server, if it has any.
    ///
    /// # Errors
    /// See [`tls::Error`].
    pub(crate) fn of(options: &Options, certificates: Option<&Certificates>) -> Result<Self, tls::Error> {
        let clients = certificates.map(Certificates::client_cas).transpose()?.flatten();
        let given = options
            .request_header_ca_file
            .as_ref()
            .map(|path| std::fs::read_to_string(path).map_err(|error| unusable(path, &error)));
        let given = given.transpose()?;
        if let Some((certificate, key)) = &options.proxy_files {
            let found = PrivateKeyDer::from_pem_file(key).map_err(|error| unusable(key, &error))?;
            let identity = (read_certificates(certificate)?, Arc::new(found));
            return Ok(Self { identity, authority: given, clients });
        }
        let (now, unmade) = (SystemTime::now(), || tls::Error::from(rcgen::Error::CouldNotParseKeyPair));
        let authority = Authority::new("kubeglass-front-proxy-ca", now)?;
        let (certificate, key) = authority.client(NAME, &[], now)?;
        let chain = CertificateDer::pem_slice_iter(certificate.as_bytes()).collect::<Result<_, _>>();
        let chain = chain.map_err(|_| unmade())?;
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).map_err(|_| unmade())?;
        let pem = authority.certificate().to_owned();
        Ok(Self { identity: (chain, Arc::new(key)), authority: Some(pem), clients })
    }

    /// Returns what aggregated API servers have to know, as kube-apiserver publishes it in a ConfigMap; empty if there is nothing.
    pub(crate) fn published(&self) -> Map<String, Value> {
        let mut data = Map::new();
        if let Some(clients) = &self.clients {
            data.insert("client-ca-file".to_owned(), clients.as_str().into());
        }
        if let Some(authority) = &self.authority {
            for (key, value) in [
                ("requestheader-allowed-names", "[\"front-proxy-client\"]"),
                ("requestheader-client-ca-file", authority),
                ("requestheader-extra-headers-prefix", "[\"X-Remote-Extra-\"]"),
                ("requestheader-group-headers", "[\"X-Remote-Group\"]"),
                ("requestheader-uid-headers", "[\"X-Remote-Uid\"]"),
                ("requestheader-username-headers", "[\"X-Remote-User\"]"),
            ] {
                data.insert(key.to_owned(), value.into());
            }
        }
        data
    }
}

/// The way to aggregated API servers, over HTTPS.
pub(crate) struct Transport {
    runtime: Handle,
    addresses: Vec<ServiceAddress>,
    identity: Identity,
}

impl Transport {
    /// Makes it, for requests on the runtime that this is called on.
    pub(crate) fn new(proxy: &FrontProxy, addresses: &[ServiceAddress]) -> Self {
        Self { runtime: Handle::current(), addresses: addresses.to_vec(), identity: proxy.identity.clone() }
    }
}

impl ProxyTransport for Transport {
    fn send(&self, request: ProxyRequest) -> BoxFuture<'static, Result<Response<Body>, String>> {
        let address = address_of(&self.addresses, &request.service);
        let limit = request.timeout;
        // Those who handle requests have no sockets.
        let sent = self.runtime.spawn(send(request, address, self.identity.clone()));
        let sent = Sent(sent);
        async move {
            let mut sent = sent;
            let sent =
                async { (&mut sent.0).await.unwrap_or_else(|_| Err("the request was given up".to_owned())) };
            match limit {
                Some(limit) => {
                    let outcome = outside(timeout(limit, sent)).await;
                    outcome.unwrap_or_else(|_| Err("context deadline exceeded".to_owned()))
                }
                None => outside(sent).await,
            }
        }
        .boxed()
    }
}

/// A request that is given up when nobody waits for the response any more.
struct Sent(JoinHandle<Result<Response<Body>, String>>);

impl Drop for Sent {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Sends a request to the server at an address, and returns the response as its head has come.
async fn send(
    request: ProxyRequest,
    address: Result<String, String>,
    identity: Identity,
) -> Result<Response<Body>, String> {
    let name = format!("{}.{}.svc", request.service.name, request.service.namespace);
    let trust = Trust { bundle: &request.ca_bundle, insecure: request.insecure, identity: Some(&identity) };
    let (mut sender, connection) = connect(&address?, &name, trust).await?;
    let connection = Sending(connection);
    let (mut parts, body) = request.request.into_parts();
    let host = parts.uri.authority().map_or("", |authority| authority.as_str()).to_owned();
    parts.headers.insert(HOST, HeaderValue::from_str(&host).map_err(|error| error.to_string())?);
    let target = parts.uri.path_and_query().map_or("/", |target| target.as_str());
    parts.uri = target.parse().map_err(|error: http::uri::InvalidUri| error.to_string())?;
    let response = sender.send_request(Request::from_parts(parts, Full::new(body))).await;
    let (parts, body) = response.map_err(|error| ended(&error))?.into_parts();
    Ok(Response::from_parts(parts, Body::Stream(read(body, connection))))
}

/// A connection that ends when it is not needed any more.
struct Sending(JoinHandle<hyper::Result<()>>);

impl Drop for Sending {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Reads a body as it comes, for somebody without sockets. It is not read on while they have enough of it, nor when they are gone.
fn read(mut body: Incoming, connection: Sending) -> Pin<Box<dyn stream::Stream<Item = Bytes> + Send>> {
    let (sender, receiver) = mpsc::channel::<Bytes>(WAITING);
    tokio::spawn(async move {
        let _connection = connection;
        loop {
            let frame = tokio::select! {
                () = sender.closed() => return,
                frame = body.frame() => frame,
            };
            let Some(Ok(frame)) = frame else { return };
            if let Ok(data) = frame.into_data()
                && sender.send(data).await.is_err()
            {
                return;
            }
        }
    });
    Box::pin(stream::unfold(receiver, |mut receiver| async move {
        let chunk = receiver.recv().await?;
        Some((chunk, receiver))
    }))
}
