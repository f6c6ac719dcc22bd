//! Messages to [`Node`].

use std::borrow::Cow;

use schema::{Empty, FieldType, Node, Part, Type, TypeId, Types};

use super::names::go_name;
use super::wire::{BYTES, FIXED64, Reader, Tag, VARINT};
use super::{Error, Shape, meta, scalar};

/// How deeply messages may stand in one another, so that whoever walks them by recursion can. Only schemas can have
/// themselves inside.
pub const MAX_DEPTH: usize = crate::json::MAX_DEPTH;

/// Reads the message of an object, for [`schema::decode()`] to make the object of it. There are no strict errors in
/// Protobuf: what is unknown is skipped, and what `decode` reports does not count.
///
/// # Errors
/// The first place where the bytes are not the message.
pub fn parse<'a>(types: &'a Types, shape: Shape, bytes: &'a [u8]) -> Result<Node<'a>, Error> {
    let parser = Parser { types };
    match shape {
        Shape::Object(ty) => parser.object(ty, bytes, 0).map(Node::Map),
        Shape::Metadata => {
            let mut entries = Vec::new();
            for bytes in parts(bytes, "PartialObjectMetadata", 1)? {
                entries.push((Cow::Borrowed("metadata"), parser.meta("ObjectMeta", bytes)?));
            }
            Ok(Node::Map(entries))
        }
    }
}

/// Reads the message of a list: its `metadata` and the objects in it.
///
/// # Errors
/// The first place where the bytes are not the message.
pub fn parse_list<'a>(
    types: &'a Types,
    shape: Shape,
    bytes: &'a [u8],
) -> Result<(Node<'a>, Vec<Node<'a>>), Error> {
    let metadata = match parts(bytes, "List", 1)?.last() {
        Some(bytes) => Parser { types }.meta("ListMeta", bytes)?,
        None => Node::Map(Vec::new()),
    };
    let items = parts(bytes, "List", 2)?.into_iter().map(|item| parse(types, shape, item));
    Ok((metadata, items.collect::<Result<_, _>>()?))
}

/// The messages that are the field of this number.
fn parts<'a>(bytes: &'a [u8], message: &str, number: u32) -> Result<Vec<&'a [u8]>, Error> {
    let mut found = Vec::new();
    let mut reader = Reader::new(bytes);
    while let Some(tag) = reader.tag(|| message.to_owned())? {
        if tag.number == number {
            let field = if number == 1 { "ObjectMeta" } else { "Items" };
            found.push(super::envelope::expect(&mut reader, tag, field)?);
        } else {
            reader.skip(tag)?;
        }
    }
    Ok(found)
}

/// As many fields few messages have more of, for which room is made at once.
const USUAL_PARTS: usize = 12;

/// What a map has.
type Entries<'a> = Vec<(Cow<'a, str>, Node<'a>)>;

struct Parser<'a> {
    types: &'a Types,
}

