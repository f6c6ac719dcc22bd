//! Stored objects in the form that a client asked for: whole, as a table, or their metadata alone.
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#alternate-representations-of-resources>

use kinds::conversion;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use json_tree::Value;

use crate::clock::Clock;
use crate::document::{Document, Shape};
use crate::format::{MediaTypes, Tables};
use crate::negotiate::View;
use crate::resource::Resource;
use crate::table::{self, IncludeObject};
use crate::{convert, custom, partial};
use apimachinery::object::{Object, metadata_mut, remove_annotation};
use apimachinery::query::Query;
use apimachinery::status::Status;

/// How the objects of a resource are shown.
#[derive(Clone)]
pub(crate) struct Presenter {
    resource: Arc<Resource>,
    view: View,
    include_object: IncludeObject,
    tables: Option<Tables>,
    /// The annotation that is left out of metadata that are shown alone.
    hidden: Option<&'static str>,
}

/// A list to show.
pub(crate) struct List<'a> {
    /// The list's metadata, as compact JSON.
    pub(crate) metadata: Vec<u8>,
    /// The stored JSON of its items.
    pub(crate) items: Vec<&'a [u8]>,
}

impl Presenter {
    /// # Errors
    /// The 400 for what the query wants beside the rows of a table.
    pub(crate) fn new(
        resource: &Arc<Resource>,
        view: View,
        query: &Query,
        formats: MediaTypes,
    ) -> Result<Self, Box<Status>> {
        let include_object = match view {
            View::Table(_) => {
                IncludeObject::parse(query.text("includeObject")).map_err(Status::bad_request)?
            }
            _ => IncludeObject::default(),
        };
        if conversion::is_shown_otherwise(resource) {
            convert::SHOW.get().map_err(Status::internal_error)?;
        }
        let hidden = resource.facts().annotation_in_spec.map(|annotation| annotation.name);
        Ok(Self { resource: Arc::clone(resource), view, include_object, tables: formats.tables, hidden })
    }

    /// One stored object.
    ///
    /// # Errors
    /// The 406 for an object that is asked for as a list.
    pub(crate) fn object(&self, json: &[u8], now: Duration) -> Result<Document, Box<Status>> {
        match self.view {
            View::MetadataList(_) => Err(self.refusal(true, false)),
            _ => Ok(self.item(json, now, false)),
        }
    }

    /// One stored object in an event of a watch. A table has its columns in the first of them only.
    pub(crate) fn event(&self, json: &[u8], clock: &dyn Clock, first: bool) -> Document {
        // The time is of no use but to the ages in a table.
        let now = if self.is_table() { clock.now() } else { Duration::ZERO };
        self.item(json, now, !first)
    }

    /// Returns the view that the presenter shows.
    pub(crate) fn view(&self) -> View {
        self.view
    }

    /// Reports whether the presenter shows tables.
    pub(crate) fn is_table(&self) -> bool {
        matches!(self.view, View::Table(_))
    }

    fn item(&self, json: &[u8], now: Duration, no_headers: bool) -> Document {
        match (self.view, self.tables) {
            (View::Table(version), Some(tables)) => {
                let options =
                    table::Options { version, include_object: self.include_object, no_headers, now };
                if let Some(custom) = self.resource.custom() {
                    let object = tree(&convert::from_storage(&self.resource, json));
                    let metadata = table::custom::metadata_of_one(&object);
                    let columns = &custom.version().columns;
                    return Document::untyped(&(tables.of_custom)(
                        columns,
                        vec![object],
                        &metadata,
                        &options,
                    ));
                }
                Document::untyped(&(tables.of_object)(&self.resource, tree(json), &options))
            }
            (View::Metadata(version) | View::MetadataList(version), _) => {
                Document { json: partial::object(&self.with_metadata(json), version), shape: Shape::Metadata }
            }
            (View::Whole | View::Table(_), _) => {
                let json = whole(&self.resource, json);
                Document { json, shape: self.resource.ty().map_or(Shape::Untyped, Shape::Object) }
            }
        }
    }

    /// A list of stored objects.
    ///
    /// # Errors
    /// The 406 for a list that is asked for as an object.
    pub(crate) fn list(&self, list: &List<'_>, now: Duration) -> Result<Document, Box<Status>> {
        match (self.view, self.tables) {
            (View::Table(version), Some(tables)) => {
                let include_object = self.include_object;
                let options = table::Options { version, include_object, no_headers: false, now };
                let metadata = serde_json::from_slice(&list.metadata).unwrap_or_default();
                if let Some(custom) = self.resource.custom() {
                    let tree = |json: &&[u8]| tree(&convert::from_storage(&self.resource, json));
                    let items = list.items.iter().map(tree).collect();
                    let columns = &custom.version().columns;
                    return Ok(Document::untyped(&(tables.of_custom)(columns, items, &metadata, &options)));
                }
                let items = list.items.iter().map(|json| tree(json)).collect();
                Ok(Document::untyped(&(tables.of_list)(&self.resource, items, metadata, &options)))
            }
            (View::MetadataList(version), _) => {
                let items: Vec<_> = list.items.iter().map(|json| self.with_metadata(json)).collect();
                let json = partial::list(&list.metadata, items.iter().map(AsRef::as_ref), version);
                Ok(Document { json, shape: Shape::MetadataList })
            }
            (View::Metadata(_), _) => Err(self.refusal(false, true)),
            (View::Whole | View::Table(_), _) => Ok(self.whole_list(list)),
        }
    }

