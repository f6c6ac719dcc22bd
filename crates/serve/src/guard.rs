//! Keeps pages of the web from using a server that asks for no token.
//!
//! A browser sends whatever a page wants to `127.0.0.1`, and to a name whose owner has pointed it there. `Origin` and
//! `Host` of the request tell that. Before a request that changes something the browser sends a preflight request,
//! unless a form could send the same. kubectl and other clients send neither `Origin` nor `Sec-Fetch-Site`, and some of
//! them send no media type of their bodies.

use std::net::IpAddr;

use apiserver::Refusal;
use http::{
    HeaderMap, Method, Uri,
    header::{CONTENT_TYPE, HOST, HeaderName, ORIGIN},
    request::Parts,
};

/// Browsers say by it how the page that sends a request and the server belong together.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Why a request is not passed on, if it is not. `anywhere`: whoever started the server wants it to be reached by other
/// names than this machine's own. `origin_allowed`: so does the page that sends it. `has_body`: something follows the head.
///
/// # Errors
/// Why not.
pub(crate) fn check(
    head: &Parts,
    anywhere: bool,
    origin_allowed: bool,
    has_body: bool,
) -> Result<(), Refusal> {
    let forbidden = |why: String| Err(Refusal::Forbidden(why));
    let text = |name: &HeaderName| text(&head.headers, name);
    let host = text(&HOST).unwrap_or_default();
    // HTTP/1.0 can do without a host, and no browser speaks it.
    if !anywhere && head.headers.contains_key(HOST) && !is_local(name_of(host)) {
        return forbidden(format!(
            "without tokens, requests are for localhost or a loopback address, not for {host:?}: use --token-file, or \
             --insecure-anyone-is-admin"
        ));
    }
    if let Some(origin) = text(&ORIGIN)
        && !origin_allowed
        && !is_own(origin, host)
    {
        return forbidden(format!(
            "without tokens, pages of {origin:?} may not send requests: use --token-file or --cors-origin"
        ));
    }
    let by_browser = head.headers.contains_key(ORIGIN) || head.headers.contains_key(SEC_FETCH_SITE);
    let changes = by_browser && ![Method::GET, Method::HEAD, Method::OPTIONS].contains(&head.method);
    if changes && (has_body || head.method == Method::POST) && text(&CONTENT_TYPE).is_none_or(str::is_empty) {
        return Err(Refusal::NoMediaType);
    }
    Ok(())
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    // What is no text is nobody's name.
    headers.get(name).map(|value| value.to_str().unwrap_or("?"))
}

/// The name or address in `name:port`.
fn name_of(host: &str) -> &str {
    let (name, _) = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (name, port),
        _ => (host, ""),
    };
    name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name)
}

/// Reports whether a name is of this machine alone.
fn is_local(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    name == "localhost"
        || name.ends_with(".localhost")
        || name.parse().is_ok_and(|address: IpAddr| address.to_canonical().is_loopback())
}

/// Reports whether the origin of a page is this machine, or the host that the request goes to.
fn is_own(origin: &str, host: &str) -> bool {
    let Ok(origin) = origin.parse::<Uri>() else { return false };
    let authority = origin.authority().map(http::uri::Authority::as_str);
    authority.is_some_and(|authority| is_local(name_of(authority)) || authority.eq_ignore_ascii_case(host))
}

#[cfg(test)]
mod tests {
    use http::Request;

    /// `expected`: what the refusal says, in part; empty if the request is passed on.
    #[track_caller]
    fn check(line: &str, headers: &[(&str, &str)], anywhere: bool, expected: &str) {
        let (method, body) = line.split_once(' ').unwrap_or((line, ""));
        let mut request = Request::builder().method(method).uri("/api");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (head, ()) = request.body(()).unwrap().into_parts();
        let found = match super::check(&head, anywhere, false, !body.is_empty()) {
            Ok(()) => String::new(),
            Err(refusal) => format!("{refusal:?}"),
        };
        assert!(
            found.contains(expected) && found.is_empty() == expected.is_empty(),
            "{line} {headers:?}: {found}"
        );
    }

    #[test]
    fn hosts() {
        check("GET", &[], false, "");
        for host in [
            "localhost",
            "LocalHost:8001",
            "localhost.",
            "a.localhost:1",
            "127.0.0.1:8001",
            "127.9.9.9",
            "[::1]:8001",
            "[::ffff:127.0.0.1]",
        ] {
            check("GET", &[("host", host)], false, "");
        }
        for host in [
            "",
            "evil.example",
            "evil.example:8001",
            "localhost.evil.example",
            "192.168.1.1",
            "[::2]:1",
            "0.0.0.0:8001",
        ] {
            check("GET", &[("host", host)], false, "Forbidden");
            check("GET", &[("host", host)], true, "");
        }
    }

    #[test]
    fn origins() {
        for origin in ["http://localhost:8080", "https://127.0.0.1", "http://[::1]:3000"] {
            check("GET", &[("host", "localhost"), ("origin", origin)], false, "");
        }
        for origin in ["http://evil.example", "null", "", "https://localhost.evil.example", "file://"] {
            check("GET", &[("host", "localhost"), ("origin", origin)], false, "Forbidden");
            check("GET", &[("host", "box"), ("origin", origin)], true, "Forbidden");
        }
        check("GET", &[("host", "box:8001"), ("origin", "http://box:8001")], true, "");
    }

    #[test]
    fn media_types() {
        for browser in [("origin", "http://localhost:3000"), ("sec-fetch-site", "same-site")] {
            let json = [("host", "localhost"), browser, ("content-type", "application/json")];
            check("POST {}", &json, false, "");
            check("POST {}", &json[..2], false, "NoMediaType");
            check("POST", &json[..2], false, "NoMediaType");
            check("DELETE", &json[..2], false, "");
            check("DELETE {}", &json[..2], false, "NoMediaType");
            check("PUT {}", &[json[0], json[1], ("content-type", "")], false, "NoMediaType");
        }
        for line in ["POST {}", "POST", "DELETE {}", "PUT {}"] {
            check(line, &[("host", "localhost")], false, "");
        }
    }
}
