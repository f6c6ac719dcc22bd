//! Reading as much of what a server sends as the page has to know of it.

use serde::Deserialize;
use serde_json::value::RawValue;

/// The beginning of an object or of a list.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Head {
    pub(crate) kind: String,
    pub(crate) metadata: Metadata,
}

/// The metadata of an object or of a list.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Metadata {
    pub(crate) namespace: String,
    pub(crate) name: String,
    #[serde(rename = "resourceVersion")]
    pub(crate) version: String,
    /// The token of a list's next page.
    #[serde(rename = "continue")]
    pub(crate) token: String,
    /// How many objects come after a list's page, where the server says so.
    #[serde(rename = "remainingItemCount")]
    pub(crate) remaining: Option<u64>,
    pub(crate) annotations: Option<Annotations>,
}

/// The annotations that mean something to the page.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Annotations {
    /// The annotation of the bookmark that ends the initial events of a streaming list.
    /// See <https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists>.
    #[serde(rename = "k8s.io/initial-events-end")]
    pub(crate) initial_events_end: Option<String>,
}

/// An event of a watch, its object unread.
#[derive(Deserialize)]
pub(crate) struct Frame<'a> {
    #[serde(borrow)]
    pub(crate) object: &'a RawValue,
}

/// An event of a watch, and the beginning of its object.
#[derive(Deserialize)]
pub(crate) struct Told<'a> {
    #[serde(rename = "type")]
    pub(crate) kind: &'a str,
    pub(crate) object: Head,
}

/// A list.
#[derive(Deserialize)]
pub(crate) struct List<'a> {
    #[serde(default)]
    pub(crate) kind: &'a str,
    #[serde(default)]
    pub(crate) metadata: Metadata,
    #[serde(borrow, default)]
    pub(crate) items: Option<Vec<&'a RawValue>>,
}

/// Reads the beginning of an object.
pub(crate) fn head(json: &[u8]) -> Option<Head> {
    serde_json::from_slice(json).ok()
}

/// Reads an event.
pub(crate) fn frame(json: &[u8]) -> Option<Frame<'_>> {
    serde_json::from_slice(json).ok()
}

/// Reads an event and the beginning of its object at once: there may be thousands a second.
pub(crate) fn told(json: &[u8]) -> Option<Told<'_>> {
    serde_json::from_slice(json).ok()
}

/// Reads a list, its objects unread.
pub(crate) fn list(json: &[u8]) -> Option<List<'_>> {
    serde_json::from_slice(json).ok()
}

/// The bytes of what has not been read.
pub(crate) fn bytes(value: &RawValue) -> &[u8] {
    value.get().as_bytes()
}
