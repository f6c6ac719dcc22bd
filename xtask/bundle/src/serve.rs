//! A server of files on this machine, and a way from the page to a server of an API that listens on it too.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_TYPE, HOST, HeaderMap, HeaderValue, ORIGIN,
};
use hyper::upgrade::OnUpgrade;
use hyper::{Request, Response, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};

/// The path below which the other server is reached.
const REMOTE: &str = "/remote/";

/// The script that others' pages load: browsers ask for modules from elsewhere with CORS.
const SCRIPT: &str = "kubeglass.js";

/// The media types of the page's files, by what their names end with.
const MEDIA_TYPES: [(&str, &str); 8] = [
    ("html", "text/html; charset=utf-8"),
    ("js", "text/javascript; charset=utf-8"),
    ("css", "text/css; charset=utf-8"),
    ("wasm", "application/wasm"),
    ("svg", "image/svg+xml"),
    ("md", "text/markdown; charset=utf-8"),
    ("txt", "text/plain; charset=utf-8"),
    ("json", "application/json"),
];

type Body = BoxBody<Bytes, hyper::Error>;

struct Site {
    folder: PathBuf,
    /// The host and port of the other server.
    remote: String,
}

/// Serves a folder until the process ends.
///
/// # Errors
/// Nothing can listen at that address.
pub(crate) fn run(folder: &Path, address: &str, remote: &str) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{address} cannot be listened at: {error}");
    let site = Arc::new(Site { folder: folder.to_owned(), remote: remote.to_owned() });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().map_err(failed)?;
    runtime.block_on(async {
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let local = listener.local_addr().map_err(failed)?;
        println!("Kubeglass is at http://{local}");
        loop {
            // A connection that could not be accepted is its client's loss alone.
            let Ok((stream, _)) = listener.accept().await else { continue };
            let site = Arc::clone(&site);
            tokio::spawn(async move {
                let service = hyper::service::service_fn(move |request| {
                    let site = Arc::clone(&site);
                    async move { Ok::<_, Infallible>(site.answer(request, local).await) }
                });
                let connection = hyper::server::conn::http1::Builder::new();
                // What goes wrong here is that the client went away.
                let _ = connection.serve_connection(TokioIo::new(stream), service).with_upgrades().await;
            });
        }
    })
}

impl Site {
    async fn answer(&self, request: Request<Incoming>, local: SocketAddr) -> Response<Body> {
        if !is_local(request.headers().get(HOST), local) {
            return words(StatusCode::FORBIDDEN, "This server answers to localhost and its address alone.");
        }
        if request.uri().path().starts_with(REMOTE) {
            if !is_own(request.headers()) {
                return words(
                    StatusCode::FORBIDDEN,
                    "Only the page of this server may reach the other server.",
                );
            }
            return self.pass(request).await.unwrap_or_else(|error| {
                let remote = &self.remote;
                words(StatusCode::BAD_GATEWAY, &format!("No server could be reached at {remote}: {error}"))
            });
        }
        let Some(file) = file(&self.folder, request.uri().path()) else {
            return words(StatusCode::NOT_FOUND, "There is no such file.");
        };
        match tokio::fs::read(&file).await {
            Ok(bytes) => {
                let mut response = Response::new(whole(bytes));
                let headers = response.headers_mut();
                headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type(&file)));
                headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
                if file.ends_with(SCRIPT) {
                    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
                }
                response
            }
            Err(_) => words(StatusCode::NOT_FOUND, "There is no such file."),
        }
    }

    /// Passes a request on to the other server, and its response back as it comes.
    async fn pass(&self, mut request: Request<Incoming>) -> Result<Response<Body>, String> {
        let text = |error: &dyn std::error::Error| error.to_string();
        let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
        let target = format!("/{}", target.strip_prefix(REMOTE).unwrap_or_default());
        *request.uri_mut() = target.parse::<Uri>().map_err(|error| text(&error))?;
        let host = HeaderValue::from_str(&self.remote).map_err(|error| text(&error))?;
        request.headers_mut().insert(HOST, host);
        let stream = TcpStream::connect(&self.remote).await.map_err(|error| text(&error))?;
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
            .await
            .map_err(|error| text(&error))?;
        tokio::spawn(connection.with_upgrades());
        let client = request.extensions_mut().remove::<OnUpgrade>();
        let mut response = sender.send_request(request).await.map_err(|error| text(&error))?;
        if response.status() == StatusCode::SWITCHING_PROTOCOLS
            && let Some(client) = client
        {
            let server = hyper::upgrade::on(&mut response);
            tokio::spawn(async move {
                // What goes wrong here is that one of them went away.
                if let (Ok(client), Ok(server)) = (client.await, server.await) {
                    let (mut client, mut server) = (TokioIo::new(client), TokioIo::new(server));
                    let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
                }
            });
        }
        Ok(response.map(BodyExt::boxed))
    }
}

