//! Decoding of a data item as a Go type, up to where Node leaves it to `schema::decode`.

use std::borrow::Cow;
use std::collections::HashSet;

use schema::{Empty, FieldType, Node, Type, TypeId, Types};

use super::Error;
use super::item::{Item, NULL};
use super::text::{self, Later};
use super::untyped;

/// An object of a type. What the type does not have is an error if `strict`.
pub(super) fn object<'a>(
    item: &Item<'a>,
    types: &Types,
    ty: TypeId,
    strict: bool,
) -> Result<Node<'a>, Error> {
    Decoder { types, strict }.value(item, Shape::of(&FieldType::Struct(ty)), None)
}

/// The `apiVersion` and `kind` of a document, as a map of these two.
pub(super) fn type_meta<'a>(item: &Item<'a>) -> Result<Node<'a>, Error> {
    let types = Types::default();
    let decoder = Decoder { types: &types, strict: false };
    let mut content = item.content()?;
    while let Item::Tag(_, inner) = content {
        content = inner.content()?;
    }
    match content {
        Item::Map(entries) => decoder.entries(entries, &Fields { go_struct: TYPE_META, ty: None }, None),
        Item::Simple(NULL) => Ok(Node::Null),
        Item::Simple(simple) => {
            untyped::primitive(*simple)?;
            Err(Error::mismatch(content.kind(), TYPE_META, ""))
        }
        Item::Array(_) => Err(Error::mismatch(content.kind(), TYPE_META, NOT_TO_ARRAY)),
        _ => Err(Error::mismatch(content.kind(), TYPE_META, "")),
    }
}

/// An item as Go's `string`.
pub(super) fn string<'a>(item: &Item<'a>, later: Option<Later>) -> Result<Cow<'a, str>, Error> {
    match Decoder::scalar(item, Shape::of(&FieldType::String), later, |_| "string".into())? {
        Node::String(text) => Ok(text),
        // What is nothing leaves the string as it is: empty.
        _ => Ok(Cow::Borrowed("")),
    }
}

const TYPE_META: &str = "v1.TypeMeta";
const NOT_TO_ARRAY: &str = "cannot decode CBOR array to struct without toarray option";

struct Decoder<'t> {
    types: &'t Types,
    strict: bool,
}

/// The Go type that an item is decoded into.
#[derive(Clone, Copy)]
struct Shape<'t> {
    ty: &'t FieldType,
    /// The name that its field gives it.
    go_type: Option<&'t str>,
    pointer: bool,
}

impl<'t> Shape<'t> {
    fn of(ty: &'t FieldType) -> Self {
        Self { ty, go_type: None, pointer: false }
    }

    /// Of the items of a list: Go calls it `[]Item`.
    fn item(self, ty: &'t FieldType) -> Self {
        let go_type = self.go_type.and_then(|name| name.strip_prefix("[]"));
        Self { ty, go_type, pointer: false }
    }

    /// Of the values of a map: Go calls it `map[Key]Value`.
    fn entry(self, ty: &'t FieldType) -> Self {
        let go_type = self.go_type.and_then(|name| name.strip_prefix("map[")?.split_once(']'));
        Self { ty, go_type: go_type.map(|(_, value)| value), pointer: false }
    }
}

/// The fields of a struct: those of `TypeMeta`, and of a type if there is one.
struct Fields<'t> {
    go_struct: &'t str,
    ty: Option<&'t Type>,
}

impl<'t> Fields<'t> {
    fn find(&self, key: &str) -> Option<(&'t str, Shape<'t>)> {
        if let Some(field) = self.ty.and_then(|ty| ty.field(key)) {
            let pointer = matches!(field.empty, Empty::Pointer | Empty::Null);
            return Some((&field.name, Shape { ty: &field.ty, go_type: field.go_type.as_deref(), pointer }));
        }
        let name = ["kind", "apiVersion"].into_iter().find(|name| *name == key);
        name.filter(|_| self.ty.is_none_or(|ty| ty.type_meta))
            .map(|name| (name, Shape::of(&FieldType::String)))
    }
}