    /// The items' own bytes, one after the other.
    fn whole_list(&self, list: &List<'_>) -> Document {
        if self.resource.is_custom() {
            return self.custom_list(list);
        }
        let size: usize = list.items.iter().map(|item| item.len() + 1).sum();
        let (kind, version) = (&self.resource.list_kind, self.resource.api_version());
        let mut json = Vec::with_capacity(size + list.metadata.len() + kind.len() + version.len() + 64);
        write_type(kind, &version, &mut json);
        json.extend_from_slice(b",\"metadata\":");
        json.extend_from_slice(&list.metadata);
        json.extend_from_slice(b",\"items\":[");
        for (index, item) in list.items.iter().enumerate() {
            if index > 0 {
                json.push(b',');
            }
            json.extend_from_slice(&convert::from_storage(&self.resource, item));
        }
        json.extend_from_slice(b"]}");
        Document { json, shape: self.resource.ty().map_or(Shape::Untyped, Shape::List) }
    }

    /// A list of custom objects, whose keys are in the order of the alphabet, and which always says where it goes on.
    fn custom_list(&self, list: &List<'_>) -> Document {
        let mut metadata = tree(&list.metadata);
        metadata.entry("continue").or_insert_with(|| "".into());
        metadata.sort_keys();
        let (kind, version) = (&self.resource.list_kind, self.resource.api_version());
        let size: usize = list.items.iter().map(|item| item.len() + 1).sum();
        let mut json = Vec::with_capacity(size + kind.len() + version.len() + 128);
        json.extend_from_slice(b"{\"apiVersion\":\"");
        json.extend_from_slice(version.as_bytes());
        json.extend_from_slice(b"\",\"items\":[");
        for (index, item) in list.items.iter().enumerate() {
            if index > 0 {
                json.push(b',');
            }
            json.extend_from_slice(&convert::from_storage(&self.resource, item));
        }
        json.extend_from_slice(b"],\"kind\":\"");
        json.extend_from_slice(kind.as_bytes());
        json.extend_from_slice(b"\",\"metadata\":");
        codec::json::write(&Value::Object(metadata), &mut json);
        json.push(b'}');
        Document { json, shape: Shape::Untyped }
    }

    /// A stored object of which the metadata are shown, in the order of their type.
    fn with_metadata<'a>(&self, json: &'a [u8]) -> Cow<'a, [u8]> {
        if !self.resource.is_custom() {
            let Some(annotation) = self.hidden else { return Cow::Borrowed(json) };
            let mut object = tree(json);
            remove_annotation(metadata_mut(&mut object), annotation);
            return Cow::Owned(codec::json::to_vec(&Value::Object(object)));
        }
        let metadata = custom::metadata(&Value::Object(tree(json)));
        Cow::Owned(codec::json::to_vec(&json_tree::json!({ "metadata": metadata })))
    }

    fn refusal(&self, asks_for_list: bool, is_list: bool) -> Box<Status> {
        let why = partial::refusal(&self.resource, asks_for_list, is_list).unwrap_or_default();
        Status::cannot_present(why)
    }
}

/// A stored object in the version of the resource, with its `kind` and `apiVersion`.
pub(crate) fn whole(resource: &Resource, json: &[u8]) -> Vec<u8> {
    let json = convert::from_storage(resource, json);
    match resource.custom() {
        Some(_) => json.into_owned(),
        None => typed(&resource.kind, &resource.api_version(), &json),
    }
}

/// JSON with `kind` and `apiVersion` in front, as Go's structs have them.
pub(crate) fn typed(kind: &str, api_version: &str, json: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len() + kind.len() + api_version.len() + 33);
    write_type(kind, api_version, &mut out);
    if json.len() > 2 {
        out.push(b',');
    }
    out.extend_from_slice(&json[1..]);
    out
}

/// The beginning of an object: its brace, `kind` and `apiVersion`.
fn write_type(kind: &str, api_version: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"kind\":\"");
    out.extend_from_slice(kind.as_bytes());
    out.extend_from_slice(b"\",\"apiVersion\":\"");
    out.extend_from_slice(api_version.as_bytes());
    out.push(b'"');
}

fn tree(json: &[u8]) -> Object {
    match serde_json::from_slice(json) {
        Ok(Value::Object(object)) => object,
        _ => Object::new(),
    }
}
