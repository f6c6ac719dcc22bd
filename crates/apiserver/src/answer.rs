//! Answers on their way out.

use std::borrow::Cow;

use bytes::Bytes;
use http::header::{
    CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WARNING, X_CONTENT_TYPE_OPTIONS,
};
use http::{Response, StatusCode};

use crate::audit_context::Responded;
use crate::document::Document;
use crate::format::StreamFormat;
use crate::native::on_host;
use crate::negotiate::{Output, Written};
use crate::upgrade::Upgrade;
use crate::{Body, warning};
use apimachinery::status::Status;

/// A response, or the error that is one.
pub(crate) type Outcome = Result<Answer, Box<Status>>;

/// An answer before it becomes an [`http::Response`].
#[derive(Debug)]
pub(crate) struct Answer {
    code: u16,
    content_type: Cow<'static, str>,
    body: Body,
    /// The object that the body is, if it is one.
    object: Option<ObjectJson>,
    warnings: Vec<String>,
    retry_after: Option<u32>,
    /// The other headers.
    headers: Vec<(HeaderName, String)>,
}

/// The JSON of an object in the body of an answer, if the body is of another media type.
#[derive(Debug)]
struct ObjectJson(Option<Vec<u8>>);

impl Answer {
    /// A document in the media type that was negotiated.
    ///
    /// # Errors
    /// A text in it that the media type cannot hold.
    pub(crate) fn document(code: u16, document: Document, output: Output) -> Result<Self, Box<Status>> {
        let Written { body, json } = output.write(document)?;
        let answer = Self::new(code, output.format.name, Body::Bytes(Bytes::from(body)));
        Ok(Self { object: on_host(Some(ObjectJson(json))).filter(|_| output.is_negotiated), ..answer })
    }

    /// A failure, as a `Status`. What the negotiated media type cannot express is written in JSON.
    pub(crate) fn failure(status: &Status, output: Output) -> Self {
        let document = Document::untyped(&status.to_value());
        let json = document.json.clone();
        let (name, Written { body, json }) = match output.write(document) {
            Ok(written) => (output.format.name, written),
            Err(_) => ("application/json", Written { body: json, json: None }),
        };
        let mut answer = Self::new(status.code, name, Body::Bytes(Bytes::from(body)));
        answer.object = on_host(Some(ObjectJson(json))).filter(|_| output.is_negotiated);
        answer.retry_after = status.details.as_ref().and_then(|details| details.retry_after_seconds);
        answer.warn(status.warnings.iter().cloned())
    }

    /// Plain text. Browsers must not guess another media type of one that says what is wrong.
    pub(crate) fn text(code: u16, text: impl Into<Bytes>) -> Self {
        let answer = Self::new(code, "text/plain; charset=utf-8", Body::Bytes(text.into()));
        if code < 400 { answer } else { answer.nosniff() }
    }

    /// Plain text of which nothing is said, such as a log.
    pub(crate) fn plain(body: Body) -> Self {
        Self::new(200, "text/plain", body)
    }

    /// A response from somewhere else; its headers are all still to come.
    pub(crate) fn proxied(code: u16, body: Body) -> Self {
        Self::new(code, "", body)
    }

    /// Another protocol, which the connection is switched to.
    pub(crate) fn upgrade(upgrade: Upgrade) -> Self {
        Self::new(101, "", Body::Upgrade(upgrade))
    }

    /// Bytes of another media type than those of objects.
    pub(crate) fn bytes(content_type: &'static str, body: Vec<u8>) -> Self {
        Self::new(200, content_type, Body::Bytes(Bytes::from(body)))
    }

    /// A code, and no more.
    pub(crate) fn empty(code: u16) -> Self {
        Self::new(code, "", Body::Bytes(Bytes::new()))
    }

    /// The same with another code.
    pub(crate) fn code(self, code: u16) -> Self {
        Self { code, ..self }
    }

    /// The same as another media type.
    pub(crate) fn called(self, content_type: String) -> Self {
        Self { content_type: Cow::Owned(content_type), ..self }
    }

    /// The same with a header, or with another value of one.
    pub(crate) fn with(mut self, name: HeaderName, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Nothing to say.
    pub(crate) fn no_content() -> Self {
        Self::empty(204)
    }

    /// The response of kube-apiserver when it has no time for a request.
    ///
    /// <https://kubernetes.io/docs/concepts/cluster-administration/flow-control/>
    pub(crate) fn too_many_requests(after: u32) -> Self {
        let text = "Too many requests, please try again later.\n";
        Self { retry_after: Some(after), ..Self::text(429, text) }
    }

    /// Adds `X-Content-Type-Options: nosniff`.
    pub(crate) fn nosniff(self) -> Self {
        self.with(X_CONTENT_TYPE_OPTIONS, "nosniff")
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
        let content_type = Cow::Borrowed(content_type);
        Self {
            code,
            content_type,
            body,
            object: None,
            warnings: Vec::new(),
            retry_after: None,
            headers: Vec::new(),
        }
    }

    /// Returns its code, and its body as the audit log has it.
    pub(crate) fn audited(&self) -> (u16, Responded<'_>) {
        let body = match (&self.object, &self.body) {
            (_, Body::Cut) => Responded::Cut,
            (Some(ObjectJson(Some(json))), _) => Responded::Object(json),
            (Some(ObjectJson(None)), Body::Bytes(json)) => Responded::Object(json),
            _ => Responded::Other,
        };
        (self.code, body)
    }

    /// The response that goes to the client.
    pub(crate) fn into_response(self) -> Response<Body> {
        let mut response = Response::new(self.body);
        *response.status_mut() = StatusCode::from_u16(self.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut headers = self.headers;
        if !headers.iter().any(|(name, _)| *name == CACHE_CONTROL) {
            headers.push((CACHE_CONTROL, "no-cache, private".to_owned()));
        }
        if !self.content_type.is_empty() {
            headers.push((CONTENT_TYPE, self.content_type.into_owned()));
        }
        if let Some(seconds) = self.retry_after {
            headers.push((RETRY_AFTER, seconds.to_string()));
        }
        headers.extend(warning::headers(&self.warnings).into_iter().map(|value| (WARNING, value)));
        // In the order of their names, as Go sends them.
        schema::sort_by(&mut headers, |a, b| a.0.as_str().cmp(b.0.as_str()));
        for (name, value) in headers {
            if let Ok(value) = HeaderValue::from_str(&value) {
                response.headers_mut().append(name, value);
            }
        }
        response
    }
}
