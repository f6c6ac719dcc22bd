//! Answers on their way out.

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WARNING};
use http::{Response, StatusCode};

use crate::Body;
use crate::document::Document;
use crate::format::StreamFormat;
use crate::negotiate::Output;
use crate::status::Status;
use crate::warning;

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
    /// A document in the media type that was negotiated.
    ///
    /// # Errors
    /// A text in it that the media type cannot hold.
    pub(crate) fn document(code: u16, document: Document, output: Output) -> Result<Self, Box<Status>> {
        let body = document.encode(output)?;
        Ok(Self::new(code, output.format.name, Body::Bytes(Bytes::from(body))))
    }

    /// What went wrong. What cannot be said in the media type that was negotiated is said in JSON.
    pub(crate) fn failure(status: &Status, output: Output) -> Self {
        let document = Document::untyped(&status.to_value());
        let json = document.json.clone();
        let (name, body) = match document.encode(output) {
            Ok(body) => (output.format.name, body),
            Err(_) => ("application/json", json),
        };
        let mut answer = Self::new(status.code, name, Body::Bytes(Bytes::from(body)));
        answer.retry_after = status.details.as_ref().and_then(|details| details.retry_after_seconds);
        answer.warn(status.warnings.iter().cloned())
    }

    /// Plain text.
    pub(crate) fn text(code: u16, text: impl Into<Bytes>) -> Self {
        Self::new(code, "text/plain; charset=utf-8", Body::Bytes(text.into()))
    }

    /// Nothing to say.
    pub(crate) fn no_content() -> Self {
        Self::new(204, "", Body::Bytes(Bytes::new()))
    }

    /// What kube-apiserver answers whom it has no time for.
    ///
    /// <https://kubernetes.io/docs/concepts/cluster-administration/flow-control/>
    pub(crate) fn too_many_requests() -> Self {
        let text = "Too many requests, please try again later.\n";
        Self { retry_after: Some(1), ..Self::text(429, text) }
    }

    /// None: the connection breaks.
    pub(crate) fn cut() -> Self {
        Self::new(200, "text/plain; charset=utf-8", Body::Cut)
    }

    /// A path that leads nowhere.
    pub(crate) fn page_not_found() -> Self {
        Self::text(404, "404 page not found\n")
    }

    /// A stream of frames.
    pub(crate) fn stream(format: &StreamFormat, body: Body) -> Self {
        Self::new(200, format.content_type, body)
    }

    /// Adds a `Warning` header for each text.
    ///
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation>
    pub(crate) fn warn(mut self, texts: impl IntoIterator<Item = String>) -> Self {
        self.warnings.extend(texts);
        self
    }

    /// The same for what is known before a handler looks.
    pub(crate) fn warn_first(mut self, text: Option<&str>) -> Self {
        self.warnings.splice(0..0, text.map(str::to_owned));
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
        if !self.content_type.is_empty() {
            set(CONTENT_TYPE, HeaderValue::from_str(self.content_type));
        }
        if let Some(seconds) = self.retry_after {
            set(RETRY_AFTER, HeaderValue::from_str(&seconds.to_string()));
        }
        for value in warning::headers(&self.warnings) {
            set(WARNING, HeaderValue::from_str(&value));
        }
        response
    }
}
