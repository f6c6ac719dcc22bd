//! Documents to messages.

use std::borrow::Cow;

use golang::base64;
use schema::{Empty, Field, FieldType, Node, Part, Type, TypeId, Types};

use super::wire::{FIXED64, put_bytes, put_message, put_number, put_tag};
use super::{Shape, envelope, meta, scalar};

/// Appends an object as a document, which says of itself to be `api_version` and `kind`.
///
/// The node is that of a value that [`schema::decode()`] could have made. What it has that its type has not, or that is
/// of another type, is not written.
pub fn write(types: &Types, shape: Shape, api_version: &str, kind: &str, node: &Node<'_>, out: &mut Vec<u8>) {
    envelope::put(api_version, kind, out, |out| write_message(types, shape, node, out));
}

/// Appends a list as a document: its `metadata` and the objects in it, in the order that they come in.
pub fn write_list<'n>(
    types: &Types,
    shape: Shape,
    (api_version, kind): (&str, &str),
    metadata: &'n Node<'n>,
    items: impl IntoIterator<Item = &'n Node<'n>>,
    out: &mut Vec<u8>,
) {
    let mut writer = Writer { types, values: Vec::new() };
    envelope::put(api_version, kind, out, |out| {
        writer.part(1, meta(types, "ListMeta"), metadata, out);
        for item in items {
            put_message(2, out, |out| writer.message(shape, item, out));
        }
    });
}

/// Appends the message of an object, without anything around it.
pub fn write_message(types: &Types, shape: Shape, node: &Node<'_>, out: &mut Vec<u8>) {
    Writer { types, values: Vec::new() }.message(shape, node, out);
}

/// The value of a key of a map.
pub fn entry<'n>(node: &'n Node<'n>, key: &str) -> Option<&'n Node<'n>> {
    entries(node).iter().find(|(own, _)| own == key).map(|(_, value)| value)
}

fn entries<'n>(node: &'n Node<'n>) -> &'n [(Cow<'n, str>, Node<'n>)] {
    match node {
        Node::Map(entries) => entries,
        _ => &[],
    }
}

fn not_null<'n>(node: &'n Node<'n>) -> Option<&'n Node<'n>> {
    if matches!(node, Node::Null) { None } else { Some(node) }
}

struct Writer<'t, 'n> {
    types: &'t Types,
    /// The values of the fields of the structs that are being written, by the index of the field, each struct's behind
    /// those of the one that it is in.
    values: Vec<Option<&'n Node<'n>>>,
}

