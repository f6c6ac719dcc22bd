//! Requests that are passed on, as `proxyHandler` of kube-aggregator does it.

use std::sync::Arc;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONNECTION, CONTENT_LENGTH, HOST, HeaderName, LOCATION, PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use http::{HeaderMap, HeaderValue, Method, Request};

use super::Aggregator;
use super::transport::ProxyRequest;
use crate::answer::Answer;
use crate::api_services::ApiService;
use crate::services;
use crate::webhooks::ServiceReference;
use apimachinery::User;
use kinds::kind::Objects;

/// The headers that tell who sends a request.
const USER: &str = "x-remote-user";
const UID: &str = "x-remote-uid";
const GROUP: &str = "x-remote-group";
const EXTRA: &str = "x-remote-extra-";

/// The response in place of one that leads elsewhere.
const REDIRECTS: &str = "the backend attempted to redirect this request, which is not permitted";

/// The headers that are about a connection alone.
const OF_CONNECTION: [HeaderName; 9] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// The place of an aggregated API server.
#[derive(Clone, Debug)]
pub(crate) struct Location {
    /// The address in the network of the cluster.
    host: String,
    service: ServiceReference,
    ca_bundle: Vec<u8>,
    insecure: bool,
}

impl Location {
    /// Finds the server of an APIService.
    ///
    /// # Errors
    /// The reason why its service has no address, in kube-apiserver's words.
    pub(crate) fn of(service: &ApiService, objects: &dyn Objects) -> Result<Self, String> {
        let Some(server) = &service.server else { return Err(String::new()) };
        let (namespace, name, port) = (&server.namespace, &server.service, server.port);
        let host = services::cluster_address(objects, namespace, name, port)?;
        let service = ServiceReference {
            namespace: namespace.clone(),
            name: name.clone(),
            port: u16::try_from(port).unwrap_or_default(),
            address: services::address_of(objects, namespace, name, port),
        };
        Ok(Self { host, service, ca_bundle: server.ca_bundle.clone(), insecure: server.insecure })
    }

    /// Returns the URL of a path, with a query if it has one.
    pub(crate) fn url(&self, path: &str) -> String {
        ["https://", &self.host, path].concat()
    }

    /// Makes a request to the server.
    ///
    /// # Errors
    /// The URL is none.
    pub(crate) fn request(
        &self,
        method: Method,
        path: &str,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<ProxyRequest, String> {
        let request = Request::builder().method(method).uri(self.url(path)).body(body);
        let mut request = request.map_err(|error| error.to_string())?;
        *request.headers_mut() = headers;
        Ok(ProxyRequest {
            request,
            service: self.service.clone(),
            ca_bundle: self.ca_bundle.clone(),
            insecure: self.insecure,
            timeout: None,
        })
    }
}

/// Passes a request of a user on, with its id if it has one, and returns the response to it.
pub(super) fn forward(
    aggregator: &Aggregator,
    objects: &dyn Objects,
    service: &ApiService,
    (request, user, audit_id): (&Request<Bytes>, User, Option<&HeaderValue>),
) -> BoxFuture<'static, Answer> {
    let transport = Arc::clone(&aggregator.transport);
    let location = Location::of(service, objects);
    let (method, headers, body) =
        (request.method().clone(), request.headers().clone(), request.body().clone());
    let uri = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let audit_id = audit_id.cloned();
    let is_available = service.server.as_ref().is_some_and(|server| server.available);
    async move {
        let Some(location) = location.ok().filter(|_| is_available) else { return unavailable() };
        let mut sent = kept(&headers);
        // Who sends it is known already.
        sent.remove(AUTHORIZATION);
        let path = uri.split_once('?').map_or(uri.as_str(), |(path, _)| path);
        let host = headers.get(HOST).cloned();
        for (name, value) in [
            ("x-forwarded-uri", HeaderValue::from_str(path).ok()),
            ("x-forwarded-host", host),
            ("x-forwarded-proto", Some(HeaderValue::from_static("https"))),
            // Both servers tell of one request.
            ("audit-id", audit_id),
        ] {
            if let Some(value) = value {
                sent.insert(HeaderName::from_static(name), value);
            }
        }
        as_user(&mut sent, &user);
        let failed = |why: String| Answer::text(503, format!("error trying to reach service: {why}\n"));
        let request = match location.request(method, &uri, sent, body) {
            Ok(request) => request,
            Err(why) => return failed(why),
        };
        match transport.send(request).await {
            Ok(response)
                if response.status().is_redirection() && response.headers().contains_key(LOCATION) =>
            {
                Answer::bytes("text/plain; charset=utf-8", REDIRECTS.into()).code(502)
            }
            Ok(response) => {
                let (parts, body) = response.into_parts();
                let mut answer = Answer::proxied(parts.status.as_u16(), body);
                if parts.headers.contains_key(CACHE_CONTROL) {
                    // Both servers say so.
                    answer = answer.with(CACHE_CONTROL, "no-cache, private");
                }
                for (name, value) in &kept(&parts.headers) {
                    answer = answer.with(name.clone(), String::from_utf8_lossy(value.as_bytes()));
                }
                match parts.headers.get(CONTENT_LENGTH) {
                    Some(length) => answer.with(CONTENT_LENGTH, String::from_utf8_lossy(length.as_bytes())),
                    None => answer,
                }
            }
            Err(why) => failed(why),
        }
    }
    .boxed()
}

