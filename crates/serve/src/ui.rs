//! The page itself at `/ui/`, for `--ui`: embedded in the program, compressed.

use std::io::Read;

use bytes::Bytes;
use flate2::read::GzDecoder;
use http::header::{
    ACCEPT_ENCODING, ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderName,
    LOCATION, VARY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, request::Parts};

use apiserver::{Body, Refusal};

/// The path of the page.
const ROOT: &str = "/ui";

/// The page on the cluster that serves it.
const HERE: &str = "/ui/?engine=here";

/// The script that others' pages load: browsers ask for modules from elsewhere with CORS.
const SCRIPT: &str = "kubeglass.js";

/// The files: their paths, and their contents, compressed with gzip. None, if the program was built without the page.
type Files = &'static [(&'static str, &'static [u8])];
const FILES: Files = include!(concat!(env!("OUT_DIR"), "/ui.rs"));

/// Media types by the endings of names.
const TYPES: [(&str, &str); 8] = [
    (".css", "text/css; charset=utf-8"),
    (".html", "text/html; charset=utf-8"),
    (".js", "text/javascript; charset=utf-8"),
    (".json", "application/json"),
    (".md", "text/markdown; charset=utf-8"),
    (".svg", "image/svg+xml"),
    (".txt", "text/plain; charset=utf-8"),
    (".wasm", "application/wasm"),
];

/// Returns whether the program has the page.
pub(crate) fn is_there() -> bool {
    !FILES.is_empty()
}

/// Answers a request for a part of the page; `None` if it is for none.
pub(crate) fn answer(head: &Parts) -> Option<Result<Response<Body>, Refusal>> {
    let rest = head.uri.path().strip_prefix(ROOT)?;
    let name = match rest {
        "" => "",
        path => path.strip_prefix('/')?,
    };
    if ![Method::GET, Method::HEAD].contains(&head.method) {
        return Some(Err(Refusal::MethodNotAllowed));
    }
    if rest.is_empty() || name.is_empty() && head.uri.query().is_none() {
        let mut response = Response::new(Body::Bytes(Bytes::new()));
        *response.status_mut() = StatusCode::FOUND;
        response.headers_mut().insert(LOCATION, HeaderValue::from_static(HERE));
        return Some(Ok(response));
    }
    let name = if name.is_empty() { "index.html" } else { name };
    let Some((_, compressed)) = FILES.iter().find(|(known, _)| *known == name) else {
        return Some(Err(Refusal::PathNotFound));
    };
    Some(file(name, compressed, &head.headers).map_err(|error| Refusal::Body(error.to_string())))
}

fn file(name: &str, compressed: &'static [u8], asked: &HeaderMap) -> std::io::Result<Response<Body>> {
    let accepts = asked.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let gzip = accepts
        .flat_map(|value| value.split(','))
        .any(|one| one.split(';').next().unwrap_or_default().trim() == "gzip");
    let body = if gzip {
        Bytes::from_static(compressed)
    } else {
        let mut plain = Vec::new();
        GzDecoder::new(compressed).read_to_end(&mut plain)?;
        Bytes::from(plain)
    };
    let mut response = Response::new(Body::Bytes(body));
    let media_type =
        TYPES.iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, media_type)| *media_type);
    let mut set = |name: HeaderName, value: &'static str| {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    };
    set(CONTENT_TYPE, media_type.unwrap_or("application/octet-stream"));
    set(X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(VARY, "Accept-Encoding");
    // Whatever differs from build to build has a hash in its path.
    set(CACHE_CONTROL, if has_hash(name) { "max-age=31536000, immutable" } else { "no-cache" });
    if name == SCRIPT {
        set(ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    }
    if gzip {
        set(CONTENT_ENCODING, "gzip");
    }
    Ok(response)
}

/// Returns whether the name of a file, or of its folder, ends with a hash.
fn has_hash(name: &str) -> bool {
    let hash = |hash: &str| hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    name.split('/').any(|part| {
        let stem = part.split('.').next().unwrap_or_default();
        stem.rsplit_once('-').is_some_and(|(_, end)| hash(end))
    })
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        let (method, uri) = line.split_once(' ').unwrap();
        let (head, ()) = Request::builder().method(method).uri(uri).body(()).unwrap().into_parts();
        let found = match answer(&head) {
            None => "none".to_owned(),
            Some(Err(refusal)) => format!("{refusal:?}"),
            Some(Ok(response)) => {
                let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
                format!("{} {}", response.status().as_u16(), location.unwrap_or_default())
            }
        };
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn paths() {
        check("GET /ui", "302 /ui/?engine=here");
        check("GET /ui/", "302 /ui/?engine=here");
        check("GET /ui/none.js", "PathNotFound");
        check("GET /ui/../api", "PathNotFound");
        check("POST /ui/", "MethodNotAllowed");
        check("GET /uid", "none");
        check("GET /api", "none");
    }

    #[test]
    fn hashes() {
        for (name, expected) in [
            ("boot-415f352ad9e13f50.js", true),
            ("engine-bb87c7a991576ab3/worker.js", true),
            ("index.html", false),
            ("kubeglass-editor.js", false),
            ("sw.js", false),
        ] {
            assert_eq!(has_hash(name), expected, "{name}");
        }
    }

    #[test]
    fn files_go_out_as_they_are_asked_for() {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        std::io::Write::write_all(&mut encoder, b"body {}").unwrap();
        let compressed: &'static [u8] = Vec::leak(encoder.finish().unwrap());
        let plain = file("style-0123456789abcdef.css", compressed, &HeaderMap::new()).unwrap();
        assert_eq!(plain.body().bytes().unwrap(), "body {}");
        assert_eq!(plain.headers()[CONTENT_TYPE], "text/css; charset=utf-8");
        assert_eq!(plain.headers()[CACHE_CONTROL], "max-age=31536000, immutable");
        let asked = HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static("br, gzip;q=0.5"))]);
        let gzip = file("index.html", compressed, &asked).unwrap();
        assert_eq!(
            (gzip.body().bytes().unwrap().as_ref(), &gzip.headers()[CACHE_CONTROL]),
            (compressed, &HeaderValue::from_static("no-cache"))
        );
        assert_eq!(gzip.headers()[CONTENT_ENCODING], "gzip");
        assert!(!gzip.headers().contains_key(ACCESS_CONTROL_ALLOW_ORIGIN));
        let script = file(SCRIPT, compressed, &asked).unwrap();
        assert_eq!(script.headers()[ACCESS_CONTROL_ALLOW_ORIGIN], "*");
    }
}