impl<'t> Decoder<'t> {
    fn go_type(&self, shape: Shape<'_>) -> String {
        shape.go_type.map_or_else(|| shape.ty.go_type(self.types), str::to_owned)
    }

    fn value<'a>(&self, item: &Item<'a>, shape: Shape<'t>, later: Option<Later>) -> Result<Node<'a>, Error> {
        if shape.pointer && item.is_nil() {
            return Ok(Node::Null);
        }
        let content = item.content()?;
        match (shape.ty, content) {
            // These decode themselves, whatever is around them.
            (FieldType::Any | FieldType::FieldsV1, _) => untyped::value(content, None),
            (FieldType::Time | FieldType::MicroTime | FieldType::Duration | FieldType::Quantity, _) => {
                if content.is_nil() {
                    Ok(Node::Null)
                } else {
                    string(content, None).map(Node::String)
                }
            }
            (FieldType::IntOrString, _) => match string(content, None) {
                Ok(text) => Ok(Node::String(text)),
                Err(_) => self.value(content, Shape::of(&FieldType::Int32), None),
            },
            (
                FieldType::SchemaOrArray(id) | FieldType::SchemaOrBool(id) | FieldType::SchemaOrStrings(id),
                Item::Map(_),
            ) => object(content, self.types, *id, self.strict),
            (FieldType::SchemaOrArray(_) | FieldType::SchemaOrBool(_) | FieldType::SchemaOrStrings(_), _) => {
                untyped::value(content, None)
            }
            (_, Item::Tag(tag, inner)) => {
                self.value(inner, Shape { pointer: false, ..shape }, Later::of(*tag).or(later))
            }
            (FieldType::Struct(id), Item::Map(entries)) => {
                let ty = self.types.get(*id);
                self.entries(entries, &Fields { go_struct: &ty.name, ty: Some(ty) }, later)
            }
            (FieldType::Struct(_), Item::Array(_)) => {
                Err(Error::mismatch(content.kind(), self.go_type(shape), NOT_TO_ARRAY))
            }
            (FieldType::Map(value), Item::Map(entries)) => {
                untyped::map(entries, later, |item| self.value(item, shape.entry(value), later))
            }
            (FieldType::List(inner), Item::Array(items)) => self.list(items, shape.item(inner), later),
            (FieldType::Strings, Item::Array(items)) => {
                self.list(items, Shape::of(&FieldType::String), later)
            }
            // To Go they are a list of numbers; those that are too large are for `schema` to find.
            (FieldType::Bytes, Item::Array(items)) => self.list(items, Shape::of(&FieldType::Int64), later),
            _ => Self::scalar(content, shape, later, |shape| self.go_type(shape)),
        }
    }

