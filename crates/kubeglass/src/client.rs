//! Clients of an API server in the same program.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use apiserver::Body;
use bytes::Bytes;
use http::header::{AUTHORIZATION, HeaderName, USER_AGENT};
use http::{HeaderMap, HeaderValue, Request, Response};
use http_body_util::BodyExt;
use tower_service::Service;

use crate::body::ResponseBody;
use crate::error::{BoxError, CallError, Error};

const IMPERSONATE_USER: HeaderName = HeaderName::from_static("impersonate-user");
const IMPERSONATE_GROUP: HeaderName = HeaderName::from_static("impersonate-group");

/// A client of an API server: a service that takes requests and gives responses, without a socket or a thread between them.
///
/// `kube::Client::new` takes it, and so does whatever else takes a [`tower::Service`](Service) of HTTP requests. Requests are in
/// the name of `admin`, who may do everything, unless [`impersonate`](Self::impersonate) or [`with_token`](Self::with_token) says
/// otherwise.
///
/// ```
/// use http::Request;
/// use http_body_util::{BodyExt, Empty};
/// use tower_service::Service;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let cluster = kubeglass::Cluster::builder().build()?;
/// let request = Request::get("/api/v1/namespaces/default").body(Empty::<bytes::Bytes>::new())?;
/// let response = cluster.client().call(request).await?;
/// assert_eq!(response.status(), 200);
/// let body = response.into_body().collect().await?.to_bytes();
/// assert!(body.starts_with(br#"{"kind":"Namespace""#));
/// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Client {
    api: apiserver::ApiServer,
    /// The headers of requests that have none of that name.
    headers: HeaderMap,
}

impl Client {
    pub(crate) fn new(api: apiserver::ApiServer, token: Option<HeaderValue>) -> Self {
        let headers = token.map(|token| (AUTHORIZATION, token)).into_iter().collect();
        Self { api, headers }
    }

    /// Sends requests with this User-Agent, unless they have one. By it the [trace](crate::Trace) tells clients apart.
    ///
    /// # Errors
    /// [`Error::Header`].
    pub fn with_user_agent(mut self, user_agent: &str) -> Result<Self, Error> {
        self.headers.insert(USER_AGENT, value(user_agent)?);
        Ok(self)
    }

    /// Sends requests with this bearer token, unless they have one: see [`Builder::token`](crate::Builder::token).
    ///
    /// # Errors
    /// [`Error::Header`].
    pub fn with_token(mut self, token: &str) -> Result<Self, Error> {
        self.headers.insert(AUTHORIZATION, bearer(token)?);
        Ok(self)
    }

    /// Sends requests in the name of a user who is in these groups, as `kubectl --as` does: they may do what roles and bindings
    /// allow.
    ///
    /// <https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation>
    ///
    /// # Errors
    /// [`Error::Header`].
    pub fn impersonate(mut self, user: &str, groups: &[&str]) -> Result<Self, Error> {
        self.headers.insert(IMPERSONATE_USER, value(user)?);
        self.headers.remove(IMPERSONATE_GROUP);
        for group in groups {
            self.headers.append(IMPERSONATE_GROUP, value(group)?);
        }
        Ok(self)
    }

    pub(crate) async fn send(
        &self,
        mut request: Request<Bytes>,
    ) -> Result<Response<ResponseBody>, CallError> {
        let headers = request.headers_mut();
        // Whoever says in whose name a request is sent says all of it.
        let is_impersonation = |name: &HeaderName| name.as_str().starts_with("impersonate-");
        let impersonates = headers.keys().any(is_impersonation);
        for name in self.headers.keys() {
            let said = headers.contains_key(name) || impersonates && is_impersonation(name);
            if !said {
                headers.extend(self.headers.get_all(name).iter().map(|value| (name.clone(), value.clone())));
            }
        }
        let (head, body) = self.api.call(request).await.into_parts();
        let body = match body {
            Body::Bytes(bytes) => ResponseBody::bytes(bytes),
            Body::Stream(events) => ResponseBody::events(events),
            // A service of requests and responses has no connection that could be switched.
            Body::Upgrade(upgrade) => ResponseBody::events(upgrade.sent()),
            Body::Cut => return Err(CallError::Cut),
        };
        Ok(Response::from_parts(head, body))
    }
}

/// Makes the value of the header that carries a token.
pub(crate) fn bearer(token: &str) -> Result<HeaderValue, Error> {
    value(&format!("Bearer {token}"))
}

fn value(text: &str) -> Result<HeaderValue, Error> {
    HeaderValue::from_str(text).map_err(|_| Error::Header(text.to_owned()))
}

impl<B> Service<Request<B>> for Client
where
    B: http_body::Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<BoxError>,
{
    type Response = Response<ResponseBody>;
    type Error = CallError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, CallError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), CallError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let (head, body) = request.into_parts();
        let client = self.clone();
        Box::pin(async move {
            let body = body.collect().await.map_err(|error| CallError::Body(error.into()))?.to_bytes();
            client.send(Request::from_parts(head, body)).await
        })
    }
}
