//! Sending a step's request, and taking its answer.

use std::io::{self, Read as _, Write};
use std::pin::Pin;

use apiserver::{ApiServer, Body};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http::header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HOST, USER_AGENT};
use http::uri::PathAndQuery;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, Uri};
use json_tree::{Map, Value, json};
use serde_json::ser::{Formatter, Serializer};

use crate::decode;

/// An answer that is still to come.
pub type Answering<'a> = Pin<Box<dyn Future<Output = Response<Body>> + 'a>>;

/// Whoever answers requests.
pub trait Server {
    /// Answers one request.
    fn call(&self, request: Request<Bytes>) -> Answering<'_>;
}

impl Server for ApiServer {
    fn call(&self, request: Request<Bytes>) -> Answering<'_> {
        Box::pin(Self::call(self, request))
    }
}

/// The bearer token of whoever sends a request that names none.
const TOKEN: &str = "admintok";
/// The headers of an answer that are compared.
const KEPT: [&str; 6] = ["content-type", "warning", "retry-after", "content-encoding", "location", "allow"];

/// The HTTP request that a step describes, whose names have been substituted. It carries what a client of HTTP/1.1
/// sends of itself too.
pub(crate) fn build(step: &Map<String, Value>) -> Result<Request<Bytes>, String> {
    let text = |key| step.get(key).and_then(Value::as_str);
    let path = text("path").unwrap_or_default();
    let path =
        PathAndQuery::try_from(path).map_err(|error| format!("{path:?} cannot be requested: {error}"))?;
    let method = text("method").unwrap_or("GET");
    let method = Method::from_bytes(method.as_bytes()).map_err(|error| format!("{method:?}: {error}"))?;

    let mut headers = HeaderMap::new();
    headers.insert(HOST, HeaderValue::from_static("127.0.0.1:8001"));
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    headers.insert(USER_AGENT, HeaderValue::from_static("conform/1.0"));
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    let token = text("token").unwrap_or(TOKEN);
    if !token.is_empty() {
        headers.insert(AUTHORIZATION, header_value(&format!("Bearer {token}"))?);
    }
    for (name, value) in step.get("headers").and_then(Value::as_object).into_iter().flatten() {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|error| format!("{name:?}: {error}"))?;
        match value {
            Value::String(value) => {
                headers.insert(name, header_value(value)?);
            }
            _ => {
                headers.remove(name);
            }
        }
    }

    let body = if let Some(body) = step.get("body") {
        headers.entry(CONTENT_TYPE).or_insert(HeaderValue::from_static("application/json"));
        Some(spaced_json(body)?)
    } else if let Some(text) = text("text") {
        Some(text.as_bytes().to_vec())
    } else if let Some(text) = text("base64") {
        Some(BASE64_STANDARD.decode(text).map_err(|error| format!("the body is not base64: {error}"))?)
    } else {
        None
    };
    if body.is_some() || matches!(method, Method::POST | Method::PUT | Method::PATCH) {
        headers.insert(CONTENT_LENGTH, HeaderValue::from(body.as_ref().map_or(0, Vec::len)));
    }

    let mut request = Request::new(Bytes::from(body.unwrap_or_default()));
    *request.method_mut() = method;
    *request.uri_mut() = Uri::from(path);
    *request.headers_mut() = headers;
    Ok(request)
}

fn header_value(text: &str) -> Result<HeaderValue, String> {
    let bytes: Option<Vec<u8>> = text.chars().map(|c| u8::try_from(c).ok()).collect();
    bytes
        .and_then(|bytes| HeaderValue::from_bytes(&bytes).ok())
        .ok_or_else(|| format!("{text:?} cannot be in a header"))
}

/// An answer as a scenario describes it, with the whole of its body.
pub(crate) fn answer(head: &Head, method: &Method, bytes: &[u8]) -> Result<Value, String> {
    let mut plain = Vec::new();
    let bytes = if *method == Method::HEAD {
        &[]
    } else if head.encoding.as_deref() == Some("gzip") {
        flate2::read::MultiGzDecoder::new(bytes)
            .read_to_end(&mut plain)
            .map_err(|error| format!("the body is not gzip: {error}"))?;
        &plain[..]
    } else {
        bytes
    };
    let body = decode::body(bytes, &head.content_type).map_err(|error| format!("the body: {error}"))?;
    Ok(json!({"status": head.status, "headers": head.kept, "body": body}))
}

/// The part of a response before its body: the status and the headers.
pub(crate) struct Head {
    pub(crate) status: u16,
    /// Those that are compared.
    pub(crate) kept: Map<String, Value>,
    pub(crate) content_type: String,
    encoding: Option<String>,
}

