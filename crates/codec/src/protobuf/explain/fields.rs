//! The fields that field numbers refer to, by the message that contains them.

use std::borrow::Cow;

use schema::{FieldType, Part, Resource, TypeId, Types};

use super::Walker;
use crate::explain::{item, under};
use crate::protobuf::META;
use crate::protobuf::decode::part;

/// The content of a field, or of the whole document.
#[derive(Clone, Copy)]
pub(super) enum Content<'a> {
    /// A scalar or a message that the table of types has.
    Typed(&'a FieldType),
    /// An item of a list, packed or not.
    Repeated(&'a FieldType),
    /// An entry of a map.
    Entry(&'a FieldType),
    Struct(TypeId),
    /// A message embedded in a struct, whose fields stand in JSON on the level of the struct's own fields.
    Embedded(TypeId, &'a [u32]),
    /// One of the messages that are not in the table.
    Small(&'a [Small]),
    /// A document, with its prefix.
    Document,
    /// The message in an envelope.
    Raw,
    /// An object of which there is nothing but the metadata.
    Partial,
    Text,
    Bool,
    Integer,
    /// Nothing is known of it.
    Unknown,
}

/// A field of a message that the table of types does not have: its number, what it is called, where in JSON it stands,
/// whether there may be several, and what is in it.
pub(super) struct Small(
    pub(super) u32,
    pub(super) &'static str,
    pub(super) &'static str,
    pub(super) bool,
    pub(super) Content<'static>,
);

pub(super) const ENVELOPE: &[Small] = &[
    Small(1, "typeMeta", "", false, Content::Small(TYPE_META)),
    Small(2, "raw", "", false, Content::Raw),
    Small(3, "contentEncoding", "", false, Content::Text),
    Small(4, "contentType", "", false, Content::Text),
];
pub(super) const TYPE_META: &[Small] = &[
    Small(1, "apiVersion", "/apiVersion", false, Content::Text),
    Small(2, "kind", "/kind", false, Content::Text),
];
pub(super) const EVENT: &[Small] = &[
    Small(1, "type", "/type", false, Content::Text),
    Small(2, "object", "/object", false, Content::Small(RAW_DOCUMENT)),
];
pub(super) const RAW_DOCUMENT: &[Small] = &[Small(1, "raw", "", false, Content::Document)];
pub(super) const RAW_JSON: &[Small] = &[Small(1, "raw", "", false, Content::Text)];
pub(super) const TIME: &[Small] =
    &[Small(1, "seconds", "", false, Content::Integer), Small(2, "nanos", "", false, Content::Integer)];
pub(super) const DURATION: &[Small] = &[Small(1, "duration", "", false, Content::Integer)];
pub(super) const QUANTITY: &[Small] = &[Small(1, "string", "", false, Content::Text)];
pub(super) const INT_OR_STRING: &[Small] = &[
    Small(1, "type", "", false, Content::Integer),
    Small(2, "intVal", "", false, Content::Integer),
    Small(3, "strVal", "", false, Content::Text),
];
pub(super) const STRINGS: &[Small] = &[Small(1, "items", "", true, Content::Text)];

/// The type of the message in a document.
#[derive(Clone, Copy)]
pub(super) enum Root {
    Object(TypeId),
    /// `metadata` and objects.
    List(TypeId),
    /// Metadata alone, of an object or of a list of those.
    Metadata,
    MetadataList,
    Unknown,
}

impl Root {
    pub(super) fn of(types: &Types, api_version: &str, kind: &str) -> Self {
        let version = |row: &&std::sync::Arc<Resource>| row.api_version() == api_version;
        if api_version.starts_with("meta.k8s.io/") {
            match kind {
                "PartialObjectMetadata" => return Self::Metadata,
                "PartialObjectMetadataList" => return Self::MetadataList,
                _ => {}
            }
        }
        let mut package = None;
        for row in schema::resources().iter().filter(version) {
            let Some(ty) = row.ty() else { continue };
            if row.kind == kind {
                return Self::Object(ty);
            }
            if row.list_kind == kind {
                return Self::List(ty);
            }
            package = package.or(Some(types.get(ty).package.as_str()));
        }
        // What has no resource of its own, as scales, and what belongs to all versions, as a Status.
        let found = package.and_then(|package| types.find(package, kind)).or_else(|| types.find(META, kind));
        found.map_or(Self::Unknown, Self::Object)
    }
}

/// A field that a tag leads to.
pub(super) struct Found<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) content: Content<'a>,
    /// The path of the field in JSON.
    pub(super) path: String,
}

impl<'a> Walker<'a> {
    /// Returns the field of a message with this number, at its occurrence `index`.
    pub(super) fn field(
        &self,
        of: Content<'a>,
        number: u32,
        index: usize,
        next: &mut usize,
        path: &str,
        key: &[u8],
    ) -> Option<Found<'a>> {
        let fixed = |name: &'static str, content: Content<'a>, path: String| {
            Some(Found { name: Cow::Borrowed(name), content, path })
        };
        match of {
            Content::Struct(id) => self.of_struct(id, &[], number, index, next, path),
            Content::Embedded(id, within) => self.of_struct(id, within, number, index, next, path),
            Content::Small(fields) => {
                let Small(_, name, suffix, repeated, content) =
                    fields.iter().find(|field| field.0 == number)?;
                let path = [path, suffix].concat();
                fixed(name, *content, if *repeated { item(&path, index) } else { path })
            }
            Content::Entry(ty) => {
                let path = under(path, &String::from_utf8_lossy(key));
                match number {
                    1 => fixed("key", Content::Text, path),
                    2 => fixed("value", Content::Typed(ty), path),
                    _ => None,
                }
            }
            Content::Raw => {
                let items = || item(&under(path, "items"), index);
                match (self.root, number) {
                    (Root::Metadata, 1) => {
                        fixed("metadata", self.meta("ObjectMeta"), under(path, "metadata"))
                    }
                    (Root::List(_) | Root::MetadataList, 1) => {
                        fixed("metadata", self.meta("ListMeta"), under(path, "metadata"))
                    }
                    (Root::List(ty), 2) => fixed("items", Content::Struct(ty), items()),
                    (Root::MetadataList, 2) => fixed("items", Content::Partial, items()),
                    _ => None,
                }
            }
            Content::Partial if number == 1 => {
                fixed("metadata", self.meta("ObjectMeta"), under(path, "metadata"))
            }
            Content::Typed(ty) | Content::Repeated(ty) => self.of_type(ty, number, index, next, path),
            _ => None,
        }
    }

    /// A type of package `meta/v1`.
    fn meta(&self, name: &str) -> Content<'a> {
        self.types.find(META, name).map_or(Content::Unknown, Content::Struct)
    }

    fn of_type(
        &self,
        ty: &'a FieldType,
        number: u32,
        index: usize,
        next: &mut usize,
        path: &str,
    ) -> Option<Found<'a>> {
        let small = match ty {
            FieldType::Struct(id) => return self.of_struct(*id, &[], number, index, next, path),
            FieldType::SchemaOrArray(id) | FieldType::SchemaOrBool(id) | FieldType::SchemaOrStrings(id) => {
                let schema = Content::Struct(*id);
                let (name, content, path) = match (ty, number) {
                    (FieldType::SchemaOrBool(_), 1) => ("allows", Content::Bool, path.to_owned()),
                    (FieldType::SchemaOrBool(_), 2) => ("schema", schema, path.to_owned()),
                    (FieldType::SchemaOrBool(_), _) => return None,
                    (_, 1) => ("schema", schema, path.to_owned()),
                    (FieldType::SchemaOrArray(_), 2) => ("jSONSchemas", schema, item(path, index)),
                    (_, 2) => ("property", Content::Text, item(path, index)),
                    _ => return None,
                };
                return Some(Found { name: Cow::Borrowed(name), content, path });
            }
            FieldType::Time | FieldType::MicroTime => TIME,
            FieldType::Duration => DURATION,
            FieldType::Quantity => QUANTITY,
            FieldType::IntOrString => INT_OR_STRING,
            FieldType::Any | FieldType::FieldsV1 => RAW_JSON,
            FieldType::Strings => STRINGS,
            _ => return None,
        };
        self.field(Content::Small(small), number, index, next, path, &[])
    }

    fn of_struct(
        &self,
        id: TypeId,
        within: &[u32],
        number: u32,
        index: usize,
        next: &mut usize,
        path: &str,
    ) -> Option<Found<'a>> {
        let ty = self.types.get(id);
        match part(ty.parts(within), number, next)? {
            Part::Field(place) => {
                let field = &ty.fields[usize::from(place)];
                let path = under(path, &field.name);
                let (content, path) = match &field.ty {
                    FieldType::List(inner) => (Content::Repeated(inner), item(&path, index)),
                    FieldType::Map(inner) => (Content::Entry(inner), path),
                    ty => (Content::Typed(ty), path),
                };
                Some(Found { name: Cow::Borrowed(&field.name), content, path })
            }
            Part::Embedded(place) => {
                let embedded = &ty.embedded[usize::from(place)];
                Some(Found {
                    name: Cow::Borrowed(self.types.get(embedded.ty).short_name()),
                    content: Content::Embedded(id, &embedded.path),
                    path: path.to_owned(),
                })
            }
        }
    }
}
