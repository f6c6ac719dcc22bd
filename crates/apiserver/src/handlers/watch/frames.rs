//! The events of a watch as its stream carries them.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use schema::{Resource, Types};
use serde_json::{Value, json};
use store::Revision;

use crate::document::Document;
use crate::format::Format;
use crate::present::Presenter;
use crate::registry;
use crate::status::Status;
use crate::storage::{METADATA_ORDER, Object, metadata_mut, set_in_order};

/// The annotation of the bookmark that ends the initial events.
const INITIAL_EVENTS_END: &str = "k8s.io/initial-events-end";

/// Writes the events of one watch.
pub(super) struct Frames {
    resource: Arc<Resource>,
    presenter: Presenter,
    format: &'static Format,
    /// Whether no object has been shown yet.
    first: bool,
}

impl Frames {
    pub(super) fn new(resource: &Arc<Resource>, presenter: Presenter, format: &'static Format) -> Self {
        Self { resource: Arc::clone(resource), presenter, format, first: true }
    }

    /// An event about an object, of which this is the stored JSON.
    pub(super) fn object(&mut self, kind: &str, json: &[u8], now: Duration) -> Bytes {
        let document = self.presenter.event(json, now, self.first);
        self.first = false;
        self.event(kind, &document)
    }

    /// A bookmark carries an empty object of the kind, at a version up to which nothing was missed.
    ///
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#watch-bookmarks>
    pub(super) fn bookmark(&mut self, revision: Revision, ends_initial: bool, now: Duration) -> Bytes {
        let zero = registry::stored_type(&self.resource).map(|ty| schema::zero(Types::builtin(), ty));
        let mut object = match zero {
            Some(Value::Object(object)) => object,
            _ => Object::new(),
        };
        let metadata = metadata_mut(&mut object);
        set_in_order(metadata, "resourceVersion", revision.to_string().into(), METADATA_ORDER);
        if ends_initial {
            set_in_order(metadata, "annotations", json!({ INITIAL_EVENTS_END: "true" }), METADATA_ORDER);
        }
        self.object("BOOKMARK", &codec::json::to_vec(&Value::Object(object)), now)
    }

    /// What went wrong: a bare `Status`, whatever the objects are shown as.
    pub(super) fn error(&self, status: &Status) -> Bytes {
        self.event("ERROR", &Document::untyped(&status.to_value()))
    }

    /// An event around a document. One that the media type cannot hold is sent as the error that it is.
    fn event(&self, kind: &str, document: &Document) -> Bytes {
        let (kind, object) = match (self.format.encode)(document) {
            Ok(object) => (kind, object),
            Err(why) => {
                let status = Document::untyped(&Status::unclassified(why).to_value());
                ("ERROR", (self.format.encode)(&status).unwrap_or_default())
            }
        };
        Bytes::from((self.format.event)(kind, &object))
    }
}
