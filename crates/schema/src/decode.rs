//! Decoding of request bodies into the objects that Kubernetes keeps, by the types of the built-in kinds.
//!
//! kube-apiserver reads a body into Go's structs and writes it from them again. [`decode`] does both at
//! once: fields stand in the order of the struct and maps in that of their keys, unknown fields are dropped
//! and reported, empty values are left out or written as the struct's tags say, times, quantities and
//! Base64 have their canonical form. A value of the wrong type is refused in Go's words.
//! See <https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation>.

mod error;
mod path;
mod room;
mod scalar;
mod untyped;

use std::borrow::Cow;
use std::collections::HashSet;

use json_tree::{Map, Value};

pub use error::{DecodeError, StrictError};
pub use room::{Full, Room};
pub use untyped::{RangeError, decode_untyped, to_value};

use path::{Step, Trace};

use crate::Node;
use crate::fields::{Fields, Slot, TYPE_META, type_meta};
use crate::types::{Empty, Field, FieldType, Type, TypeId, Types};
use crate::zero::{empty_element, zero};

/// An object by its type, and what of the document is not in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// The object, without its own `kind` and `apiVersion`.
    pub value: Value,
    /// Fields that are unknown or stand twice, in the order in which Go's strict decoder reports them, each
    /// once and at most 100.
    pub strict: Vec<StrictError>,
}

/// Decodes a document as an object of a type. `null` is an object in which nothing is set.
///
/// `kind` and `apiVersion` at the root are for the caller to check: they are accepted, whatever they are.
/// Lists and maps that are empty count as absent, for in storage they cannot be told apart; but lists that are written
/// even if there are none stay empty, until [`nil_empty_lists`](crate::nil_empty_lists) makes them null. Of a field that
/// stands twice the later one counts; structs and maps are merged.
///
/// # Errors
/// The first value in the document that cannot be what its field holds; or rather the first of those whose Go types read
/// themselves, such as quantities and times, if there is one: Go's `encoding/json` ends there and tells of no other.
pub fn decode(types: &Types, ty: TypeId, node: &Node<'_>) -> Result<Decoded, DecodeError> {
    Decoder::new(types, true, Room::default()).document(ty, node)
}

/// Decodes a document as Go's conversion from an untyped tree does: the first error ends it, of whatever type it is.
///
/// # Errors
/// The first value in the document that cannot be what its field holds.
pub fn convert(types: &Types, ty: TypeId, node: &Node<'_>) -> Result<Decoded, DecodeError> {
    Decoder { stops: true, ..Decoder::new(types, true, Room::default()) }.document(ty, node)
}

/// Puts a value of a type that has no fields into a slot, which has what there was before, if anything: `null` leaves that
/// as it is where Go has no pointer.
///
/// # Errors
/// The value cannot be of the type.
pub fn decode_scalar(
    types: &Types,
    ty: &FieldType,
    node: &Node<'_>,
    slot: &mut Option<Value>,
) -> Result<(), DecodeError> {
    let mut decoder = Decoder::new(types, false, Room::default());
    let decoded = decoder.scalar(node, Shape { ty, go_type: None }, slot);
    decoder.finish(decoded)
}

/// Returns the JSON name of the value's type, as Go's errors have it.
pub fn kind(node: &Node<'_>) -> &'static str {
    match node {
        Node::Null => "null",
        Node::Bool(_) => "bool",
        Node::Number(_) => "number",
        Node::String(_) => "string",
        Node::List(_) => "array",
        Node::Map(_) => "object",
    }
}

struct Decoder<'a> {
    types: &'a Types,
    trace: Trace<'a>,
    /// True if the next object is the outermost.
    root: bool,
    room: Room,
    /// The first error that Go's decoder goes on after.
    saved: Option<DecodeError>,
    /// True if it goes on after none.
    stops: bool,
}

/// The type of a value: what it holds, and the name that its field gives it in Go, if any.
#[derive(Clone, Copy)]
struct Shape<'a> {
    ty: &'a FieldType,
    go_type: Option<&'a str>,
}

impl<'a> Shape<'a> {
    /// Of the items of a list: Go calls it `[]Item`.
    fn item(self, ty: &'a FieldType) -> Self {
        Self { ty, go_type: self.go_type.and_then(|name| name.strip_prefix("[]")) }
    }

    /// Of the values of a map: Go calls it `map[Key]Value`.
    fn entry(self, ty: &'a FieldType) -> Self {
        let go_type = self.go_type.and_then(|name| name.strip_prefix("map[")?.split_once(']'));
        Self { ty, go_type: go_type.map(|(_, value)| value) }
    }
}

/// Decoded values are put into slots, which have the value of an earlier field of the same name. Values that were returned
/// would be moved several times before they are where they belong, which takes longer than making most of them.
/// An empty slot is Go's `nil`, or a zero value that nothing has touched.
impl<'a> Decoder<'a> {
    fn new(types: &'a Types, root: bool, room: Room) -> Self {
        Self { types, trace: Trace::default(), root, room, saved: None, stops: false }
    }

