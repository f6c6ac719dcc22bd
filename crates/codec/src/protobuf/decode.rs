//! Messages to objects.

use std::cell::RefCell;

use golang::{base64, strconv::format_float};
use json_tree::{Map, Number, Value};
use schema::decode::Room;
use schema::{Empty, FieldType, Fields, Part, Type, TypeId, Types, empty_element, zero};

use super::names::go_name;
use super::wire::{BYTES, FIXED64, Reader, Tag, VARINT};
use super::{Error, Shape, meta, scalar};

/// How deeply messages may stand in one another, so that whoever walks them by recursion can. Only schemas can have
/// themselves inside.
pub const MAX_DEPTH: usize = crate::json::MAX_DEPTH;

/// Reads the message of an object: what [`schema::decode()`] makes of the same object in JSON. There are no strict errors
/// in Protobuf: what is unknown is skipped.
///
/// # Errors
/// The first place where the bytes are not the message.
pub fn decode(types: &Types, shape: Shape, bytes: &[u8]) -> Result<Value, Error> {
    let decoder = Decoder::new(types);
    match shape {
        Shape::Object(ty) => decoder.whole(ty, [bytes]),
        Shape::Metadata => {
            let metadata = decoder.meta("ObjectMeta", parts(bytes, "PartialObjectMetadata", 1)?)?;
            let mut object = Map::new();
            object.push("metadata".to_owned(), metadata);
            Ok(Value::Object(object))
        }
    }
}

/// Reads the message of a list: its `metadata` and the objects in it.
///
/// # Errors
/// The first place where the bytes are not the message.
pub fn decode_list(types: &Types, shape: Shape, bytes: &[u8]) -> Result<(Value, Vec<Value>), Error> {
    let metadata = Decoder::new(types).meta("ListMeta", parts(bytes, "List", 1)?)?;
    let items = parts(bytes, "List", 2)?.into_iter().map(|item| decode(types, shape, item));
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

/// The decoder. It puts values where they belong: if they were returned, they would be moved several times, which takes
/// longer than reading them. If a value is there already, because a message came in several parts, it is added to.
struct Decoder<'t> {
    types: &'t Types,
    room: RefCell<Room>,
}

impl<'t> Decoder<'t> {
    fn new(types: &'t Types) -> Self {
        Self { types, room: RefCell::default() }
    }