/// Returns whether the page of this server sends a request, or a program that is no browser: another page would send it with the
/// rights of whoever has opened it. Browsers say where a request comes from by `Origin`, or by `Sec-Fetch-Site`.
fn is_own(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    match (text(ORIGIN.as_str()), text("sec-fetch-site")) {
        (Some(origin), _) => origin.split_once("://").map(|(_, authority)| authority) == text(HOST.as_str()),
        (None, Some(site)) => ["same-origin", "none"].contains(&site),
        (None, None) => true,
    }
}

/// Returns whether a request names this machine: a page of others may resolve its own name to this address, and is not to
/// reach what listens here.
fn is_local(host: Option<&HeaderValue>, local: SocketAddr) -> bool {
    let Some(host) = host.and_then(|host| host.to_str().ok()) else { return false };
    let name = host.strip_suffix(&format!(":{}", local.port())).unwrap_or(host);
    ["localhost", "127.0.0.1", "[::1]"].contains(&name) || name == local.ip().to_string()
}

/// Returns the file that a path names, if it stays within the folder.
fn file(folder: &Path, path: &str) -> Option<PathBuf> {
    let path = Path::new(path.trim_start_matches('/'));
    let inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    let file = if path.as_os_str().is_empty() { folder.join("index.html") } else { folder.join(path) };
    inside.then_some(file)
}

fn media_type(file: &Path) -> &'static str {
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let known = MEDIA_TYPES.iter().find(|(end, _)| *end == extension);
    known.map_or("application/octet-stream", |(_, media_type)| media_type)
}

fn words(status: StatusCode, words: &str) -> Response<Body> {
    let mut response = Response::new(whole(words.as_bytes().to_vec()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

fn whole(bytes: Vec<u8>) -> Body {
    Full::new(Bytes::from(bytes)).map_err(|never| match never {}).boxed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_file(path: &str, expected: Option<&str>) {
        assert_eq!(file(Path::new("dist"), path).as_deref(), expected.map(Path::new), "{path}");
    }

    #[test]
    fn files_stay_in_their_folder() {
        check_file("/", Some("dist/index.html"));
        check_file("/engine/worker.js", Some("dist/engine/worker.js"));
        check_file("/../Cargo.toml", None);
        check_file("/engine/../../Cargo.toml", None);
        check_file("//etc/passwd", Some("dist/etc/passwd"));
    }

    #[track_caller]
    fn check_sender(name: &'static str, value: &str, expected: bool) {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_static("127.0.0.1:8080"));
        headers.insert(name, HeaderValue::from_str(value).expect("a header"));
        assert_eq!(is_own(&headers), expected, "{name}: {value}");
    }

    #[test]
    fn other_pages_do_not_reach_the_other_server() {
        check_sender("user-agent", "kubectl", true);
        check_sender("origin", "http://127.0.0.1:8080", true);
        check_sender("origin", "http://127.0.0.1:8081", false);
        check_sender("origin", "https://example.com", false);
        check_sender("origin", "null", false);
        check_sender("sec-fetch-site", "same-origin", true);
        check_sender("sec-fetch-site", "none", true);
        check_sender("sec-fetch-site", "same-site", false);
        check_sender("sec-fetch-site", "cross-site", false);
    }

    #[track_caller]
    fn check_host(host: &str, expected: bool) {
        let local = SocketAddr::from(([127, 0, 0, 1], 8080));
        assert_eq!(is_local(HeaderValue::from_str(host).ok().as_ref(), local), expected, "{host}");
    }

    #[test]
    fn other_names_are_refused() {
        check_host("127.0.0.1:8080", true);
        check_host("localhost:8080", true);
        check_host("localhost", true);
        check_host("[::1]:8080", true);
        check_host("example.com:8080", false);
        check_host("127.0.0.1.example.com:8080", false);
        check_host("", false);
    }
}