    /// A whole document.
    fn document<'n: 'a>(mut self, ty: TypeId, node: &'n Node<'n>) -> Result<Decoded, DecodeError> {
        let mut value = None;
        let decoded = match node {
            Node::Null => Ok(()),
            Node::Map(entries) => self.object(entries, ty, &mut value),
            _ => return Err(DecodeError::wrong_type(kind(node), self.types.get(ty).name.as_str())),
        };
        self.finish(decoded)?;
        Ok(Decoded { value: value.unwrap_or_else(|| zero(self.types, ty)), strict: self.trace.strict })
    }

    /// Ends with what has ended it, or with the error that it went on after.
    fn finish(&mut self, decoded: Result<(), DecodeError>) -> Result<(), DecodeError> {
        self.saved.take().map_or(decoded, Err)
    }

    /// An object from its entries, on top of what the slot has.
    fn object<'n: 'a>(
        &mut self,
        entries: &'n [(Cow<'n, str>, Node<'n>)],
        id: TypeId,
        into: &mut Option<Value>,
    ) -> Result<(), DecodeError> {
        self.room.take_struct()?;
        let ty = self.types.get(id);
        let root = std::mem::replace(&mut self.root, false);
        let outer = self.trace.go_struct.replace(ty);
        let mut fields = Fields::new(ty, into, entries.len());
        for (name, node) in entries {
            if ty.type_meta
                && let Some(index) = type_meta(name)
            {
                let slot = self.slot(&mut fields, index, name);
                if !root {
                    self.type_meta_field(ty, (name, node), &mut slot.value)?;
                }
            } else if let Some(index) = ty.position(name) {
                let slot = self.slot(&mut fields, TYPE_META.len() + index, name);
                self.field(ty, (&ty.fields[index], node), &mut slot.value)?;
            } else {
                self.trace.unknown(name);
            }
        }
        self.trace.go_struct = outer;
        *into = Some(fields.finish(self.types, ty));
        Ok(())
    }

