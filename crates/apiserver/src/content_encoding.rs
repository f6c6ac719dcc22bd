//! `Content-Encoding`: large answers are compressed for whoever wants that.

use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, HeaderName, VARY};
use http::{HeaderMap, HeaderValue, Response, StatusCode};

use crate::Body;
use crate::format::Gzip;

/// Answers of up to so many bytes go as they are.
const THRESHOLD: usize = 128 * 1024;

/// Compresses an answer that is large enough, if the request says exactly `gzip`, whatever else it says. Watches are
/// never compressed.
pub(crate) fn apply(gzip: Option<Gzip>, request: &HeaderMap, response: &mut Response<Body>) {
    let Some(gzip) = gzip.filter(|_| wanted(request)) else { return };
    let is_whole = response.status() != StatusCode::PARTIAL_CONTENT;
    let body = response.body().bytes().filter(|body| is_whole && body.len() > THRESHOLD);
    let Some(body) = body else { return };
    let body = Body::Bytes(Bytes::from(gzip(body)));
    *response.body_mut() = body;
    // In the order of their names, as Go sends them.
    let mut headers: Vec<_> = std::mem::take(response.headers_mut()).into_iter().collect();
    headers.push((Some(CONTENT_ENCODING), HeaderValue::from_static("gzip")));
    let encoding = HeaderValue::from_static("Accept-Encoding");
    // Some responses say so whether they are compressed or not.
    if !headers.iter().any(|(_, value)| *value == encoding) {
        headers.push((Some(VARY), encoding));
    }
    // Of several values of one name, only the first is named.
    let mut last = CONTENT_ENCODING;
    let mut named: Vec<(HeaderName, HeaderValue)> = Vec::with_capacity(headers.len());
    for (name, value) in headers {
        last = name.unwrap_or(last);
        named.push((last.clone(), value));
    }
    schema::sort_by(&mut named, |a, b| a.0.as_str().cmp(b.0.as_str()));
    for (name, value) in named {
        response.headers_mut().append(name, value);
    }
}

fn wanted(request: &HeaderMap) -> bool {
    let header = request.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    header.is_some_and(|header| header.split(',').any(|token| token.trim() == "gzip"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The headers of an answer of so many bytes.
    #[track_caller]
    fn check(accept: &str, length: usize, expected: &str) {
        let mut request = HeaderMap::new();
        request.insert(ACCEPT_ENCODING, accept.parse().expect("a header value"));
        let mut response = Response::new(Body::Bytes(vec![b'a'; length].into()));
        for (name, value) in [("cache-control", "no-cache"), ("content-type", "text/plain"), ("warning", "w")]
        {
            response.headers_mut().append(name, HeaderValue::from_static(value));
        }
        apply(Some(|bytes| bytes[..3].to_vec()), &request, &mut response);
        let names: Vec<&str> = response.headers().keys().map(HeaderName::as_str).collect();
        let length = response.body().bytes().map_or(0, Bytes::len);
        assert_eq!(format!("{length} {}", names.join(" ")), expected, "{accept}");
    }

    #[test]
    fn large_answers_are_compressed_for_those_who_say_gzip() {
        let compressed = "3 cache-control content-encoding content-type vary warning";
        check("gzip", 131_073, compressed);
        check("deflate, gzip ,br", 200_000, compressed);
        check("gzip", 131_072, "131072 cache-control content-type warning");
        for accept in ["gzip;q=1.0", "GZIP", "x-gzip", "*", "", "deflate"] {
            check(accept, 200_000, "200000 cache-control content-type warning");
        }
    }
}