    /// The object whose message is these parts.
    fn whole<'a>(&self, id: TypeId, parts: impl IntoIterator<Item = &'a [u8]>) -> Result<Value, Error> {
        let mut object = None;
        for bytes in parts {
            self.object(id, bytes, 0, &mut object)?;
        }
        Ok(object.unwrap_or_else(|| zero(self.types, id)))
    }

    fn meta(&self, name: &str, parts: Vec<&[u8]>) -> Result<Value, Error> {
        meta(self.types, name).map_or(Ok(Value::Object(Map::new())), |ty| self.whole(ty, parts))
    }

    fn object(&self, id: TypeId, bytes: &[u8], depth: usize, slot: &mut Option<Value>) -> Result<(), Error> {
        self.room.borrow_mut().take_struct()?;
        let ty = self.types.get(id);
        let mut fields = Fields::new(ty, slot, USUAL_PARTS.min(bytes.len() / 2));
        self.level(ty, &[], bytes, depth, &mut fields)?;
        fields.sort_maps(ty);
        *slot = Some(fields.finish(self.types, ty));
        Ok(())
    }

    /// The fields of a struct that are in the embedded message at `path`.
    fn level(
        &self,
        ty: &Type,
        path: &[u32],
        bytes: &[u8],
        depth: usize,
        fields: &mut Fields,
    ) -> Result<(), Error> {
        if depth > MAX_DEPTH {
            return Err(Error::Depth);
        }
        let parts = ty.parts(path);
        let mut reader = Reader::new(bytes);
        let mut next = 0;
        while let Some(tag) = reader.tag(|| ty.short_name().to_owned())? {
            match part(parts, tag.number, &mut next) {
                None => reader.skip(tag)?,
                Some(Part::Field(index)) => {
                    let index = usize::from(index);
                    let field = &ty.fields[index];
                    if is_unset(&field.ty, field.empty, tag, &reader) && !fields.has(index) {
                        reader.skip(tag)?;
                    } else {
                        let slot = fields.value(index);
                        self.field(&field.ty, &field.name, tag, &mut reader, depth, slot)?;
                    }
                }
                Some(Part::Embedded(index)) => {
                    let embedded = &ty.embedded[usize::from(index)];
                    if tag.wire_type != BYTES {
                        return Err(wrong(tag, self.types.get(embedded.ty).short_name()));
                    }
                    self.level(ty, &embedded.path, reader.bytes()?, depth + 1, fields)?;
                }
            }
        }
        Ok(())
    }

    /// Reads one more occurrence of a field into `slot`.
    fn field(
        &self,
        ty: &FieldType,
        name: &str,
        tag: Tag,
        reader: &mut Reader<'_>,
        depth: usize,
        slot: &mut Option<Value>,
    ) -> Result<(), Error> {
        if let FieldType::List(item) = ty {
            let wire_type = scalar::wire_type(item);
            if tag.wire_type == wire_type {
                self.item(item, wire_type, reader, depth, slot)?;
            } else if tag.wire_type == BYTES {
                // Numbers may also come packed.
                let mut packed = Reader::new(reader.bytes()?);
                while !packed.is_at_end() {
                    self.item(item, wire_type, &mut packed, depth, slot)?;
                }
            } else {
                return Err(wrong(tag, name));
            }
            return Ok(());
        }
        if tag.wire_type != scalar::wire_type(ty) {
            return Err(wrong(tag, name));
        }
        match ty {
            FieldType::Map(item) => {
                let (key, value) = self.entry(item, reader.bytes()?, depth)?;
                match slot {
                    Some(Value::Object(entries)) => _ = entries.insert(key, value),
                    _ => *slot = Some(Value::Object([(key, value)].into_iter().collect())),
                }
                Ok(())
            }
            _ => self.value(ty, tag.wire_type, reader, depth, slot),
        }
    }

    /// Appends the value that is next to those that a list has.
    fn item(
        &self,
        item: &FieldType,
        wire_type: u8,
        reader: &mut Reader<'_>,
        depth: usize,
        slot: &mut Option<Value>,
    ) -> Result<(), Error> {
        self.room.borrow_mut().take_value()?;
        let mut value = None;
        self.value(item, wire_type, reader, depth, &mut value)?;
        let value = value.unwrap_or_else(|| empty_element(self.types, item));
        match slot {
            Some(Value::Array(items)) => items.push(value),
            _ => *slot = Some(Value::Array(vec![value])),
        }
        Ok(())
    }

    /// A key and a value.
    fn entry(&self, item: &FieldType, bytes: &[u8], depth: usize) -> Result<(String, Value), Error> {
        self.room.borrow_mut().take_value()?;
        let mut key = String::new();
        let mut value = None;
        let mut reader = Reader::new(bytes);
        while let Some(tag) = reader.tag(String::new)? {
            match (tag.number, tag.wire_type) {
                (1, BYTES) => key = text(reader.bytes()?),
                (2, wire_type) if wire_type == scalar::wire_type(item) => {
                    value = None;
                    self.value(item, wire_type, &mut reader, depth, &mut value)?;
                }
                _ => reader.skip(tag)?,
            }
        }
        Ok((key, value.unwrap_or_else(|| empty_element(self.types, item))))
    }

    /// The value that is next, of a wire type that fits.
    fn value(
        &self,
        ty: &FieldType,
        wire_type: u8,
        reader: &mut Reader<'_>,
        depth: usize,
        slot: &mut Option<Value>,
    ) -> Result<(), Error> {
        match (ty, wire_type) {
            (FieldType::Bool, VARINT) => *slot = Some(Value::Bool(reader.varint()? != 0)),
            (FieldType::Int32, VARINT) => *slot = Some(Value::from(reader.varint()? as i32)),
            (_, VARINT) => *slot = Some(Value::from(reader.varint()? as i64)),
            (_, FIXED64) => {
                let float = f64::from_bits(reader.fixed64()?);
                match Number::from_f64(float) {
                    Some(number) => *slot = Some(Value::Number(number)),
                    None => {
                        let text = format!("json: unsupported value: {}", format_float(float));
                        return Err(Error::Content(text));
                    }
                }
            }
            (FieldType::String, _) => {
                let text = text(reader.bytes()?);
                *slot = Some(Value::String(text));
            }
            (FieldType::Bytes, _) => {
                *slot = Some(Value::String(base64::encode(reader.bytes()?)));
            }
            (FieldType::Struct(id), _) => self.object(*id, reader.bytes()?, depth + 1, slot)?,
            (
                FieldType::SchemaOrArray(id) | FieldType::SchemaOrBool(id) | FieldType::SchemaOrStrings(id),
                _,
            ) => self.schema_or(ty, *id, reader.bytes()?, depth + 1, slot)?,
            _ => scalar::decode(self.types, ty, reader.bytes()?, slot)?,
        }
        Ok(())
    }

    /// A schema if there is one, or else what there is instead.
    fn schema_or(
        &self,
        ty: &FieldType,
        id: TypeId,
        bytes: &[u8],
        depth: usize,
        slot: &mut Option<Value>,
    ) -> Result<(), Error> {
        if depth > MAX_DEPTH {
            return Err(Error::Depth);
        }
        let is_bool = matches!(ty, FieldType::SchemaOrBool(_));
        let is_schema = matches!(slot, Some(Value::Object(_)));
        let mut schema = slot.take_if(|_| is_schema);
        // Of a list of schemas, or of names.
        let item = match ty {
            FieldType::SchemaOrArray(_) => FieldType::Struct(id),
            _ => FieldType::String,
        };
        let mut reader = Reader::new(bytes);
        while let Some(tag) = reader.tag(|| ty.go_type(self.types))? {
            match (tag.number, tag.wire_type) {
                (1, VARINT) if is_bool => *slot = Some(Value::Bool(reader.varint()? != 0)),
                (2, BYTES) if is_bool => self.object(id, reader.bytes()?, depth + 1, &mut schema)?,
                (1, BYTES) if !is_bool => self.object(id, reader.bytes()?, depth + 1, &mut schema)?,
                (2, BYTES) => self.item(&item, BYTES, &mut reader, depth, slot)?,
                _ => reader.skip(tag)?,
            }
        }
        if schema.is_some() {
            *slot = schema;
        } else if is_bool && slot.is_none() {
            *slot = Some(Value::Bool(false));
        }
        Ok(())
    }
}

