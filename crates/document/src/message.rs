//! The requests that a document sends, and the responses that come.

use bytes::Bytes;

/// The media type of JSON.
pub const JSON: &str = "application/json";
/// The media type of YAML.
pub const YAML: &str = "application/yaml";
/// The media type of Kubernetes' Protobuf.
pub const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
/// The `Accept` by which kubectl asks for a table to print.
pub const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";

/// A request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The method, in capitals.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Names and values, in the order in which they are sent.
    pub headers: Vec<(String, String)>,
    /// Empty where there is none.
    pub body: Bytes,
}

impl Request {
    /// Makes a request without headers and body.
    pub fn new(method: &str, target: &str) -> Self {
        Self { method: method.to_owned(), target: target.to_owned(), ..Self::default() }
    }

    /// Adds a header.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Adds a body of a media type.
    #[must_use]
    pub fn carrying(mut self, content_type: &str, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self.with("Content-Type", content_type)
    }

    /// Returns a header, whatever the case of its name.
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }

    /// Returns the path, without the query.
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// Returns whether the response is a stream of events.
    ///
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes>
    pub fn watches(&self) -> bool {
        self.method == "GET" && self.param("watch").is_some_and(|value| !matches!(&*value, "false" | "0"))
    }

    /// Returns a parameter of the query, decoded.
    pub fn param(&self, name: &str) -> Option<String> {
        let (_, params) = apimachinery::target::split(&self.target);
        params.into_iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}

/// A response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// The HTTP status code.
    pub status: u16,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// The body; of a watch its events so far, as they came.
    pub body: Body,
}

/// The body of a [`Response`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// All of it.
    Whole(Bytes),
    /// The number of the stream in which events come.
    Stream(u64),
}

impl Default for Body {
    fn default() -> Self {
        Self::Whole(Bytes::new())
    }
}

impl Response {
    /// Returns a header, whatever the case of its name.
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }
}

fn header<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}
