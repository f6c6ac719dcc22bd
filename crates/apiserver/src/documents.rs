//! Documents for people to look at: bodies and events in other media types and views, and the meaning of their bytes.
//!
//! All of these are pure functions of bytes, and concern no cluster.

mod media_type;

use kinds::conversion;
use std::sync::Arc;
use std::time::Duration;

use http::header::ACCEPT;
use http::{HeaderMap, HeaderValue};
use json_tree::Value;

use crate::chunk::{self, Chunk, Late};
use crate::context::Formats;
use crate::document::{Document, Shape};
use crate::format::MediaTypes;
use crate::negotiate::{self, Offered, Output, View};
use crate::present::{List, Presenter};
use crate::resource::Resource;
use crate::resources::Resources;
use crate::route::{Route, Target};
use crate::{deadline, discovery};
use apimachinery::query::Query;

pub use codec::explain::Range;
pub use media_type::{encode, event_to_json, explain, to_json};

/// Reads or writes a document of a media type.
pub type Convert = fn(Formats, &str, &[u8]) -> Result<Vec<u8>, String>;

/// Represents JSON as a request for a URI with an `Accept` has it, at a time.
pub type Represent = fn(Formats, &str, &str, &[u8], Duration) -> Option<Represented>;

/// The answers to questions about documents, as a table of functions.
#[derive(Clone, Copy)]
pub struct Documents {
    /// See [`to_json`].
    pub to_json: Convert,
    /// See [`event_to_json`].
    pub event_to_json: fn(&str, &[u8]) -> Result<Vec<u8>, String>,
    /// See [`encode`].
    pub encode: Convert,
    /// See [`explain`].
    pub explain: fn(&str, &[u8]) -> Vec<Range>,
    /// See [`represent`].
    pub represent: Represent,
    /// See [`represent_event`].
    pub represent_event: Represent,
}

/// The slot for the code.
pub(crate) static DOCUMENTS: Late<Documents> = Late::new(Chunk::Documents);

impl Documents {
    /// All of it.
    pub const HERE: Self = Self { to_json, event_to_json, encode, explain, represent, represent_event };

    /// For code that is looked for where it was put.
    pub(crate) fn provided() -> Self {
        let Self { to_json, event_to_json, encode, explain, represent, represent_event } = Self::HERE;
        Self {
            to_json: chunk::address(to_json),
            event_to_json: chunk::address(event_to_json),
            encode: chunk::address(encode),
            explain: chunk::address(explain),
            represent: chunk::address(represent),
            represent_event: chunk::address(represent_event),
        }
    }
}

/// An answer in the form that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Represented {
    /// The `Content-Type`.
    pub content_type: &'static str,
    /// The bytes.
    pub body: Vec<u8>,
}

/// Represents `json`, the body of the answer to a request for `uri` (path and query), as `accept` asks for it. `now`,
/// since the Unix epoch, is the time by which things in tables have an age.
///
/// `None`, if there is no such representation of it: a server that speaks all media types would have refused.
pub fn represent(
    formats: Formats,
    uri: &str,
    accept: &str,
    json: &[u8],
    now: Duration,
) -> Option<Represented> {
    let (document, output) = read(formats.media_types, uri, accept, serde_json::from_slice(json).ok()?, now)?;
    let body = output.write(document).ok()?.body;
    Some(Represented { content_type: output.format.name, body })
}

/// Represents `event`, a line of a watch in JSON, as it stands in the watch that `accept` asks for.
///
/// `None`, if there is no such watch.
pub fn represent_event(
    formats: Formats,
    uri: &str,
    accept: &str,
    event: &[u8],
    now: Duration,
) -> Option<Represented> {
    let mut event: Value = serde_json::from_slice(event).ok()?;
    let object = event["object"].take();
    let (document, output) = read(formats.media_types, uri, accept, object, now)?;
    let stream = negotiate::stream(formats.media_types, output).ok()?;
    let object = (output.format.encode)(&document).ok()?;
    let body = (output.format.event)(event["type"].as_str()?, &object);
    Some(Represented { content_type: stream.content_type, body })
}

/// The document that a body is, and how it is to be written.
fn read(
    media_types: MediaTypes,
    uri: &str,
    accept: &str,
    value: Value,
    now: Duration,
) -> Option<(Document, Output)> {
    let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_str(accept).ok()?);
    document(media_types, &Route::of(path, &Resources::builtin()), &headers, &Query::parse(query), value, now)
}

/// The same, as the headers want to see it.
fn document(
    media_types: MediaTypes,
    route: &Route,
    headers: &HeaderMap,
    query: &Query,
    value: Value,
    now: Duration,
) -> Option<(Document, Output)> {
    let failure = value["kind"] == "Status" && value["status"] == "Failure";
    let failed = |of_object| negotiate::failure(media_types, headers, query, of_object);
    let target = match route {
        Route::Resource(target) => target,
        _ if failure => return Some((Document::untyped(&value), failed(false))),
        _ => {
            let output = discovery::output(route, media_types, headers, query).ok()?;
            return Some((Document::untyped(&value), output));
        }
    };
    // What is refused before a handler has looked.
    if failure && (value["code"] == 401 || value["code"] == 405 || deadline::of(query).is_err()) {
        return Some((Document::untyped(&value), failed(false)));
    }
    let offered = if target.name.is_empty() { Offered::Collection } else { Offered::Object };
    negotiate::route(media_types, headers, offered).ok()?;
    let output = negotiate::output(media_types, headers, query, false).ok()?;
    if failure {
        return Some((Document::untyped(&value), failed(true)));
    }
    if target.resource.verbs == ["create"] {
        negotiate::untabled(media_types, output).ok()?;
    }
    if value["kind"] == "Status" {
        return Some((Document::untyped(&value), output));
    }
    let (resource, list) = shown(target, &value)?;
    if output.view == View::Whole {
        let shape =
            resource.ty().map_or(Shape::Untyped, |ty| if list { Shape::List(ty) } else { Shape::Object(ty) });
        return Some((Document { json: codec::json::to_vec(&value), shape }, output));
    }
    let presenter = Presenter::new(&resource, output.view, query, media_types).ok()?;
    let document = if list {
        let items = value["items"].as_array().into_iter().flatten();
        let items: Vec<Vec<u8>> = items.map(|item| stored(&resource, item.clone())).collect();
        let metadata = codec::json::to_vec(&value["metadata"]);
        presenter.list(&List { metadata, items: items.iter().map(Vec::as_slice).collect() }, now)
    } else {
        presenter.object(&stored(&resource, value), now)
    };
    Some((document.ok()?, output))
}

/// Returns the kind of a body, as a resource, and whether it is a list of those.
fn shown(target: &Target, value: &Value) -> Option<(Arc<Resource>, bool)> {
    let kind = value["kind"].as_str()?;
    let (resource, other) = (&target.resource, target.kind());
    match kind {
        _ if kind == resource.list_kind => Some((Arc::clone(resource), true)),
        _ if kind == resource.kind => Some((Arc::clone(resource), false)),
        _ if kind == other.kind => Some((other, false)),
        _ => None,
    }
}

/// The JSON that is stored of an object: without `kind` and `apiVersion`, in the storage version.
fn stored(resource: &Resource, object: Value) -> Vec<u8> {
    let Value::Object(mut object) = object else { return b"{}".to_vec() };
    object.shift_remove("kind");
    object.shift_remove("apiVersion");
    conversion::to_storage(resource, &mut object);
    codec::json::to_vec(&Value::Object(object))
}