    fn list<'a>(
        &self,
        items: &[Item<'a>],
        shape: Shape<'t>,
        later: Option<Later>,
    ) -> Result<Node<'a>, Error> {
        let mut list = Vec::with_capacity(items.len());
        for item in items {
            list.push(self.value(item, shape, later)?);
        }
        Ok(Node::List(list))
    }

    /// The entries of a struct. Of several errors in it the first counts, but for keys that stand twice and, if that
    /// matters, fields that are unknown: there reading ends.
    fn entries<'a>(
        &self,
        entries: &[(Item<'a>, Item<'a>)],
        fields: &Fields<'t>,
        later: Option<Later>,
    ) -> Result<Node<'a>, Error> {
        let mut map = Vec::with_capacity(entries.len());
        let mut seen = HashSet::new();
        let mut failed = None;
        for (index, (key, item)) in entries.iter().enumerate() {
            let name = match key_of(key) {
                Ok(name) => name,
                Err(error) => {
                    failed.get_or_insert(error);
                    continue;
                }
            };
            let found = match &name {
                Key::Text(text) => fields.find(text),
                Key::Number(_) => None,
            };
            if found.is_none() && self.strict {
                return Err(Error::unknown_field(index));
            }
            if !seen.insert(name.clone()) {
                return Err(Error::duplicate(name, index));
            }
            let (Key::Text(key), Some((name, shape))) = (name, found) else { continue };
            match self.value(item, shape, later) {
                Ok(value) => map.push((key, value)),
                Err(error) if error.is_unknown_field() => {
                    failed.get_or_insert(error);
                }
                Err(error) => {
                    failed.get_or_insert(error.in_field(fields.go_struct, name));
                }
            }
        }
        failed.map_or(Ok(Node::Map(map)), Err)
    }

    /// Decodes an item that is neither a list nor a map.
    fn scalar<'a>(
        item: &Item<'a>,
        shape: Shape<'_>,
        later: Option<Later>,
        go_type: impl Fn(Shape<'_>) -> String,
    ) -> Result<Node<'a>, Error> {
        let item = item.content()?;
        let mismatch = |detail: &str| Err(Error::mismatch(item.kind(), go_type(shape), detail));
        match (item, shape.ty) {
            (Item::Tag(tag, inner), _) => Self::scalar(inner, shape, Later::of(*tag).or(later), go_type),
            (Item::Positive(value), _) => Self::integer(i128::from(*value), shape, mismatch),
            (Item::Negative(value), _) => {
                let value = -1 - i128::from(*value);
                if value < i128::from(i64::MIN) {
                    return mismatch(&format!("{value} overflows Go's int64"));
                }
                Self::integer(value, shape, mismatch)
            }
            (Item::Bytes(bytes), FieldType::String) => Ok(Node::String(text::string(bytes, later))),
            (Item::Bytes(bytes), FieldType::Bytes) => Ok(Node::String(text::bytes(bytes, later)?)),
            (Item::Text(text), FieldType::String) => Ok(Node::String(untyped::utf8(text)?)),
            (Item::Text(text), _) => {
                untyped::utf8(text)?;
                mismatch("")
            }
            (Item::Float(float), FieldType::Float64) => Ok(untyped::float(*float)),
            (Item::Simple(simple), ty) => match (untyped::primitive(*simple)?, ty) {
                (Node::Bool(_), ty) if *ty != FieldType::Bool => mismatch(""),
                (node, _) => Ok(node),
            },
            _ => mismatch(""),
        }
    }

    fn integer<'a>(
        value: i128,
        shape: Shape<'_>,
        mismatch: impl Fn(&str) -> Result<Node<'a>, Error>,
    ) -> Result<Node<'a>, Error> {
        let (fits, name) = match shape.ty {
            FieldType::Int32 => (i32::try_from(value).is_ok(), "int32"),
            FieldType::Int64 => (i64::try_from(value).is_ok(), "int64"),
            FieldType::Float64 => (true, ""),
            _ => return mismatch(""),
        };
        if !fits {
            let name = shape.go_type.unwrap_or(name);
            return mismatch(&format!("{value} overflows {name}"));
        }
        Ok(Node::Number(Cow::Owned(value.to_string())))
    }
}

/// The key of an entry of a struct.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Key<'a> {
    Text(Cow<'a, str>),
    Number(i128),
}

impl std::fmt::Display for Key<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Number(number) => write!(f, "{number}"),
        }
    }
}

fn key_of<'a>(item: &Item<'a>) -> Result<Key<'a>, Error> {
    match item {
        Item::Bytes(bytes) => Ok(Key::Text(text::string(bytes, None))),
        Item::Text(text) => Ok(Key::Text(untyped::utf8(text)?)),
        Item::Positive(value) => Ok(Key::Number(i128::from(*value))),
        Item::Negative(value) => Ok(Key::Number(-1 - i128::from(*value))),
        _ => {
            let kind = item.kind();
            let detail = format!("map key is of type {kind} and cannot be used to match struct field name");
            Err(Error::mismatch(kind, "string", detail))
        }
    }
}