impl Head {
    pub(crate) fn of(response: &Response<Body>) -> Self {
        let mut kept = Map::new();
        for (name, value) in response.headers() {
            let text: String = value.as_bytes().iter().map(|byte| char::from(*byte)).collect();
            if name == "warning" {
                if let Value::Array(warnings) = kept.entry("warning").or_insert_with(|| json!([])) {
                    warnings.push(Value::String(text));
                }
            } else if KEPT.contains(&name.as_str()) {
                kept.insert(name.to_string(), Value::String(text));
            }
        }
        let text = |name| kept.get(name).and_then(Value::as_str).map(str::to_owned);
        Self {
            status: response.status().as_u16(),
            content_type: text("content-type").unwrap_or_default(),
            encoding: text("content-encoding"),
            kept,
        }
    }
}

/// JSON as the recorded bodies were sent: a space after commas and colons, and everything but ASCII escaped.
fn spaced_json(value: &Value) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut out, Spaced);
    serde::Serialize::serialize(value, &mut serializer).map_err(|error| error.to_string())?;
    Ok(out)
}

struct Spaced;

fn comma<W: Write + ?Sized>(writer: &mut W, first: bool) -> io::Result<()> {
    if first { Ok(()) } else { writer.write_all(b", ") }
}

impl Formatter for Spaced {
    fn begin_array_value<W: Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        comma(writer, first)
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        comma(writer, first)
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn write_string_fragment<W: Write + ?Sized>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        for c in fragment.chars() {
            if matches!(c, ' '..='~') {
                write!(writer, "{c}")?;
            } else {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(writer, "\\u{unit:04x}")?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks what a step's request becomes: its line, its headers without those that all have, its body.
    #[track_caller]
    fn check(step: Value, line: &str, headers: &[(&str, &str)], body: &str) {
        let request = build(step.as_object().expect("an object")).expect("a request");
        assert_eq!(format!("{} {}", request.method(), request.uri()), line);
        let mut got: Vec<(&str, &str)> = request
            .headers()
            .iter()
            .map(|(name, value)| (name.as_str(), value.to_str().expect("text")))
            .filter(|(name, _)| *name != "host")
            .collect();
        got.sort_unstable();
        assert_eq!(got, headers);
        assert_eq!(request.body(), body);
    }

    const ADMIN: (&str, &str) = ("authorization", "Bearer admintok");
    const JSON: (&str, &str) = ("accept", "application/json");
    const IDENTITY: (&str, &str) = ("accept-encoding", "identity");
    const AGENT: (&str, &str) = ("user-agent", "conform/1.0");

    #[test]
    fn requests() {
        check(
            json!({"method": "GET", "path": "/a/{\"}?b=%2F"}),
            "GET /a/{\"}?b=%2F",
            &[JSON, IDENTITY, ADMIN, AGENT],
            "",
        );
        check(
            json!({"method": "POST", "path": "/a", "token": "", "body": {"a": [1, 2.5, "ü😀\n"], "b": {}}}),
            "POST /a",
            &[JSON, IDENTITY, ("content-length", "48"), ("content-type", "application/json"), AGENT],
            r#"{"a": [1, 2.5, "\u00fc\ud83d\ude00\n"], "b": {}}"#,
        );
        check(
            json!({"method": "PUT", "path": "/a", "token": "bobtok", "text": "x: 1",
                "headers": {"accept": "*/*", "User-Agent": null, "Content-Type": "application/yaml"}}),
            "PUT /a",
            &[
                ("accept", "*/*"),
                IDENTITY,
                ("authorization", "Bearer bobtok"),
                ("content-length", "4"),
                ("content-type", "application/yaml"),
            ],
            "x: 1",
        );
        check(
            json!({"method": "DELETE", "path": "/a", "base64": "aGk="}),
            "DELETE /a",
            &[JSON, IDENTITY, ADMIN, ("content-length", "2"), AGENT],
            "hi",
        );
    }

    #[test]
    fn answers() {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(b"{\"a\":1}").expect("memory");
        let gzip = gzip.finish().expect("memory");
        let response = Response::builder()
            .status(201)
            .header("Warning", "299 - \"a\"")
            .header("Content-Encoding", "gzip")
            .header("Warning", "299 - \"b\"")
            .header("Audit-Id", "x")
            .header("Content-Type", "application/json")
            .body(Body::Bytes(Bytes::new()))
            .expect("a response");
        let head = Head::of(&response);
        let headers = json!({
            "warning": ["299 - \"a\"", "299 - \"b\""], "content-encoding": "gzip", "content-type": "application/json",
        });
        assert_eq!(
            answer(&head, &Method::GET, &gzip),
            Ok(json!({"status": 201, "headers": headers, "body": {"a": 1}}))
        );
        assert_eq!(
            answer(&head, &Method::HEAD, &gzip),
            Ok(json!({"status": 201, "headers": headers, "body": null}))
        );
        assert!(answer(&head, &Method::GET, b"{}").is_err());
    }
}
