//! Pages of other origins that may use the server, by `--cors-origin`. The headers are those of kube-apiserver's
//! `--cors-allowed-origins`, but that a page may send whatever headers it asks for.
//!
//! <https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/CORS>

use http::header::{
    ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, ORIGIN, VARY,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, request::Parts};

const METHODS: HeaderValue = HeaderValue::from_static("POST, GET, OPTIONS, PUT, DELETE, PATCH");
const EXPOSED: HeaderValue = HeaderValue::from_static("Date, Warning, Audit-Id");
const HEADERS: HeaderValue = HeaderValue::from_static(
    "Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since",
);

/// A request of a page of an allowed origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Allowed {
    origin: HeaderValue,
    headers: HeaderValue,
    /// The browser asks before it sends the request.
    pub(crate) is_preflight: bool,
}

/// Returns what is allowed of a request, if it comes from a page of one of these origins.
pub(crate) fn allowed(origins: &[String], head: &Parts) -> Option<Allowed> {
    let origin = head.headers.get(ORIGIN)?;
    origins.iter().any(|allowed| origin == allowed.as_str()).then(|| Allowed {
        origin: origin.clone(),
        headers: head.headers.get(ACCESS_CONTROL_REQUEST_HEADERS).cloned().unwrap_or(HEADERS),
        is_preflight: head.method == Method::OPTIONS
            && head.headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD),
    })
}

impl Allowed {
    /// Adds the headers by which a browser lets the page have the response.
    pub(crate) fn write_to(self, headers: &mut HeaderMap) {
        let allowed: [(HeaderName, HeaderValue); 5] = [
            (ACCESS_CONTROL_ALLOW_ORIGIN, self.origin),
            (ACCESS_CONTROL_ALLOW_METHODS, METHODS),
            (ACCESS_CONTROL_ALLOW_HEADERS, self.headers),
            (ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED),
            (ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true")),
        ];
        headers.extend(allowed);
        headers.append(VARY, HeaderValue::from_static("Origin"));
    }
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    #[track_caller]
    fn check(method: &str, headers: &[(&str, &str)], origins: &[&str], expected: Option<(&str, bool)>) {
        let mut request = Request::builder().method(method).uri("/api");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (head, ()) = request.body(()).unwrap().into_parts();
        let origins: Vec<String> = origins.iter().map(|origin| (*origin).to_owned()).collect();
        let found = allowed(&origins, &head).map(|allowed| {
            let is_preflight = allowed.is_preflight;
            let mut headers = HeaderMap::new();
            allowed.write_to(&mut headers);
            (headers[ACCESS_CONTROL_ALLOW_ORIGIN].to_str().unwrap().to_owned(), is_preflight)
        });
        assert_eq!(found, expected.map(|(origin, is_preflight)| (origin.to_owned(), is_preflight)));
    }

    #[test]
    fn origins() {
        let page = [("origin", "http://a.example")];
        check("GET", &page, &[], None);
        check("GET", &[], &["http://a.example"], None);
        check("GET", &page, &["http://b.example", "http://a.example"], Some(("http://a.example", false)));
        check("GET", &page, &["https://a.example", "http://a.example:80", "http://a"], None);
        let asks = [page[0], ("access-control-request-method", "PUT")];
        check("OPTIONS", &asks, &["http://a.example"], Some(("http://a.example", true)));
        check("OPTIONS", &page, &["http://a.example"], Some(("http://a.example", false)));
    }
}
