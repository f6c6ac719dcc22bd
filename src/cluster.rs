//! The client's view of a cluster: requests go out through a [`Transport`], answers come back.

pub(crate) mod answer;
pub(crate) mod catalog;
pub(crate) mod decided;
pub(crate) mod documents;
pub(crate) mod embedded;
pub(crate) mod event;
pub(crate) mod frames;
pub(crate) mod head;
pub(crate) mod host;
pub(crate) mod line;
pub(crate) mod status;
pub(crate) use apimachinery::place;
pub(crate) mod reflector;
pub(crate) mod remote;
pub(crate) mod told;
pub(crate) mod trace;
pub(crate) mod webhooks;
pub(crate) mod worker;
pub(crate) mod workshop;

use bytes::Bytes;
use futures::future::LocalBoxFuture;
use futures::stream::LocalBoxStream;
use protocol::trace::RequestRecord;
use serde::{Deserialize, Serialize};

use apimachinery::target;

/// Which cluster a request goes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum Which {
    /// The one that lives in this page.
    #[default]
    ThisTab,
    /// The one that the page's own server passes `/remote/` on to.
    Remote,
}

/// One request, as its sender composed it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Request {
    /// `GET`, `POST`, ...
    pub(crate) method: String,
    /// Path and query.
    pub(crate) target: String,
    /// Names and values, in the order in which they are sent.
    pub(crate) headers: Vec<(String, String)>,
    /// Empty where the method has none.
    pub(crate) body: String,
    /// The bytes that are sent instead, where the media type cannot be typed.
    #[serde(skip)]
    pub(crate) encoded: Option<Bytes>,
    /// The body as JSON, where it was typed as YAML and somebody has read it.
    #[serde(skip)]
    pub(crate) json: Option<Bytes>,
}

impl Request {
    /// A `GET` of `target` that asks for JSON.
    pub(crate) fn get(target: &str) -> Self {
        Self {
            method: "GET".to_owned(),
            target: target.to_owned(),
            headers: vec![("Accept".to_owned(), "application/json".to_owned())],
            ..Self::default()
        }
    }

    /// A request that carries JSON.
    pub(crate) fn json(method: &str, target: &str, body: &str) -> Self {
        let mut request = Self { method: method.to_owned(), body: body.to_owned(), ..Self::get(target) };
        request.headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
        request
    }

    /// Returns the bytes that are sent as its body.
    pub(crate) fn bytes(&self) -> Bytes {
        self.encoded.clone().unwrap_or_else(|| Bytes::from(self.body.clone()))
    }

    /// The header of this name.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Returns whether it may be sent though nobody has decided to: it changes nothing, and it ends.
    pub(crate) fn is_harmless(&self) -> bool {
        self.method == "GET" && !self.watches()
    }

    /// Reports whether its response is a stream of events, which the API server decides by the parameter `watch`: any
    /// value but `false` and `0` means yes.
    pub(crate) fn watches(&self) -> bool {
        self.method == "GET"
            && target::split(&self.target)
                .1
                .iter()
                .any(|(name, value)| name == "watch" && !matches!(value.as_str(), "false" | "0"))
    }
}

/// A response.
pub(crate) struct Answer {
    /// The HTTP status code.
    pub(crate) status: u16,
    /// Names and values.
    pub(crate) headers: Vec<(String, String)>,
    /// All of it, or piece by piece.
    pub(crate) body: Body,
    /// The newest revision of the store then, where the cluster tells.
    pub(crate) revision: Option<u64>,
    /// The API server's record of the request, where the cluster provides one: the embedded one does.
    pub(crate) served: Option<Box<RequestRecord>>,
}

impl Answer {
    /// The header of this name.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// The body of an [`Answer`].
pub(crate) enum Body {
    /// All of it.
    Bytes(Bytes),
    /// Chunks as they come, cut anywhere. Dropping it closes the connection.
    Stream(Stream),
}

/// The bytes of a response as they come.
pub(crate) type Stream = LocalBoxStream<'static, Result<Bytes, String>>;

/// A way to a cluster.
pub(crate) trait Transport {
    /// Sends `request`. An error says in words why there is no answer.
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Answer, String>>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(target: &str, watches: bool) {
        assert_eq!(Request::get(target).watches(), watches, "{target}");
    }

    #[test]
    fn knows_a_watch() {
        check("/api/v1/pods", false);
        check("/api/v1/pods?watch=true", true);
        check("/api/v1/pods?limit=1&watch", true);
        check("/api/v1/pods?watch=1", true);
        check("/api/v1/pods?watch=0", false);
        check("/api/v1/pods?watch=false", false);
        check("/api/v1/pods?labelSelector=watch", false);
        assert!(!Request::json("POST", "/api/v1/pods?watch=1", "{}").watches());
    }
}
