//! The way to aggregated API servers, as the server has its host go it.

use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use http::{Request, Response};

use crate::Body;
use crate::webhooks::ServiceReference;

/// A request to an aggregated API server.
#[derive(Clone, Debug)]
pub struct ProxyRequest {
    /// The request. Its URL is absolute, as it is told in errors.
    pub request: Request<Bytes>,
    /// The service that the server is reached by.
    pub service: ServiceReference,
    /// The certificates of the authorities that its own is signed by, in PEM; empty: none is given.
    pub ca_bundle: Vec<u8>,
    /// True if its certificate is not verified.
    pub insecure: bool,
    /// The longest time that the response may take; `None`: as long as it takes.
    pub timeout: Option<Duration>,
}

/// Sends requests to aggregated API servers, for a host that can open connections. It shows the certificate of a proxy by which these
/// believe who sends a request.
///
/// <https://kubernetes.io/docs/tasks/extend-kubernetes/configure-aggregation-layer/#authentication-flow>
pub trait ProxyTransport: Send + Sync {
    /// Sends a request, and returns the response, whose body may be a stream. An error is as Go's HTTP client words it.
    fn send(&self, request: ProxyRequest) -> BoxFuture<'static, Result<Response<Body>, String>>;
}