impl<'n> Writer<'_, 'n> {
    fn message(&mut self, shape: Shape, node: &'n Node<'n>, out: &mut Vec<u8>) {
        match shape {
            Shape::Object(ty) => self.object(ty, node, out),
            Shape::Metadata => {
                let metadata = entry(node, "metadata").unwrap_or(&Node::Null);
                self.part(1, meta(self.types, "ObjectMeta"), metadata, out);
            }
        }
    }

    /// A struct as a field.
    fn part(&mut self, number: u32, ty: Option<TypeId>, node: &'n Node<'n>, out: &mut Vec<u8>) {
        put_message(number, out, |out| {
            if let Some(ty) = ty {
                self.object(ty, node, out);
            }
        });
    }

    /// The content of a struct's message; of what is no map that of one in which nothing is set.
    fn object(&mut self, id: TypeId, node: &'n Node<'n>, out: &mut Vec<u8>) {
        let ty = self.types.get(id);
        let first = self.values.len();
        self.values.resize(first + ty.fields.len(), None);
        let mut next = 0;
        for (key, value) in entries(node) {
            // Often it is the one after the last.
            let ahead = ty.fields.get(next).filter(|field| field.name == *key).map(|_| next);
            if let Some(index) = ahead.or_else(|| ty.position(key)) {
                self.values[first + index] = not_null(value);
                next = index + 1;
            }
        }
        self.level(ty, first, &[], out);
        self.values.truncate(first);
    }

    /// The fields of a struct that are in the embedded message at `path`.
    fn level(&mut self, ty: &Type, first: usize, path: &[u32], out: &mut Vec<u8>) {
        for &(number, part) in ty.parts(path) {
            match part {
                Part::Field(index) => {
                    let index = usize::from(index);
                    let value = self.values.get(first + index).copied().flatten();
                    self.field(&ty.fields[index], value, out);
                }
                Part::Embedded(index) => put_message(number, out, |out| {
                    self.level(ty, first, &ty.embedded[usize::from(index)].path, out);
                }),
            }
        }
    }

    fn field(&mut self, field: &Field, value: Option<&'n Node<'n>>, out: &mut Vec<u8>) {
        let pointer = matches!(field.empty, Empty::Pointer | Empty::Null);
        let many = matches!(field.ty, FieldType::List(_) | FieldType::Map(_) | FieldType::Bytes);
        match (&field.ty, value) {
            (_, None) if pointer || many => {}
            (FieldType::List(item), Some(Node::List(items))) => {
                for value in items {
                    self.value(field.number, item, Some(value), out);
                }
            }
            (FieldType::Map(item), Some(Node::Map(entries))) => {
                if entries.is_sorted_by(|(key, _), (next, _)| key <= next) {
                    for (key, value) in entries {
                        self.entry(field.number, item, key, value, out);
                    }
                } else {
                    let mut sorted: Vec<_> = entries.iter().collect();
                    schema::sort_by(&mut sorted, |(key, _), (other, _)| key.cmp(other));
                    for (key, value) in sorted {
                        self.entry(field.number, item, key, value, out);
                    }
                }
            }
            (FieldType::List(_) | FieldType::Map(_), _) => {}
            (ty, value) => self.value(field.number, ty, value, out),
        }
    }

    /// A key and a value of a map.
    fn entry(&mut self, number: u32, item: &FieldType, key: &str, value: &'n Node<'n>, out: &mut Vec<u8>) {
        put_message(number, out, |out| {
            put_bytes(1, key.as_bytes(), out);
            self.value(2, item, not_null(value), out);
        });
    }

    /// A value as a field, the zero value if there is none.
    fn value(&mut self, number: u32, ty: &FieldType, value: Option<&'n Node<'n>>, out: &mut Vec<u8>) {
        let text = || value.and_then(scalar::text).unwrap_or_default();
        match ty {
            FieldType::Bool => {
                put_number(number, u64::from(matches!(value, Some(Node::Bool(true)))), out);
            }
            FieldType::Int32 | FieldType::Int64 => {
                put_number(number, value.and_then(scalar::integer).unwrap_or(0) as u64, out);
            }
            FieldType::Float64 => {
                put_tag(number, FIXED64, out);
                let float = value.and_then(scalar::number).unwrap_or(0.0);
                out.extend_from_slice(&float.to_le_bytes());
            }
            FieldType::String => put_bytes(number, text().as_bytes(), out),
            FieldType::Bytes => {
                // Text that is no Base64 cannot have come out of it, and is written as it is.
                let bytes = base64::decode(text()).unwrap_or_else(|_| text().as_bytes().to_vec());
                if value.is_some() {
                    put_bytes(number, &bytes, out);
                }
            }
            FieldType::Struct(id) => self.part(number, Some(*id), value.unwrap_or(&Node::Null), out),
            FieldType::SchemaOrArray(id) | FieldType::SchemaOrBool(id) | FieldType::SchemaOrStrings(id) => {
                put_message(number, out, |out| self.schema_or(ty, *id, value, out));
            }
            _ => scalar::put(number, ty, value, out),
        }
    }

    /// A schema or something else: whether anything is allowed, or several schemas, or the names of properties.
    fn schema_or(&mut self, ty: &FieldType, id: TypeId, value: Option<&'n Node<'n>>, out: &mut Vec<u8>) {
        let is_bool = matches!(ty, FieldType::SchemaOrBool(_));
        match value {
            Some(schema @ Node::Map(_)) => {
                let number = if is_bool { 2 } else { 1 };
                if is_bool {
                    put_number(1, 1, out);
                }
                self.part(number, Some(id), schema, out);
            }
            Some(Node::List(items)) if !is_bool => {
                let item = match ty {
                    FieldType::SchemaOrArray(_) => FieldType::Struct(id),
                    _ => FieldType::String,
                };
                for value in items {
                    self.value(2, &item, Some(value), out);
                }
            }
            Some(Node::Bool(allows)) if is_bool => put_number(1, u64::from(*allows), out),
            _ if is_bool => put_number(1, 0, out),
            _ => {}
        }
    }
}