    /// The slot of a field that the object has, perhaps once more.
    fn slot<'s>(&mut self, fields: &'s mut Fields, index: usize, name: &str) -> &'s mut Slot {
        let slot = fields.at(index);
        if std::mem::replace(&mut slot.seen, true) {
            self.trace.duplicate(name);
        }
        slot
    }

    fn type_meta_field<'n: 'a>(
        &mut self,
        ty: &'a Type,
        (name, node): (&'n str, &'n Node<'n>),
        slot: &mut Option<Value>,
    ) -> Result<(), DecodeError> {
        self.trace.enter(Step::Field(ty, name));
        self.value(node, Shape { ty: &FieldType::String, go_type: None }, slot)?;
        self.trace.leave();
        Ok(())
    }

    fn field<'n: 'a>(
        &mut self,
        ty: &'a Type,
        (field, node): (&'a Field, &'n Node<'n>),
        slot: &mut Option<Value>,
    ) -> Result<(), DecodeError> {
        if matches!(node, Node::Null) && matches!(field.empty, Empty::Pointer | Empty::Null) {
            *slot = None;
            return Ok(());
        }
        self.trace.enter(Step::Field(ty, &field.name));
        self.value(node, Shape { ty: &field.ty, go_type: field.go_type.as_deref() }, slot)?;
        // Where it matters whether a list is missing or empty: to what is read, or to whom it belongs to.
        let matters = match field.empty {
            Empty::Pointer => true,
            Empty::Keep => matches!(field.ty, FieldType::List(_) | FieldType::Strings),
            _ => false,
        };
        if matters && slot.is_none() && matches!(node, Node::List(_)) {
            *slot = Some(Value::Array(Vec::new()));
        }
        self.trace.leave();
        Ok(())
    }

    /// The value of a node.
    fn value<'n: 'a>(
        &mut self,
        node: &'n Node<'n>,
        shape: Shape<'a>,
        slot: &mut Option<Value>,
    ) -> Result<(), DecodeError> {
        match (shape.ty, node) {
            (FieldType::List(item), Node::List(items)) => self.list(items, shape.item(item), slot),
            (FieldType::Strings, Node::List(items)) => {
                self.list(items, Shape { ty: &FieldType::String, go_type: None }, slot)
            }
            (FieldType::Map(value), Node::Map(entries)) => self.map(entries, shape.entry(value), slot),
            (FieldType::Struct(id), Node::Map(entries)) => self.object(entries, *id, slot),
            (
                FieldType::SchemaOrArray(id) | FieldType::SchemaOrBool(id) | FieldType::SchemaOrStrings(id),
                _,
            ) => {
                *slot = None;
                self.schema_or(node, *id, shape.ty, slot)
            }
            _ => self.scalar(node, shape, slot),
        }
    }

    fn scalar(
        &mut self,
        node: &Node<'_>,
        shape: Shape<'_>,
        slot: &mut Option<Value>,
    ) -> Result<(), DecodeError> {
        let Err(error) = scalar::decode(node, shape.ty, slot) else {
            if self.stops
                && *shape.ty == FieldType::Any
                && let Some(value) = slot
            {
                // It was a map of Go's, which is written in the order of its keys.
                value.sort_all_objects();
            }
            return Ok(());
        };
        let error = match error {
            scalar::Error::Mismatch => self.mismatch(node, shape),
            scalar::Error::Decode(error) => error.at(self.trace.place(self.types)),
        };
        if self.stops || shape.ty.reads_itself() {
            return Err(self.end(error));
        }
        self.saved.get_or_insert(error);
        Ok(())
    }

    /// Ends at an error, of whatever there was before.
    fn end(&mut self, error: DecodeError) -> DecodeError {
        self.saved = None;
        error
    }

    fn mismatch(&self, node: &Node<'_>, shape: Shape<'_>) -> DecodeError {
        let go_type = shape.go_type.map_or_else(|| shape.ty.go_type(self.types), str::to_owned);
        DecodeError::wrong_type(kind(node), go_type).at(self.trace.place(self.types))
    }

    /// Items are decoded on top of those that an earlier field of the same name had.
    fn list<'n: 'a>(
        &mut self,
        items: &'n [Node<'n>],
        shape: Shape<'a>,
        slot: &mut Option<Value>,
    ) -> Result<(), DecodeError> {
        let mut before = match slot {
            Some(Value::Array(items)) => std::mem::take(items),
            _ => Vec::new(),
        }
        .into_iter();
        let mut list = Vec::with_capacity(items.len());
        for (index, node) in items.iter().enumerate() {
            list.push(self.element(node, shape, Step::Item(index), before.next())?);
        }
        *slot = (!list.is_empty()).then_some(Value::Array(list));
        Ok(())
    }

    fn map<'n: 'a>(
        &mut self,
        entries: &'n [(Cow<'n, str>, Node<'n>)],
        shape: Shape<'a>,
        slot: &mut Option<Value>,
    ) -> Result<(), DecodeError> {
        let mut map = match slot {
            Some(Value::Object(map)) => std::mem::take(map),
            _ => Map::with_capacity(entries.len()),
        };
        // Those that an earlier field had: it mostly was none.
        let mut earlier: HashSet<String> = map.keys().cloned().collect();
        for (key, node) in entries {
            let present = map.contains_key(key.as_ref());
            if present && !earlier.remove(key.as_ref()) {
                self.trace.duplicate(key);
            }
            let value = self.element(node, shape, Step::Key(key), None)?;
            if present {
                map.insert(key.as_ref().to_owned(), value);
            } else {
                map.push(key.as_ref().to_owned(), value);
            }
        }
        map.sort_keys();
        *slot = (!map.is_empty()).then_some(Value::Object(map));
        Ok(())
    }

    /// An item of a list or entry of a map, of which `null` is the zero value.
    #[inline]
    fn element<'n: 'a>(
        &mut self,
        node: &'n Node<'n>,
        shape: Shape<'a>,
        step: Step<'a>,
        before: Option<Value>,
    ) -> Result<Value, DecodeError> {
        self.room.take_value()?;
        self.trace.enter(step);
        let mut value = before;
        self.value(node, shape, &mut value)?;
        self.trace.leave();
        match value {
            Some(value) => Ok(value),
            None => {
                if matches!(shape.ty, FieldType::Struct(_)) {
                    self.room.take_struct()?;
                }
                Ok(empty_element(self.types, shape.ty))
            }
        }
    }

    /// The types of JSON Schema that are a schema or something else. They decode themselves: strict errors
    /// inside of them are lost, and errors are said to be at the field.
    fn schema_or<'n: 'a>(
        &mut self,
        node: &'n Node<'n>,
        id: TypeId,
        ty: &FieldType,
        slot: &mut Option<Value>,
    ) -> Result<(), DecodeError> {
        let mut inner = Decoder::new(self.types, false, self.room.clone());
        let schema = FieldType::Struct(id);
        let decoded = match (ty, node) {
            (_, Node::Map(entries)) => inner.object(entries, id, slot),
            (FieldType::SchemaOrBool(_), Node::Bool(allows)) => {
                *slot = Some(Value::Bool(*allows));
                Ok(())
            }
            (FieldType::SchemaOrBool(_), Node::Null) => Ok(()),
            (FieldType::SchemaOrBool(_), _) => Err(DecodeError::text("boolean or JSON schema expected")),
            (FieldType::SchemaOrArray(_), Node::List(items)) => {
                inner.list(items, Shape { ty: &schema, go_type: None }, slot)
            }
            (_, Node::List(items)) => {
                inner.list(items, Shape { ty: &FieldType::String, go_type: None }, slot)
            }
            _ => Ok(()),
        };
        let decoded = inner.finish(decoded);
        self.room = inner.room;
        decoded.map_err(|error| self.end(error.at(self.trace.place(self.types))))
    }
}