/// Returns the response for a server that is not available.
pub(crate) fn unavailable() -> Answer {
    Answer::text(503, "service unavailable\n")
}

/// Returns the headers that are passed on.
pub(crate) fn kept(headers: &HeaderMap) -> HeaderMap {
    let named = headers.get_all(CONNECTION).iter().filter_map(|value| value.to_str().ok());
    let named: Vec<String> =
        named.flat_map(|value| value.split(',')).map(|name| name.trim().to_ascii_lowercase()).collect();
    let mut kept = HeaderMap::new();
    for (name, value) in headers {
        let is_of_connection = OF_CONNECTION.contains(name) || named.iter().any(|one| one == name.as_str());
        if !is_of_connection && ![HOST, CONTENT_LENGTH].contains(name) {
            kept.append(name.clone(), value.clone());
        }
    }
    kept
}

/// Has headers say that a request is a user's, whatever they said before.
pub(crate) fn as_user(headers: &mut HeaderMap, user: &User) {
    let theirs =
        |name: &HeaderName| [USER, UID, GROUP].contains(&name.as_str()) || name.as_str().starts_with(EXTRA);
    let named: Vec<HeaderName> = headers.keys().filter(|name| theirs(name)).cloned().collect();
    named.into_iter().for_each(|name| drop(headers.remove(name)));
    let mut add = |name: &str, value: &str| {
        let (name, value) = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value));
        if let (Ok(name), Ok(value)) = (name, value) {
            headers.append(name, value);
        }
    };
    add(USER, &user.name);
    if !user.uid.is_empty() {
        add(UID, &user.uid);
    }
    user.groups.iter().for_each(|group| add(GROUP, group));
    for (key, values) in &user.extra {
        let name = [EXTRA, &escaped(key)].concat();
        values.iter().for_each(|value| add(&name, value));
    }
}

/// Escapes the key of an extra attribute for the name of a header: what no name may have, and the sign of an escape.
fn escaped(key: &str) -> String {
    use std::fmt::Write;
    let mut escaped = String::new();
    for byte in key.bytes() {
        if byte.is_ascii_alphanumeric() || b"!#$&'*+-.^_`|~".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            // A string takes everything.
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_a_request_is() {
        let mut headers = HeaderMap::new();
        headers.insert("x-remote-user", HeaderValue::from_static("mallory"));
        headers.insert("x-remote-group", HeaderValue::from_static("system:masters"));
        headers.insert("x-remote-extra-a", HeaderValue::from_static("b"));
        headers.insert("accept", HeaderValue::from_static("*/*"));
        let user = User {
            name: "alice".to_owned(),
            uid: "7".to_owned(),
            groups: vec!["a".to_owned(), "b".to_owned()],
            extra: vec![("example.com/x y".to_owned(), vec!["1".to_owned(), "2".to_owned()])],
        };
        as_user(&mut headers, &user);
        let shown: Vec<String> =
            headers.iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect();
        let expected = [
            "accept: */*",
            "x-remote-extra-example.com%2fx%20y: 1",
            "x-remote-extra-example.com%2fx%20y: 2",
            "x-remote-group: a",
            "x-remote-group: b",
            "x-remote-uid: 7",
            "x-remote-user: alice",
        ];
        let mut shown = shown;
        shown.sort();
        assert_eq!(shown, expected);
    }

    #[test]
    fn headers_of_the_connection_stay_with_it() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("connection", "keep-alive, X-Own"),
            ("x-own", "1"),
            ("te", "trailers"),
            ("host", "h"),
            ("accept", "*/*"),
        ] {
            headers.append(name, HeaderValue::from_static(value));
        }
        let kept = kept(&headers);
        assert_eq!(kept.keys().map(HeaderName::as_str).collect::<Vec<_>>(), ["accept"]);
    }
}
