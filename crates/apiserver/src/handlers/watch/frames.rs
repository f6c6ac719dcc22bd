//! The events of a watch as its stream carries them.

use std::sync::Arc;

use bytes::Bytes;
use json_tree::Value;
use schema::Types;
use store::Revision;

use crate::clock::Clock;
use crate::document::Document;
use crate::format::Format;
use crate::negotiate::View;
use crate::present::Presenter;
use crate::registry;
use crate::resource::Resource;
use crate::watch_cache::window::{CacheEvent, FrameKey};
use apimachinery::object::{METADATA_ORDER, Object, metadata_mut, set_in_order, sort};
use apimachinery::status::Status;
use apimachinery::typed_object::insert_sorted;
use protocol::trace::EventType;

/// The annotation of the bookmark that ends the initial events.
const INITIAL_EVENTS_END: &str = "k8s.io/initial-events-end";

/// Writes the events of one watch.
pub(super) struct Frames {
    resource: Arc<Resource>,
    presenter: Presenter,
    format: &'static Format,
    /// True as long as no object has been shown.
    first: bool,
}

impl Frames {
    pub(super) fn new(resource: &Arc<Resource>, presenter: Presenter, format: &'static Format) -> Self {
        Self { resource: Arc::clone(resource), presenter, format, first: true }
    }

    /// An event of the cache, or the one that is to be shown in its place. Watches of the same collection that are shown the same share
    /// the bytes.
    pub(super) fn event(
        &mut self,
        verdict: Option<EventType>,
        event: &mut CacheEvent,
        shown: Option<&CacheEvent>,
        clock: &dyn Clock,
    ) -> Bytes {
        // A table tells ages, and its first row has the columns.
        if self.presenter.is_table() {
            return self.make(verdict, shown.unwrap_or(event), clock);
        }
        let key = FrameKey {
            kind: name(verdict),
            format: self.format.name,
            view: self.presenter.view(),
            resource: Arc::as_ptr(&self.resource).addr(),
        };
        if let Some(frame) = event.frame(key) {
            return frame;
        }
        let frame = self.make(verdict, shown.unwrap_or(event), clock);
        event.keep(key, frame.clone());
        frame
    }

    fn make(&mut self, verdict: Option<EventType>, event: &CacheEvent, clock: &dyn Clock) -> Bytes {
        match (&event.object, &event.previous) {
            // What is gone is shown as it was, with the version at which it went.
            (_, Some(previous)) if verdict == Some(EventType::Deleted) => {
                self.object(verdict, &previous.json_at(event.revision), clock)
            }
            (Some(object), _) => self.object(verdict, &object.json, clock),
            // There is always one or the other.
            (None, _) => Bytes::new(),
        }
    }

    /// An event about an object, of which this is the stored JSON.
    pub(super) fn object(&mut self, verdict: Option<EventType>, json: &[u8], clock: &dyn Clock) -> Bytes {
        let document = self.presenter.event(json, clock, self.first);
        self.first = false;
        self.frame(name(verdict), &document)
    }

    /// A bookmark carries an empty object of the kind, at a version up to which nothing was missed.
    ///
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#watch-bookmarks>
    pub(super) fn bookmark(&mut self, revision: Revision, ends_initial: bool, clock: &dyn Clock) -> Bytes {
        let kind = self.resource.facts();
        let zero = registry::stored_type(&self.resource).map(|ty| schema::zero(Types::builtin(), ty));
        let mut object = match zero {
            Some(Value::Object(object)) => object,
            _ => Object::new(),
        };
        if kind.counts_replicas
            && let Some(Value::Object(spec)) = object.get_mut("spec")
        {
            spec.shift_insert(0, "replicas".to_owned(), 0.into());
        }
        let custom = self.resource.is_custom();
        if custom {
            object.insert("apiVersion".to_owned(), self.resource.api_version().into());
            object.insert("kind".to_owned(), self.resource.kind.as_str().into());
        }
        let metadata = metadata_mut(&mut object);
        set_in_order(metadata, "resourceVersion", revision.to_string().into(), METADATA_ORDER);
        let mut annotations = Object::new();
        if let Some(annotation) = kind.annotation_in_spec
            && let Some(value) = annotation.in_empty
        {
            insert_sorted(&mut annotations, annotation.name, value.into());
        }
        if ends_initial {
            insert_sorted(&mut annotations, INITIAL_EVENTS_END, "true".into());
        }
        if !annotations.is_empty() {
            set_in_order(metadata, "annotations", annotations.into(), METADATA_ORDER);
        }
        if custom && self.presenter.view() == View::Whole {
            sort(&mut object);
            return self.frame(name(Some(EventType::Bookmark)), &Document::untyped(&Value::Object(object)));
        }
        self.object(Some(EventType::Bookmark), &codec::json::to_vec(&Value::Object(object)), clock)
    }

    /// Returns the frame of an error: a bare `Status`, whatever the objects are shown as.
    pub(super) fn error(&self, status: &Status) -> Bytes {
        self.frame(name(Some(EventType::Error)), &Document::untyped(&status.to_value()))
    }

    /// An event around a document. One that the media type cannot hold is sent as the error that it is.
    fn frame(&self, kind: &str, document: &Document) -> Bytes {
        let frame = match self.format.write(document) {
            Ok(object) => (self.format.event)(kind, &object),
            Err(why) => {
                let status = Document::untyped(&Status::unclassified(why).to_value());
                let object = (self.format.encode)(&status).unwrap_or_default();
                (self.format.event)(name(Some(EventType::Error)), &object)
            }
        };
        Bytes::from(frame)
    }
}

/// The type of the event that says it.
fn name(verdict: Option<EventType>) -> &'static str {
    match verdict {
        Some(sent) => sent.name(),
        None => EventType::Error.name(),
    }
}
