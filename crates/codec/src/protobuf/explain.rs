//! Explanation of each byte of a document in Protobuf.
//! See <https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding>.

mod fields;

use std::borrow::Cow;

use json_tree::Value;
use schema::{FieldType, Types};

use fields::{Content, ENVELOPE, EVENT, Found, Root};

use super::decode::MAX_DEPTH;
use super::envelope::{PREFIX, open};
use super::wire::{BYTES, FIXED64, Reader, Tag, VARINT};
use super::{Error, scalar};
use crate::explain::{Kind, Range, Ranges, Stop, counted, name, number, text, under};

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

struct Walker<'a> {
    types: &'a Types,
    bytes: &'a [u8],
    ranges: Ranges,
    /// Of the document that is being explained.
    root: Root,
}

/// A field whose tag has been explained.
struct Field<'p> {
    /// The number of its range.
    field: usize,
    /// The place where its value begins.
    value: usize,
    /// The place where its message ends.
    end: usize,
    /// The depth of what is in it.
    depth: usize,
    path: &'p str,
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

    /// Returns the API version and the kind of an envelope that is not complete.
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
        let depth = depth + 1;
        let what = ["tag: ", &number_of, ", ", &called, &wired].concat();
        self.ranges.push((at, value), depth, Kind::Tag, what, &path)?;
        let field = Field { field, value, end, depth, path: &path };
        match tag.wire_type {
            VARINT => self.number(&field, content),
            BYTES => self.length(&field, content),
            _ => self.other(&field, tag),
        }
    }

    /// Explains a varint, which is the value of a field; gives where it ends.
    fn number(&mut self, of: &Field<'_>, content: Content<'_>) -> Result<usize, Stop> {
        let mut reader = Reader::new(&self.bytes[of.value..of.end]);
        let bits = match reader.varint() {
            Ok(bits) => bits,
            Err(why) => return self.broken(of, of.value, &why.to_string()),
        };
        let behind = of.end - reader.left();
        let shown = varint(content, bits);
        self.ranges.value(of.field, &shown);
        self.ranges.end(of.field, behind);
        self.ranges.push((of.value, behind), of.depth, Kind::Number, number("number", shown), of.path)?;
        Ok(behind)
    }

    /// Explains the value of a field with a length, and the length; gives where it ends.
    fn length(&mut self, of: &Field<'_>, content: Content<'a>) -> Result<usize, Stop> {
        let mut reader = Reader::new(&self.bytes[of.value..of.end]);
        let length = match reader.varint() {
            Ok(length) => length,
            Err(why) => return self.broken(of, of.value, &why.to_string()),
        };
        let from = of.end - reader.left();
        let long = usize::try_from(length).unwrap_or(usize::MAX);
        let sized = counted(long, "byte", "");
        self.ranges.add(of.field, &[", ", &sized].concat());
        let what = ["length: ", &sized].concat();
        self.ranges.push((of.value, from), of.depth, Kind::Length, what, of.path)?;
        let behind = from.saturating_add(long);
        if behind > of.end {
            let left = counted(of.end - from, "byte", "");
            let why =
                [&Error::End.to_string(), ": ", &sized, " are announced, ", &left, " are left"].concat();
            return self.broken(of, from, &why);
        }
        self.ranges.end(of.field, behind);
        self.delimited(of.field, content, (from, behind), of.depth, of.path)?;
        Ok(behind)
    }

    /// Explains a value of another wire type; gives where it ends.
    fn other(&mut self, of: &Field<'_>, tag: Tag) -> Result<usize, Stop> {
        let mut reader = Reader::new(&self.bytes[of.value..of.end]);
        if let Err(why) = reader.skip(tag) {
            return self.broken(of, of.value, &why.to_string());
        }
        let behind = of.end - reader.left();
        let what = if tag.wire_type == FIXED64 {
            let mut reader = Reader::new(&self.bytes[of.value..behind]);
            let float = f64::from_bits(reader.fixed64().unwrap_or_default());
            let shown = json_tree::Number::from_f64(float)
                .map_or_else(|| "which is not finite".to_owned(), |float| float.to_string());
            self.ranges.value(of.field, &shown);
            number("number", shown)
        } else {
            "a value that no field of Kubernetes has".to_owned()
        };
        self.ranges.end(of.field, behind);
        self.ranges.push((of.value, behind), of.depth, Kind::Number, what, of.path)?;
        Ok(behind)
    }

    /// Notes that the rest of the message cannot be read; gives where that ends.
    fn broken(&mut self, of: &Field<'_>, from: usize, why: &str) -> Result<usize, Stop> {
        self.ranges.broken((from, of.end), of.depth, why, of.path).map(|()| of.end)
    }

    /// Explains the value of a field with a length.
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
            Content::Typed(ty) if *ty != FieldType::String && scalar::wire_type(ty) == BYTES => {
                // The value that JSON has in one piece.
                let mut value = None;
                let read = scalar::decode(self.types, ty, bytes, &mut value);
                match value.filter(|_| read.is_ok()) {
                    Some(Value::String(value)) => self.ranges.value(field, &text(value.as_bytes())),
                    Some(Value::Number(value)) => {
                        self.ranges.value(field, &text(value.to_string().as_bytes()))
                    }
                    _ => {}
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
mod tests;
