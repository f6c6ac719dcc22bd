//! Answers on their way out.

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WARNING};
use http::{Response, StatusCode};
use serde_json::Value;

use crate::Body;
use crate::negotiate::{MediaType, Output};
use crate::status::Status;

/// An answer before it becomes an [`http::Response`].
#[derive(Debug)]
pub(crate) struct Answer {
    code: u16,
    content_type: &'static str,
    body: Body,
    warnings: Vec<String>,
    retry_after: Option<u32>,
}

impl Answer {
    /// Compact JSON. It is printed for people where they asked for it, and ends with a line break where not, as
    /// Go's encoder ends it.
    pub(crate) fn json(code: u16, mut json: Vec<u8>, output: Output) -> Self {
        let body = if output.pretty {
            codec::json::pretty(&json)
        } else {
            json.push(b'\n');
            json
        };
        Self::new(code, output.media.name(), Body::Bytes(Bytes::from(body)))
    }

    /// A tree as JSON.
    pub(crate) fn value(code: u16, value: &Value, output: Output) -> Self {
        let mut json = Vec::new();
        codec::json::write(value, &mut json);
        Self::json(code, json, output)
    }

    /// What went wrong, as JSON.
    pub(crate) fn failure(status: &Status, output: Output) -> Self {
        let mut answer = Self::value(status.code, &status.to_value(), output);
        answer.retry_after = status.details.as_ref().and_then(|details| details.retry_after_seconds);
        answer.warn(status.warnings.iter().cloned())
    }

    /// Plain text.
    pub(crate) fn text(code: u16, text: &'static str) -> Self {
        Self::new(code, "text/plain; charset=utf-8", Body::Bytes(Bytes::from_static(text.as_bytes())))
    }

    /// A path that leads nowhere.
    pub(crate) fn page_not_found() -> Self {
        Self::text(404, "404 page not found\n")
    }

    /// A stream of frames.
    pub(crate) fn stream(media: MediaType, body: Body) -> Self {
        Self::new(200, media.stream_content_type(), body)
    }

    /// Adds a `Warning` header for each text.
    ///
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation>
    pub(crate) fn warn(mut self, texts: impl IntoIterator<Item = String>) -> Self {
        self.warnings.extend(texts);
        self
    }

    fn new(code: u16, content_type: &'static str, body: Body) -> Self {
        Self { code, content_type, body, warnings: Vec::new(), retry_after: None }
    }

    /// The response that goes to the client.
    pub(crate) fn into_response(self) -> Response<Body> {
        let mut response = Response::new(self.body);
        *response.status_mut() = StatusCode::from_u16(self.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut set = |name: HeaderName, value: Result<HeaderValue, _>| {
            if let Ok(value) = value {
                response.headers_mut().append(name, value);
            }
        };
        // In the order of their names, as Go sends them.
        set(CACHE_CONTROL, HeaderValue::from_str("no-cache, private"));
        set(CONTENT_TYPE, HeaderValue::from_str(self.content_type));
        if let Some(seconds) = self.retry_after {
            set(RETRY_AFTER, HeaderValue::from_str(&seconds.to_string()));
        }
        for text in &self.warnings {
            set(WARNING, HeaderValue::from_str(&format!("299 - {}", quote_warning(text))));
        }
        response
    }
}

/// A quoted string of RFC 7230: backslash before quotes and backslashes; line breaks cannot be sent.
fn quote_warning(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for letter in text.chars().filter(|letter| !letter.is_control()) {
        if matches!(letter, '"' | '\\') {
            out.push('\\');
        }
        out.push(letter);
    }
    out.push('"');
    out
}
