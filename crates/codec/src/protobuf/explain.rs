//! What each byte of a document in Protobuf is.
//! See <https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding>.

use std::borrow::Cow;

use schema::{FieldType, Resource, TypeId, Types};

use super::envelope::{PREFIX, open};
use super::parse::{MAX_DEPTH, Target, target};
use super::wire::{BYTES, FIXED64, Reader, Tag, VARINT};
use super::{Error, META, scalar};
use crate::explain::{Kind, Range, Ranges, Stop, counted, item, name, number, text, under};

/// What is in a field, or in the whole.
#[derive(Clone, Copy)]
enum Content<'a> {
    /// A scalar or a message that the table of types has.
    Typed(&'a FieldType),
    /// An item of a list, packed or not.
    Repeated(&'a FieldType),
    /// An entry of a map.
    Entry(&'a FieldType),
    Struct(TypeId),
    /// What is embedded in a struct: messages in JSON's own level.
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
struct Small(u32, &'static str, &'static str, bool, Content<'static>);

const ENVELOPE: &[Small] = &[
    Small(1, "typeMeta", "", false, Content::Small(TYPE_META)),
    Small(2, "raw", "", false, Content::Raw),
    Small(3, "contentEncoding", "", false, Content::Text),
    Small(4, "contentType", "", false, Content::Text),
];
const TYPE_META: &[Small] = &[
    Small(1, "apiVersion", "/apiVersion", false, Content::Text),
    Small(2, "kind", "/kind", false, Content::Text),
];
const EVENT: &[Small] = &[
    Small(1, "type", "/type", false, Content::Text),
    Small(2, "object", "/object", false, Content::Small(RAW_DOCUMENT)),
];
const RAW_DOCUMENT: &[Small] = &[Small(1, "raw", "", false, Content::Document)];
const RAW_JSON: &[Small] = &[Small(1, "raw", "", false, Content::Text)];
const TIME: &[Small] =
    &[Small(1, "seconds", "", false, Content::Integer), Small(2, "nanos", "", false, Content::Integer)];
const DURATION: &[Small] = &[Small(1, "duration", "", false, Content::Integer)];
const QUANTITY: &[Small] = &[Small(1, "string", "", false, Content::Text)];
const INT_OR_STRING: &[Small] = &[
    Small(1, "type", "", false, Content::Integer),
    Small(2, "intVal", "", false, Content::Integer),
    Small(3, "strVal", "", false, Content::Text),
];
const STRINGS: &[Small] = &[Small(1, "items", "", true, Content::Text)];

/// The wire types, by their numbers.
const WIRE_TYPES: [&str; 8] = [
    "varint",
    "64 bits",
    "length-delimited",
    "group",
    "end of a group",
    "32 bits",
    "not in use",
    "not in use",
];

/// Explains a document, or with `frames` the events of a watch in Protobuf, one after the other.
pub fn explain(types: &Types, bytes: &[u8], frames: bool) -> Vec<Range> {
    let mut walker = Walker { types, bytes, ranges: Ranges::default(), root: Root::Unknown };
    // Where it stops has been noted.
    let _ = if frames { walker.frames() } else { walker.document(0, bytes.len(), 0, "") };
    walker.ranges.finish(bytes.len())
}

/// What the message of a document is.
#[derive(Clone, Copy)]
enum Root {
    Object(TypeId),
    /// `metadata` and objects.
    List(TypeId),
    /// Metadata alone, of an object or of a list of those.
    Metadata,
    MetadataList,
    Unknown,
}

impl Root {
    fn of(types: &Types, api_version: &str, kind: &str) -> Self {
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
            let Some(ty) = row.ty else { continue };
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
struct Found<'a> {
    name: Cow<'a, str>,
    content: Content<'a>,
    /// Where in JSON it stands.
    path: String,
}

struct Walker<'a> {
    types: &'a Types,
    bytes: &'a [u8],
    ranges: Ranges,
    /// Of the document that is being explained.
    root: Root,
}

impl<'a> Walker<'a> {
    fn frames(&mut self) -> Result<(), Stop> {
        let mut at = 0;
        while at < self.bytes.len() {
            let Some(length) = self.bytes.get(at..at + 4) else {
                return self.ranges.broken((at, self.bytes.len()), 0, &Error::End.to_string(), "");
            };
            let length = length.iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
            let (start, end) = (at + 4, at.saturating_add(4).saturating_add(length));
            let what = ["frame: the next ", &counted(length, "byte", ""), " are an event"].concat();
            self.ranges.push((at, start), 0, Kind::Frame, what, "")?;
            if end > self.bytes.len() {
                let _ = self.message(Content::Small(EVENT), start, self.bytes.len(), 0, "");
                return Err(Stop);
            }
            self.message(Content::Small(EVENT), start, end, 0, "")?;
            at = end;
        }
        Ok(())
    }

    fn document(&mut self, start: usize, end: usize, depth: usize, path: &str) -> Result<(), Stop> {
        let bytes = &self.bytes[start..end];
        if !bytes.starts_with(&PREFIX) {
            let why = if bytes.is_empty() { Error::Empty } else { Error::Prefix };
            return self.ranges.broken((start, end), depth, &why.to_string(), path);
        }
        let begin = start + PREFIX.len();
        let what = "magic: `k8s` and a zero byte, what every document in Protobuf begins with";
        self.ranges.push((start, begin), depth, Kind::Magic, what.to_owned(), path)?;
        // What is broken further back does not hide what kind it says to be.
        let kind = open(bytes).map(|envelope| (envelope.api_version, envelope.kind));
        let kind = kind.unwrap_or_else(|_| self.kind_of(begin, end));
        self.root = Root::of(self.types, &kind.0, &kind.1);
        self.message(Content::Small(ENVELOPE), begin, end, depth, path)
    }

    /// What kind an envelope says that is not whole.
    fn kind_of(&self, start: usize, end: usize) -> (Cow<'a, str>, Cow<'a, str>) {
        let mut reader = Reader::new(&self.bytes[start..end]);
        match (reader.tag(String::new), reader.bytes()) {
            (Ok(Some(Tag { number: 1, wire_type: BYTES })), Ok(bytes)) => {
                let whole = [&PREFIX[..], &[0x0a, bytes.len() as u8], bytes].concat();
                let found = open(&whole).map(|envelope| {
                    let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
                    (owned(envelope.api_version), owned(envelope.kind))
                });
                found.unwrap_or_default()
            }
            _ => <(Cow<'a, str>, Cow<'a, str>)>::default(),
        }
    }

    /// The fields of a message.
    fn message(
        &mut self,
        of: Content<'a>,
        start: usize,
        end: usize,
        depth: usize,
        path: &str,
    ) -> Result<(), Stop> {
        if depth > MAX_DEPTH {
            return self.ranges.broken((start, end), depth, &Error::Depth.to_string(), path);
        }
        let key = if let Content::Entry(_) = of { self.key(start, end) } else { &[] };
        let mut counts: Vec<(u32, usize)> = Vec::new();
        let mut next = 0;
        let mut at = start;
        while at < end {
            let mut reader = Reader::new(&self.bytes[at..end]);
            let tag = match reader.tag(|| "field".to_owned()) {
                Ok(Some(tag)) => tag,
                Ok(None) => break,
                Err(why) => return self.ranges.broken((at, end), depth, &why.to_string(), path),
            };
            let value = end - reader.left();
            let place = counts.iter().position(|(number, _)| *number == tag.number).unwrap_or_else(|| {
                counts.push((tag.number, 0));
                counts.len() - 1
            });
            let index = counts[place].1;
            counts[place].1 += 1;
            let found = self.field(of, tag.number, index, &mut next, path, key);
            at = self.one(tag, found, (at, value, end), depth, path)?;
        }
        Ok(())
    }

    /// One field, which begins at `at`, whose tag ends at `value`, in a message that ends at `end`; gives where it ends.
    fn one(
        &mut self,
        tag: Tag,
        found: Option<Found<'a>>,
        (at, value, end): (usize, usize, usize),
        depth: usize,
        path: &str,
    ) -> Result<usize, Stop> {
        let wire = usize::from(tag.wire_type);
        let number_of = number("field", tag.number);
        let (called, label, content, path) = match found {
            Some(found) => (name(&found.name), found.name, found.content, found.path),
            None => {
                let label = Cow::Owned(number_of.clone());
                ("of no name in the schema".to_owned(), label, Content::Unknown, path.to_owned())
            }
        };
        let wired = [", wire type ", &wire.to_string(), " (", WIRE_TYPES[wire], ")"].concat();
        let what = [&number_of, " ", &called, &wired].concat();
        let field = self.ranges.push((at, end), depth, Kind::Field, what, &path)?;
        self.ranges.label(field, &label);
        let inside = depth + 1;
        let what = ["tag: ", &number_of, ", ", &called, &wired].concat();
        self.ranges.push((at, value), inside, Kind::Tag, what, &path)?;
        let mut reader = Reader::new(&self.bytes[value..end]);
        match tag.wire_type {
            VARINT => {
                let bits = match reader.varint() {
                    Ok(bits) => bits,
                    Err(why) => {
                        return self
                            .ranges
                            .broken((value, end), inside, &why.to_string(), &path)
                            .map(|()| end);
                    }
                };
                let behind = end - reader.left();
                let shown = varint(content, bits);
                self.ranges.value(field, &shown);
                self.ranges.end(field, behind);
                self.ranges.push((value, behind), inside, Kind::Number, number("number", shown), &path)?;
                Ok(behind)
            }
            BYTES => {
                let length = match reader.varint() {
                    Ok(length) => length,
                    Err(why) => {
                        return self
                            .ranges
                            .broken((value, end), inside, &why.to_string(), &path)
                            .map(|()| end);
                    }
                };
                let from = end - reader.left();
                let long = usize::try_from(length).unwrap_or(usize::MAX);
                let sized = counted(long, "byte", "");
                self.ranges.add(field, &[", ", &sized].concat());
                self.ranges.push(
                    (value, from),
                    inside,
                    Kind::Length,
                    ["length: ", &sized].concat(),
                    &path,
                )?;
                let behind = from.saturating_add(long);
                if behind > end {
                    let left = counted(end - from, "byte", "");
                    let why = [&Error::End.to_string(), ": ", &sized, " are announced, ", &left, " are left"]
                        .concat();
                    return self.ranges.broken((from, end), inside, &why, &path).map(|()| end);
                }
                self.ranges.end(field, behind);
                self.delimited(field, content, (from, behind), inside, &path)?;
                Ok(behind)
            }
            wire_type => {
                if let Err(why) = reader.skip(tag) {
                    return self.ranges.broken((value, end), inside, &why.to_string(), &path).map(|()| end);
                }
                let behind = end - reader.left();
                let what = if wire_type == FIXED64 {
                    let mut reader = Reader::new(&self.bytes[value..behind]);
                    let float = f64::from_bits(reader.fixed64().unwrap_or_default());
                    let shown = serde_json::Number::from_f64(float)
                        .map_or_else(|| "which is not finite".to_owned(), |float| float.to_string());
                    self.ranges.value(field, &shown);
                    number("number", shown)
                } else {
                    "a value that no field of Kubernetes has".to_owned()
                };
                self.ranges.end(field, behind);
                self.ranges.push((value, behind), inside, Kind::Number, what, &path)?;
                Ok(behind)
            }
        }
    }

    /// What a length announces.
    fn delimited(
        &mut self,
        field: usize,
        content: Content<'a>,
        (start, end): (usize, usize),
        depth: usize,
        path: &str,
    ) -> Result<(), Stop> {
        let bytes = &self.bytes[start..end];
        let content = match content {
            Content::Repeated(ty) if scalar::wire_type(ty) == BYTES => Content::Typed(ty),
            content => content,
        };
        match content {
            Content::Document => self.document(start, end, depth, path),
            Content::Raw => match self.root {
                Root::Object(ty) => self.message(Content::Struct(ty), start, end, depth, path),
                Root::Unknown => self.text(field, (start, end), depth, path, &text(bytes)),
                _ => self.message(Content::Raw, start, end, depth, path),
            },
            Content::Entry(_) => {
                let key = String::from_utf8_lossy(self.key(start, end));
                self.ranges.add(field, &[", entry ", &name(&key)].concat());
                self.ranges.place(field, &under(path, &key));
                self.message(content, start, end, depth, path)
            }
            Content::Struct(_) | Content::Embedded(..) | Content::Small(_) | Content::Partial => {
                self.message(content, start, end, depth, path)
            }
            Content::Typed(FieldType::Bytes) => {
                self.text(field, (start, end), depth, path, &[&text(bytes), ", in JSON Base64"].concat())
            }
            Content::Typed(ty) if scalar::is_message(ty) => {
                // The value that JSON has in one piece.
                if let Ok(node) = scalar::parse(ty, bytes)
                    && let schema::Node::String(value) | schema::Node::Number(value) = node
                {
                    self.ranges.value(field, &text(value.as_bytes()));
                }
                self.message(content, start, end, depth, path)
            }
            Content::Repeated(_) => {
                let what = counted(bytes.len(), "byte", "numbers that are packed");
                self.ranges.push((start, end), depth, Kind::Number, what, path).map(drop)
            }
            _ => self.text(field, (start, end), depth, path, &text(bytes)),
        }
    }

    fn text(
        &mut self,
        field: usize,
        (start, end): (usize, usize),
        depth: usize,
        path: &str,
        shown: &str,
    ) -> Result<(), Stop> {
        self.ranges.value(field, shown);
        if start == end {
            return Ok(());
        }
        self.ranges.push((start, end), depth, Kind::Text, ["text ", shown].concat(), path).map(drop)
    }

    /// The key of a map's entry, which says where its value stands.
    fn key(&self, start: usize, end: usize) -> &'a [u8] {
        let mut reader = Reader::new(&self.bytes[start..end]);
        while let Ok(Some(tag)) = reader.tag(String::new) {
            if tag.number == 1 && tag.wire_type == BYTES {
                return reader.bytes().unwrap_or_default();
            }
            if reader.skip(tag).is_err() {
                break;
            }
        }
        &[]
    }

    /// What a number leads to in a message, the `index`th time that it is there.
    fn field(
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
        match target(ty, within, number, next)? {
            Target::Field(place) => {
                let field = &ty.fields[place];
                let path = under(path, &field.name);
                let (content, path) = match &field.ty {
                    FieldType::List(inner) => (Content::Repeated(inner), item(&path, index)),
                    FieldType::Map(inner) => (Content::Entry(inner), path),
                    ty => (Content::Typed(ty), path),
                };
                Some(Found { name: Cow::Borrowed(&field.name), content, path })
            }
            Target::Embedded(place) => {
                let embedded = &ty.embedded[place];
                Some(Found {
                    name: Cow::Borrowed(self.types.get(embedded.ty).short_name()),
                    content: Content::Embedded(id, &embedded.path),
                    path: path.to_owned(),
                })
            }
        }
    }
}

/// A number as the field's type has it.
fn varint(content: Content<'_>, bits: u64) -> String {
    match content {
        Content::Bool | Content::Typed(FieldType::Bool) | Content::Repeated(FieldType::Bool) => {
            (bits != 0).to_string()
        }
        Content::Typed(FieldType::Int32) | Content::Repeated(FieldType::Int32) => (bits as i32).to_string(),
        _ => (bits as i64).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::explain::lines;
    use crate::protobuf::{Shape, frame, write, write_list};

    const CONFIG_MAP: &[u8] = b"k8s\0\x0a\x0f\x0a\x02v1\x12\x09ConfigMap\x12\x10\x0a\x03\x0a\x01a\x12\x09\x0a\x01k\x12\x04a\xffbc\x1a\0\"\0";

    fn core(kind: &str) -> TypeId {
        Types::builtin().find("k8s.io/api/core/v1", kind).unwrap()
    }

    fn document(kind: &str, value: &Value) -> Vec<u8> {
        let mut out = Vec::new();
        write(Types::builtin(), Shape::Object(core(kind)), "v1", kind, value, &mut out);
        out
    }

    #[track_caller]
    fn check(bytes: &[u8], frames: bool, expected: &[&str]) {
        let lines = lines(&explain(Types::builtin(), bytes, frames));
        assert_eq!(lines, expected, "{lines:#?}");
    }

    /// The fields alone: where they stand in JSON, and what they are called.
    #[track_caller]
    fn check_fields(bytes: &[u8], frames: bool, expected: &[&str]) {
        let ranges = explain(Types::builtin(), bytes, frames);
        let fields = ranges.iter().filter(|range| range.kind == Kind::Field);
        let fields: Vec<_> = fields.map(|range| [&range.path, " ", &range.label].concat()).collect();
        let found: Vec<_> = fields.iter().map(String::as_str).collect();
        for expected in expected {
            assert!(found.contains(expected), "{expected} is not in {found:#?}");
        }
    }

    #[test]
    fn explains_envelope_tags_lengths_and_values() {
        check(
            CONFIG_MAP,
            false,
            &[
                "0-4 magic  | magic: `k8s` and a zero byte, what every document in Protobuf begins with",
                "4-21 field  | field 1 `typeMeta`, wire type 2 (length-delimited), 15 bytes | typeMeta",
                "  4-5 tag  | tag: field 1, `typeMeta`, wire type 2 (length-delimited)",
                "  5-6 length  | length: 15 bytes",
                "  6-10 field /apiVersion | field 1 `apiVersion`, wire type 2 (length-delimited), 2 bytes: \"v1\" | apiVersion: \"v1\"",
                "    6-7 tag /apiVersion | tag: field 1, `apiVersion`, wire type 2 (length-delimited)",
                "    7-8 length /apiVersion | length: 2 bytes",
                "    8-10 text /apiVersion | text \"v1\"",
                "  10-21 field /kind | field 2 `kind`, wire type 2 (length-delimited), 9 bytes: \"ConfigMap\" | kind: \"ConfigMap\"",
                "    10-11 tag /kind | tag: field 2, `kind`, wire type 2 (length-delimited)",
                "    11-12 length /kind | length: 9 bytes",
                "    12-21 text /kind | text \"ConfigMap\"",
                "21-39 field  | field 2 `raw`, wire type 2 (length-delimited), 16 bytes | raw",
                "  21-22 tag  | tag: field 2, `raw`, wire type 2 (length-delimited)",
                "  22-23 length  | length: 16 bytes",
                "  23-28 field /metadata | field 1 `metadata`, wire type 2 (length-delimited), 3 bytes | metadata",
                "    23-24 tag /metadata | tag: field 1, `metadata`, wire type 2 (length-delimited)",
                "    24-25 length /metadata | length: 3 bytes",
                "    25-28 field /metadata/name | field 1 `name`, wire type 2 (length-delimited), 1 byte: \"a\" | name: \"a\"",
                "      25-26 tag /metadata/name | tag: field 1, `name`, wire type 2 (length-delimited)",
                "      26-27 length /metadata/name | length: 1 byte",
                "      27-28 text /metadata/name | text \"a\"",
                "  28-39 field /data/k | field 2 `data`, wire type 2 (length-delimited), 9 bytes, entry `k` | data",
                "    28-29 tag /data | tag: field 2, `data`, wire type 2 (length-delimited)",
                "    29-30 length /data | length: 9 bytes",
                "    30-33 field /data/k | field 1 `key`, wire type 2 (length-delimited), 1 byte: \"k\" | key: \"k\"",
                "      30-31 tag /data/k | tag: field 1, `key`, wire type 2 (length-delimited)",
                "      31-32 length /data/k | length: 1 byte",
                "      32-33 text /data/k | text \"k\"",
                "    33-39 field /data/k | field 2 `value`, wire type 2 (length-delimited), 4 bytes: 4 bytes, no text | value: 4 bytes, no text",
                "      33-34 tag /data/k | tag: field 2, `value`, wire type 2 (length-delimited)",
                "      34-35 length /data/k | length: 4 bytes",
                "      35-39 text /data/k | text 4 bytes, no text",
                "39-41 field  | field 3 `contentEncoding`, wire type 2 (length-delimited), 0 bytes: \"\" | contentEncoding: \"\"",
                "  39-40 tag  | tag: field 3, `contentEncoding`, wire type 2 (length-delimited)",
                "  40-41 length  | length: 0 bytes",
                "41-43 field  | field 4 `contentType`, wire type 2 (length-delimited), 0 bytes: \"\" | contentType: \"\"",
                "  41-42 tag  | tag: field 4, `contentType`, wire type 2 (length-delimited)",
                "  42-43 length  | length: 0 bytes",
            ],
        );
    }

    #[test]
    fn explains_up_to_where_it_breaks() {
        check(b"", false, &[]);
        check(
            b"{}",
            false,
            &[
                "0-2 broken  | broken from here on: provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
            ],
        );
        check(
            b"k8s\0\x12\x7fab",
            false,
            &[
                "0-4 magic  | magic: `k8s` and a zero byte, what every document in Protobuf begins with",
                "4-8 field  | field 2 `raw`, wire type 2 (length-delimited), 127 bytes | raw",
                "  4-5 tag  | tag: field 2, `raw`, wire type 2 (length-delimited)",
                "  5-6 length  | length: 127 bytes",
                "  6-8 broken  | broken from here on: unexpected EOF: 127 bytes are announced, 2 bytes are left",
            ],
        );
        check(
            b"k8s\0\x0a\x01\x07\x1a\0",
            false,
            &[
                "0-4 magic  | magic: `k8s` and a zero byte, what every document in Protobuf begins with",
                "4-7 field  | field 1 `typeMeta`, wire type 2 (length-delimited), 1 byte | typeMeta",
                "  4-5 tag  | tag: field 1, `typeMeta`, wire type 2 (length-delimited)",
                "  5-6 length  | length: 1 byte",
                "  6-7 broken  | broken from here on: proto: field: illegal tag 0 (wire type 7)",
                "7-9 rest  | 2 bytes, not looked at",
            ],
        );
    }

    #[test]
    fn follows_the_schema() {
        let pod = document(
            "Pod",
            &json!({"metadata": {"name": "a", "labels": {"a/b": "c"}, "creationTimestamp": "2026-01-01T00:00:00Z"},
                "spec": {"hostNetwork": true, "containers": [
                    {"name": "x", "resources": {"limits": {"cpu": "1500m"}}},
                    {"name": "y", "livenessProbe": {"httpGet": {"port": "http"}}, "ports": [{"containerPort": 80}]}]}}),
        );
        check_fields(
            &pod,
            false,
            &[
                " typeMeta",
                "/kind kind: \"Pod\"",
                "/metadata/labels/a~1b labels",
                "/metadata/labels/a~1b value: \"c\"",
                "/metadata/creationTimestamp creationTimestamp: \"2026-01-01T00:00:00Z\"",
                "/metadata/creationTimestamp seconds: 1767225600",
                "/spec/hostNetwork hostNetwork: true",
                "/spec/containers/0 containers",
                "/spec/containers/1/name name: \"y\"",
                "/spec/containers/0/resources/limits/cpu value: \"1500m\"",
                "/spec/containers/0/resources/limits/cpu string: \"1500m\"",
                "/spec/containers/1/livenessProbe ProbeHandler",
                "/spec/containers/1/livenessProbe/httpGet/port strVal: \"http\"",
                "/spec/containers/1/ports/0/containerPort containerPort: 80",
            ],
        );
        let secret = document("Secret", &json!({"data": {"k": "aGVsbG8="}}));
        check_fields(&secret, false, &["/data/k value: \"hello\", in JSON Base64"]);
        let mut list = Vec::new();
        let items = [json!({"metadata": {"name": "a"}}), json!({"metadata": {"name": "b"}})];
        let metadata = json!({"resourceVersion": "7"});
        write_list(
            Types::builtin(),
            Shape::Object(core("ConfigMap")),
            ("v1", "ConfigMapList"),
            &metadata,
            items.iter(),
            &mut list,
        );
        check_fields(
            &list,
            false,
            &["/metadata/resourceVersion resourceVersion: \"7\"", "/items/1/metadata/name name: \"b\""],
        );
    }

    #[test]
    fn explains_the_events_of_a_watch() {
        let mut frames = Vec::new();
        frame("ADDED", CONFIG_MAP, &mut frames);
        frame("DELETED", CONFIG_MAP, &mut frames);
        check_fields(
            &frames,
            true,
            &[
                "/type type: \"ADDED\"",
                "/type type: \"DELETED\"",
                "/object object",
                "/object/metadata/name name: \"a\"",
            ],
        );
        let ranges = explain(Types::builtin(), &frames, true);
        let sizes = ranges.iter().filter(|range| range.kind == Kind::Frame);
        let sizes: Vec<_> = sizes.map(|range| range.what.as_str()).collect();
        assert_eq!(sizes, ["frame: the next 54 bytes are an event", "frame: the next 56 bytes are an event"]);
    }

    /// Whatever comes: each byte is in one range that has nothing inside, and what is inside others stays there.
    #[test]
    fn wrong_bytes_are_explained_too() {
        let pod =
            document("Pod", &json!({"metadata": {"name": "a"}, "spec": {"containers": [{"name": "x"}]}}));
        let mut framed = Vec::new();
        frame("ADDED", &pod, &mut framed);
        for (bytes, frames) in [(&pod, false), (&framed, true)] {
            for at in 0..bytes.len() {
                crate::explain::tests::holds(&explain(Types::builtin(), &bytes[..at], frames), at);
                for wrong in [0, 0x7f, 0x80, 0xff, bytes[at] ^ 1, bytes[at] ^ 4] {
                    let mut bytes = bytes.clone();
                    bytes[at] = wrong;
                    crate::explain::tests::holds(&explain(Types::builtin(), &bytes, frames), bytes.len());
                }
            }
        }
    }
}
