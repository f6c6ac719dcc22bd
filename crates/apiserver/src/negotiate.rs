//! Which media type an answer has, which one a body is in, and whether JSON is printed for people.
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#alternate-representations-of-resources>

use http::HeaderMap;
use http::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};

use crate::query::Query;
use crate::status::Status;

/// The media type that the server speaks.
pub(crate) const JSON: &str = "application/json";

/// How an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Output {
    /// JSON indented by two spaces.
    pub pretty: bool,
}

/// Chooses the answer's media type from `Accept`.
///
/// kube-apiserver takes the clauses by descending `q` (one of 0 still counts), and of each only an exact media
/// type or `*/*`: `application/*` and other letter case match nothing. A clause that asks for another
/// representation of the object (`as=`) is passed over here, for objects are all that is served.
pub(crate) fn output(headers: &HeaderMap, query: &Query) -> Result<Output, Box<Status>> {
    let accept = header(headers, ACCEPT);
    let pretty = prefers_pretty(headers, query);
    if accept.trim().is_empty() {
        return Ok(Output { pretty });
    }
    let mut clauses: Vec<Clause<'_>> = accept.split(',').filter_map(Clause::parse).collect();
    clauses.sort_by(|a, b| b.quality.total_cmp(&a.quality));
    clauses
        .iter()
        .find(|clause| clause.is_json() && !clause.converts())
        .map(|clause| Output { pretty: pretty || clause.parameter("pretty") == Some("1") })
        .ok_or_else(|| Status::not_acceptable(JSON))
}

/// Whether the client can take JSON at all: for routes that have nothing else.
pub(crate) fn accepts_json(headers: &HeaderMap) -> bool {
    output(headers, &Query::default()).is_ok()
}

/// Whether a watch can be answered: the stream's media type is negotiated apart.
pub(crate) fn stream(headers: &HeaderMap) -> Result<(), Box<Status>> {
    output(headers, &Query::default())
        .map(|_| ())
        .map_err(|_| Status::not_acceptable("application/json;stream=watch"))
}

/// Checks the media type of a body: JSON, or not said.
pub(crate) fn body(headers: &HeaderMap) -> Result<(), Box<Status>> {
    let text = header(headers, CONTENT_TYPE);
    let media_type = text.split(';').next().unwrap_or_default().trim();
    if media_type.is_empty() || media_type == JSON {
        return Ok(());
    }
    Err(Status::unsupported_media_type(JSON))
}

/// Whether JSON is indented: `pretty` in the query decides, or else the `User-Agent` of a browser or of a
/// command-line tool.
fn prefers_pretty(headers: &HeaderMap, query: &Query) -> bool {
    match query.text("pretty") {
        "" => {
            let agent = header(headers, USER_AGENT);
            ["curl", "Wget", "Mozilla/5.0"].iter().any(|known| agent.starts_with(known))
        }
        text => ["1", "t", "T", "true", "TRUE", "True"].contains(&text),
    }
}

fn header(headers: &HeaderMap, name: http::HeaderName) -> &str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// One clause of an `Accept` header.
struct Clause<'a> {
    media_type: &'a str,
    parameters: Vec<(&'a str, &'a str)>,
    quality: f32,
}

impl<'a> Clause<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let mut parts = text.split(';').map(str::trim);
        let media_type = parts.next().filter(|media_type| !media_type.is_empty())?;
        let parameters: Vec<_> = parts
            .filter_map(|part| part.split_once('='))
            .map(|(key, value)| (key.trim(), value.trim()))
            .collect();
        let mut clause = Self { media_type, parameters, quality: 1.0 };
        clause.quality = clause.parameter("q").map_or(1.0, |q| q.parse().unwrap_or(1.0));
        Some(clause)
    }

    fn parameter(&self, name: &str) -> Option<&'a str> {
        self.parameters.iter().find(|(key, _)| *key == name).map(|(_, value)| *value)
    }

    fn is_json(&self) -> bool {
        self.media_type == JSON || self.media_type == "*/*"
    }

    fn converts(&self) -> bool {
        ["as", "g", "v"].iter().any(|name| self.parameter(name).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(accept: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, accept.parse().expect("a header value"));
        headers
    }

    #[track_caller]
    fn check(accept: &str, expected: Option<bool>) {
        let chosen = output(&headers(accept), &Query::default()).ok().map(|output| output.pretty);
        assert_eq!(chosen, expected, "{accept}");
    }

    #[test]
    fn clauses() {
        check("", Some(false));
        check("*/*", Some(false));
        check("application/json", Some(false));
        check("application/json;q=0", Some(false));
        check("application/json; pretty=1", Some(true));
        check("application/json;pretty=true", Some(false));
        check("text/html,application/xhtml+xml,*/*;q=0.8", Some(false));
        check("application/json;as=Table;g=meta.k8s.io;v=v1, application/json", Some(false));
        check("application/json;as=Table;g=meta.k8s.io;v=v1", None);
        check("application/*", None);
        check("Application/JSON", None);
        check("text/html", None);
    }

    #[test]
    fn the_query_goes_before_the_user_agent() {
        let mut headers = headers("*/*");
        headers.insert(USER_AGENT, "curl/8".parse().expect("a header value"));
        for (query, expected) in
            [("", true), ("pretty=false", false), ("pretty=1", true), ("pretty=yes", false)]
        {
            let output = output(&headers, &Query::parse(query)).expect("JSON is accepted");
            assert_eq!(output.pretty, expected, "{query}");
        }
    }
}