/// What has been read of a field.
enum Slot<'a> {
    /// A value: of several of one field the last counts.
    Value(Node<'a>),
    List(Vec<Node<'a>>),
    Map(Vec<(Cow<'a, str>, Node<'a>)>),
    /// A message, to be read when all of it is there: several of one field are one message in parts.
    Message(Cow<'a, [u8]>),
}

/// Where in a struct a number leads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Field(usize),
    Embedded(usize),
}

/// What is read is put where it belongs: handed back, it would be moved several times, which takes longer than reading it.
impl<'a> Parser<'a> {
    fn meta(&self, name: &str, bytes: &'a [u8]) -> Result<Node<'a>, Error> {
        meta(self.types, name)
            .map_or(Ok(Node::Map(Vec::new())), |ty| self.object(ty, bytes, 0).map(Node::Map))
    }

    fn object(&self, id: TypeId, bytes: &'a [u8], depth: usize) -> Result<Entries<'a>, Error> {
        let mut entries = Vec::new();
        self.level(self.types.get(id), &[], bytes, depth, &mut entries)?;
        Ok(entries)
    }

    /// The fields of a struct that are in the embedded message at `path`.
    fn level(
        &self,
        ty: &'a Type,
        path: &[u32],
        bytes: &'a [u8],
        depth: usize,
        entries: &mut Vec<(Cow<'a, str>, Node<'a>)>,
    ) -> Result<(), Error> {
        if depth > MAX_DEPTH {
            return Err(Error::Depth);
        }
        let mut slots: Vec<(Target, Slot<'a>)> = Vec::with_capacity(ty.parts(path).len().min(USUAL_PARTS));
        let mut reader = Reader::new(bytes);
        let (mut next, mut highest) = (0, 0);
        while let Some(tag) = reader.tag(|| ty.short_name().to_owned())? {
            let Some(target) = target(ty, path, tag.number, &mut next) else {
                reader.skip(tag)?;
                continue;
            };
            let (field_type, name) = match target {
                Target::Field(index) => (Some(&ty.fields[index].ty), ty.fields[index].name.as_str()),
                Target::Embedded(index) => (None, self.types.get(ty.embedded[index].ty).short_name()),
            };
            // Fields mostly come in the order of their numbers.
            let slot = if tag.number > highest {
                None
            } else {
                slots.iter().rposition(|(other, _)| *other == target)
            };
            if slot.is_none() && is_unset(ty, target, tag, &reader) {
                reader.skip(tag)?;
                continue;
            }
            highest = highest.max(tag.number);
            let place = slot.unwrap_or_else(|| {
                slots.push((target, Slot::Value(Node::Null)));
                slots.len() - 1
            });
            self.field(field_type, name, tag, &mut reader, &mut slots[place].1, depth)?;
        }
        entries.reserve(slots.len());
        for (target, slot) in slots {
            match (target, slot) {
                (Target::Field(index), slot) => {
                    let field = &ty.fields[index];
                    entries.push((Cow::Borrowed(field.name.as_str()), Node::Null));
                    if let Some((_, node)) = entries.last_mut() {
                        self.finish(&field.ty, slot, depth, node)?;
                    }
                }
                (Target::Embedded(index), Slot::Message(message)) => {
                    let path = &ty.embedded[index].path;
                    match message {
                        Cow::Borrowed(bytes) => self.level(ty, path, bytes, depth + 1, entries)?,
                        Cow::Owned(bytes) => {
                            let mut inner = Vec::new();
                            Parser { types: self.types }.level(ty, path, &bytes, depth + 1, &mut inner)?;
                            entries.extend(inner.into_iter().map(owned_entry));
                        }
                    }
                }
                (Target::Embedded(_), _) => {}
            }
        }
        Ok(())
    }

    /// What a field becomes with one more occurrence of it. An embedded struct has no type here.
    fn field(
        &self,
        ty: Option<&FieldType>,
        name: &str,
        tag: Tag,
        reader: &mut Reader<'a>,
        slot: &mut Slot<'a>,
        depth: usize,
    ) -> Result<(), Error> {
        let wrong = || Error::WrongWireType { wire_type: tag.wire_type, field: go_name(name) };
        if let Some(FieldType::List(item)) = ty {
            let wire_type = scalar::wire_type(item);
            if tag.wire_type == wire_type {
                self.push(item, wire_type, reader, slot, depth)?;
            } else if tag.wire_type == BYTES {
                // Numbers may also come packed.
                let mut packed = Reader::new(reader.bytes()?);
                if !matches!(slot, Slot::List(_)) {
                    *slot = Slot::List(Vec::new());
                }
                while !packed.is_at_end() {
                    self.push(item, wire_type, &mut packed, slot, depth)?;
                }
            } else {
                return Err(wrong());
            }
            return Ok(());
        }
        if tag.wire_type != ty.map_or(BYTES, scalar::wire_type) {
            return Err(wrong());
        }
        match ty {
            Some(FieldType::Map(item)) => {
                let entry = self.entry(item, reader.bytes()?, depth)?;
                match slot {
                    Slot::Map(entries) => entries.push(entry),
                    _ => *slot = Slot::Map(vec![entry]),
                }
            }
            Some(ty) if !scalar::is_message(ty) => {
                if !matches!(slot, Slot::Value(_)) {
                    *slot = Slot::Value(Node::Null);
                }
                if let Slot::Value(node) = slot {
                    self.value(ty, tag.wire_type, reader, depth, node)?;
                }
            }
            _ => {
                let bytes = reader.bytes()?;
                match slot {
                    Slot::Message(message) => message.to_mut().extend_from_slice(bytes),
                    _ => *slot = Slot::Message(Cow::Borrowed(bytes)),
                }
            }
        }
        Ok(())
    }

    /// Appends the value that is next to those that a list has.
    fn push(
        &self,
        item: &FieldType,
        wire_type: u8,
        reader: &mut Reader<'a>,
        slot: &mut Slot<'a>,
        depth: usize,
    ) -> Result<(), Error> {
        match slot {
            Slot::List(items) => items.push(Node::Null),
            _ => *slot = Slot::List(vec![Node::Null]),
        }
        match slot {
            Slot::List(items) => match items.last_mut() {
                Some(node) => self.value(item, wire_type, reader, depth, node),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn finish(&self, ty: &FieldType, slot: Slot<'a>, depth: usize, into: &mut Node<'a>) -> Result<(), Error> {
        match slot {
            Slot::Value(node) => *into = node,
            Slot::List(items) => *into = Node::List(items),
            Slot::Map(entries) => *into = Node::Map(entries),
            Slot::Message(Cow::Borrowed(bytes)) => self.message(ty, bytes, depth + 1, into)?,
            Slot::Message(Cow::Owned(bytes)) => {
                let mut node = Node::Null;
                Parser { types: self.types }.message(ty, &bytes, depth + 1, &mut node)?;
                *into = owned(node);
            }
        }
        Ok(())
    }

    /// A key and a value.
    fn entry(
        &self,
        item: &FieldType,
        bytes: &'a [u8],
        depth: usize,
    ) -> Result<(Cow<'a, str>, Node<'a>), Error> {
        let mut key = Cow::Borrowed("");
        let mut value = None;
        let mut reader = Reader::new(bytes);
        while let Some(tag) = reader.tag(String::new)? {
            match (tag.number, tag.wire_type) {
                (1, BYTES) => key = text(reader.bytes()?),
                (2, wire_type) if wire_type == scalar::wire_type(item) => {
                    let value = value.insert(Node::Null);
                    self.value(item, wire_type, &mut reader, depth, value)?;
                }
                _ => reader.skip(tag)?,
            }
        }
        let value = value.unwrap_or_else(|| match item {
            FieldType::String | FieldType::Bytes => Node::String(Cow::Borrowed("")),
            FieldType::Struct(_) => Node::Map(Vec::new()),
            _ => Node::Null,
        });
        Ok((key, value))
    }

    /// The value that is next, of a wire type that fits.
    fn value(
        &self,
        ty: &FieldType,
        wire_type: u8,
        reader: &mut Reader<'a>,
        depth: usize,
        into: &mut Node<'a>,
    ) -> Result<(), Error> {
        match (ty, wire_type) {
            (FieldType::Bool, VARINT) => *into = Node::Bool(reader.varint()? != 0),
            (FieldType::Int32, VARINT) => *into = number(i64::from(reader.varint()? as i32)),
            (_, VARINT) => *into = number(reader.varint()? as i64),
            (_, FIXED64) => {
                let float = f64::from_bits(reader.fixed64()?);
                if !float.is_finite() {
                    return Err(Error::Content(format!("json: unsupported value: {}", go_float(float))));
                }
                *into = Node::Number(Cow::Owned(json_tree::Value::from(float).to_string()));
            }
            (FieldType::String, _) => {
                let text = text(reader.bytes()?);
                *into = Node::String(text);
            }
            (FieldType::Bytes, _) => *into = scalar::base64(reader.bytes()?),
            _ => self.message(ty, reader.bytes()?, depth + 1, into)?,
        }
        Ok(())
    }

    fn message(
        &self,
        ty: &FieldType,
        bytes: &'a [u8],
        depth: usize,
        into: &mut Node<'a>,
    ) -> Result<(), Error> {
        match ty {
            FieldType::Struct(id) => {
                let entries = self.object(*id, bytes, depth)?;
                *into = Node::Map(entries);
            }
            FieldType::SchemaOrArray(id) | FieldType::SchemaOrBool(id) | FieldType::SchemaOrStrings(id) => {
                *into = self.schema_or(ty, *id, bytes, depth)?;
            }
            ty => *into = scalar::parse(ty, bytes)?,
        }
        Ok(())
    }

    /// A schema if there is one, or else what there is instead.
    fn schema_or(
        &self,
        ty: &FieldType,
        id: TypeId,
        bytes: &'a [u8],
        depth: usize,
    ) -> Result<Node<'a>, Error> {
        if depth > MAX_DEPTH {
            return Err(Error::Depth);
        }
        let is_bool = matches!(ty, FieldType::SchemaOrBool(_));
        let mut schema = None;
        let mut allows = false;
        let mut items = Vec::new();
        let mut reader = Reader::new(bytes);
        while let Some(tag) = reader.tag(|| ty.go_type(self.types))? {
            match (tag.number, tag.wire_type) {
                (1, VARINT) if is_bool => allows = reader.varint()? != 0,
                (2, BYTES) if is_bool => {
                    schema = Some(Node::Map(self.object(id, reader.bytes()?, depth + 1)?))
                }
                (1, BYTES) if !is_bool => {
                    schema = Some(Node::Map(self.object(id, reader.bytes()?, depth + 1)?));
                }
                (2, BYTES) if matches!(ty, FieldType::SchemaOrArray(_)) => {
                    items.push(Node::Map(self.object(id, reader.bytes()?, depth + 1)?));
                }
                (2, BYTES) => items.push(Node::String(String::from_utf8_lossy(reader.bytes()?))),
                _ => reader.skip(tag)?,
            }
        }
        Ok(match schema {
            Some(schema) => schema,
            None if is_bool => Node::Bool(allows),
            None => Node::List(items),
        })
    }
}

/// Where a number leads in the embedded message at `path`. `next` is where to look first: behind the last one.
pub(super) fn target(ty: &Type, path: &[u32], number: u32, next: &mut usize) -> Option<Target> {
    let parts = ty.parts(path);
    let is_it = |place: &usize| parts.get(*place).is_some_and(|(own, _)| *own == number);
    // Where a list or map has more items, it is the same again.
    let near = [*next, *next + 1].into_iter().find(is_it);
    let place = near.or_else(|| parts.binary_search_by_key(&number, |(own, _)| *own).ok())?;
    *next = place;
    Some(match parts[place].1 {
        Part::Field(index) => Target::Field(usize::from(index)),
        Part::Embedded(index) => Target::Embedded(usize::from(index)),
    })
}

/// Whether what comes next is as if it was not there: Go writes fields that are no pointers though nothing is in them.
fn is_unset(ty: &Type, target: Target, tag: Tag, reader: &Reader<'_>) -> bool {
    let Target::Field(index) = target else { return false };
    let field = &ty.fields[index];
    let wire_type = match field.ty {
        FieldType::Bool | FieldType::Int32 | FieldType::Int64 => VARINT,
        FieldType::String => BYTES,
        _ => return false,
    };
    field.empty == Empty::Omit && tag.wire_type == wire_type && reader.is_at_zero()
}

/// Text, in which bytes that are no UTF-8 become U+FFFD.
fn text(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

fn number<'a>(value: i64) -> Node<'a> {
    // Most numbers are those that nobody has set.
    let digit = usize::try_from(value).ok().and_then(|digit| "0123456789".get(digit..=digit));
    Node::Number(digit.map_or_else(|| Cow::Owned(value.to_string()), Cow::Borrowed))
}

/// How Go prints a float that JSON does not have.
fn go_float(float: f64) -> &'static str {
    match (float.is_nan(), float > 0.0) {
        (true, _) => "NaN",
        (_, true) => "+Inf",
        _ => "-Inf",
    }
}

/// The node, with nothing borrowed.
fn owned<'a>(node: Node<'_>) -> Node<'a> {
    match node {
        Node::Null => Node::Null,
        Node::Bool(bool) => Node::Bool(bool),
        Node::Number(literal) => Node::Number(Cow::Owned(literal.into_owned())),
        Node::String(text) => Node::String(Cow::Owned(text.into_owned())),
        Node::List(items) => Node::List(items.into_iter().map(owned).collect()),
        Node::Map(entries) => Node::Map(entries.into_iter().map(owned_entry).collect()),
    }
}

fn owned_entry<'a>((key, node): (Cow<'_, str>, Node<'_>)) -> (Cow<'a, str>, Node<'a>) {
    (Cow::Owned(key.into_owned()), owned(node))
}
