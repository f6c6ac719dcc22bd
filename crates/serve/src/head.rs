//! Validation of requests by the rules of HTTP, with the errors of Go's server.

use golang::url::path_unescape;
use http::header::{HOST, TRANSFER_ENCODING};
use http::request::Parts;
use http::{HeaderMap, StatusCode, Uri, Version};

/// Validates the head of a request. The error has the status code and the message.
pub(crate) fn check(head: &Parts) -> Result<(), (StatusCode, &'static str)> {
    let bad = |why: &'static str| Err((StatusCode::BAD_REQUEST, why));
    let mut hosts = head.headers.get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) if head.version == Version::HTTP_11 => {
            return bad("400 Bad Request: missing required Host header");
        }
        (Some(_), Some(_)) => return bad("400 Bad Request: too many Host headers"),
        (Some(host), None) if !host.as_bytes().iter().all(|byte| is_of_host(*byte)) => {
            return bad("400 Bad Request: malformed Host header");
        }
        _ => {}
    }
    if path_unescape(head.uri.path()).is_err() {
        return bad("400 Bad Request");
    }
    if is_encoded_otherwise(&head.headers) {
        return Err((StatusCode::NOT_IMPLEMENTED, "501 Not Implemented\nUnsupported transfer encoding"));
    }
    Ok(())
}

/// Reports whether a byte may stand in a `Host` header.
fn is_of_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!$%&'()*+,-.:;=[]_~".contains(&byte)
}

/// Reports whether a body has another transfer encoding than chunked.
fn is_encoded_otherwise(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(TRANSFER_ENCODING).iter();
    match (values.next(), values.next()) {
        (None, _) => false,
        (Some(only), None) => !only.as_bytes().eq_ignore_ascii_case(b"chunked"),
        (Some(_), Some(_)) => true,
    }
}

/// Path and query alone, byte for byte: HTTP/2 requests, and HTTP/1.1 ones to proxies, carry scheme and authority too.
pub(crate) fn origin_form(uri: &Uri) -> Uri {
    uri.path_and_query().map_or_else(|| Uri::from_static("/"), |path| Uri::from(path.clone()))
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    #[track_caller]
    fn check_uri(uri: &str, expected: &str) {
        assert_eq!(origin_form(&uri.parse().unwrap()), expected);
    }

    #[test]
    fn uris_keep_their_escapes() {
        check_uri("/api/v1//x%2Fy%20?a=%3D&b=c,d", "/api/v1//x%2Fy%20?a=%3D&b=c,d");
        check_uri("http://127.0.0.1:8001/api?x", "/api?x");
        check_uri("http://127.0.0.1:8001", "/");
        check_uri("127.0.0.1:80", "/");
    }

    #[track_caller]
    fn check_head(headers: &[(&str, &str)], expected: &str) {
        let request =
            headers.iter().fold(Request::get("/"), |request, (name, value)| request.header(*name, *value));
        let (head, ()) = request.body(()).unwrap().into_parts();
        let found = check(&head).err().map_or("", |(_, why)| why);
        assert!(found.contains(expected) && found.is_empty() == expected.is_empty(), "{headers:?}: {found}");
    }

    #[test]
    fn heads() {
        check_head(&[("host", "localhost:8001")], "");
        check_head(&[("host", "")], "");
        check_head(&[("host", "[::1]:8001")], "");
        check_head(&[], "missing required Host header");
        check_head(&[("host", "a"), ("host", "a")], "too many Host headers");
        check_head(&[("host", "a/b")], "malformed Host header");
        check_head(&[("host", "a"), ("transfer-encoding", "Chunked")], "");
        check_head(&[("host", "a"), ("transfer-encoding", "gzip, chunked")], "Unsupported transfer encoding");
        check_head(&[("host", "a"), ("transfer-encoding", "gzip")], "Unsupported transfer encoding");
    }

    #[test]
    fn escapes_of_paths() {
        for (uri, expected) in [("/a%2Fb?x=%zz", true), ("/%zz", false), ("/%2", false)] {
            let request = Request::get(uri).header("host", "a").body(()).unwrap();
            assert_eq!(check(&request.into_parts().0).is_ok(), expected, "{uri}");
        }
    }
}