/// Returns the part with a field number. The search begins near `next`, the place of the last one found.
pub(super) fn part(parts: &[(u32, Part)], number: u32, next: &mut usize) -> Option<Part> {
    let is_at = |place: usize| parts.get(place).is_some_and(|(own, _)| *own == number);
    let place = if is_at(*next + 1) {
        *next + 1
    } else if is_at(*next) {
        // Where a list or map has more items, it is the same again.
        *next
    } else {
        parts.binary_search_by_key(&number, |(own, _)| *own).ok()?
    };
    *next = place;
    Some(parts[place].1)
}

/// Returns whether the value that comes next counts as unset: Go writes fields that are no pointers even if they are
/// empty.
fn is_unset(ty: &FieldType, empty: Empty, tag: Tag, reader: &Reader<'_>) -> bool {
    let wire_type = match ty {
        FieldType::Bool | FieldType::Int32 | FieldType::Int64 => VARINT,
        FieldType::String => BYTES,
        _ => return false,
    };
    empty == Empty::Omit && tag.wire_type == wire_type && reader.is_at_zero()
}

fn wrong(tag: Tag, name: &str) -> Error {
    Error::WrongWireType { wire_type: tag.wire_type, field: go_name(name) }
}

/// Text, in which bytes that are no UTF-8 become U+FFFD.
fn text(bytes: &[u8]) -> String {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes).into_owned(), str::to_owned)
}
