//! `etcd` for envtest: a process that is healthy. The cluster is in the memory of the one named `kube-apiserver`.

use std::convert::Infallible;
use std::io;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::limits::HEAD_TIMEOUT;

/// The paths, and their responses in etcd's form.
///
/// See <https://etcd.io/docs/v3.6/op-guide/monitoring/#health-check>.
const RESPONSES: [(&str, &str); 2] = [
    ("/health", r#"{"health":"true","reason":""}"#),
    ("/version", r#"{"etcdserver":"3.6.0","etcdcluster":"3.6.0","storage":"3.6.0"}"#),
];

/// An `etcd` that listens.
pub struct Etcd(Vec<TcpListener>);

impl Etcd {
    /// Listens at addresses of the form `host:port`.
    ///
    /// # Errors
    /// One of them cannot be listened on.
    pub async fn bind(addresses: &[String]) -> io::Result<Self> {
        let mut listeners = Vec::new();
        for address in addresses {
            let named = |error: io::Error| io::Error::new(error.kind(), format!("{address}: {error}"));
            listeners.push(TcpListener::bind(address).await.map_err(named)?);
        }
        Ok(Self(listeners))
    }

    /// Responds to requests until `shutdown` is ready.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        let mut accepting = JoinSet::new();
        for listener in self.0 {
            accepting.spawn(async move {
                loop {
                    match listener.accept().await {
                        Ok((stream, _)) => drop(tokio::spawn(serve(stream))),
                        Err(_) => tokio::time::sleep(std::time::Duration::from_millis(50)).await,
                    }
                }
            });
        }
        shutdown.await;
    }
}

async fn serve(stream: TcpStream) {
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT);
    // An error here is the client's: it is gone, or it does not speak HTTP.
    let _ = builder.serve_connection(TokioIo::new(stream), service_fn(respond)).await;
}

async fn respond(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let path = request.uri().path();
    let found = RESPONSES.iter().find(|(known, _)| *known == path);
    let (code, text) = match found {
        Some((_, text)) => (StatusCode::OK, *text),
        None => (StatusCode::NOT_FOUND, "404 page not found\n"),
    };
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())));
    *response.status_mut() = code;
    Ok(response)
}
