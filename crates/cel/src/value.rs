//! The values of expressions.
//!
//! See <https://github.com/google/cel-spec/blob/master/doc/langdef.md#values>. To clone one is cheap: what is large is
//! borrowed from the object or shared.

mod compare;
mod json;
mod time;

use std::{
    any::Any,
    fmt::{self, Debug, Formatter},
    ops::Deref,
    sync::Arc,
};

use json_tree::Value as Json;

pub use self::compare::order;
pub use self::time::{Duration, Timestamp};
pub(crate) use self::{compare::concat, time::Civil};
use crate::{
    error::Error,
    types::Type,
    types::declared::{Declared, Object, Shape},
};

/// The value of an expression.
#[derive(Clone, Debug)]
pub enum Value<'a> {
    /// `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// An integer without a sign.
    Uint(u64),
    /// A floating-point number.
    Double(f64),
    /// A string.
    String(Text<'a>),
    /// Bytes.
    Bytes(Arc<[u8]>),
    /// A point in time.
    Timestamp(Timestamp),
    /// A span of time.
    Duration(Duration),
    /// A list.
    List(List<'a>),
    /// A map, or an object, which is a map whose keys are declared.
    Map(Map<'a>),
    /// An object that the program has made, of a type that has a name.
    Made(Arc<Made<'a>>),
    /// The values of other programs: see [`Composition`](crate::Composition).
    Composed,
    /// A type.
    Type(Type),
    /// An optional value.
    Optional(Option<Arc<Self>>),
    /// A value of a library.
    Opaque(Arc<dyn Opaque>),
}

/// An object that the program has made: its type, and its fields in the order of their names.
#[derive(Clone, Debug)]
pub struct Made<'a> {
    /// The type.
    pub kind: Arc<Object>,
    /// The fields.
    pub fields: Vec<(String, Value<'a>)>,
}

impl<'a> Made<'a> {
    /// The value of a field, if it is set.
    pub fn field(&self, name: &str) -> Option<&Value<'a>> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, value)| value)
    }
}

/// A value of a library: a quantity, an address.
pub trait Opaque: Send + Sync {
    /// The name of its type, which is that of [`Type::Opaque`].
    fn type_name(&self) -> &'static str;
    /// Returns whether it is equal to another value of a library.
    fn equals(&self, other: &dyn Opaque) -> bool;
    /// The value itself, for its library to look at.
    fn as_any(&self) -> &dyn Any;
}

impl Debug for dyn Opaque {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.type_name())
    }
}

/// A string.
#[derive(Clone, Debug)]
pub enum Text<'a> {
    /// Part of the object or of the program.
    Borrowed(&'a str),
    /// Made by the program.
    Shared(Arc<str>),
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Borrowed(text) => text,
            Self::Shared(text) => text,
        }
    }
}

/// A list.
#[derive(Clone, Debug)]
pub enum List<'a> {
    /// A list in the object: its items, and what is declared of the list.
    Json(&'a [Json], &'a Declared),
    /// Made by the program.
    Built(Arc<Vec<Value<'a>>>),
}

impl<'a> List<'a> {
    /// How many items it has.
    pub fn len(&self) -> usize {
        match self {
            Self::Json(items, _) => items.len(),
            Self::Built(items) => items.len(),
        }
    }

    /// Returns whether it has no items.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The item at `index`, if there is one. What is not as it is declared is an error.
    pub fn get(&self, index: usize) -> Option<Result<Value<'a>, Error>> {
        match self {
            Self::Json(items, declared) => {
                let item = items.get(index)?;
                Some(match &declared.shape {
                    Shape::List(of, _) => of.value(item),
                    _ => Ok(Value::of_json(item)),
                })
            }
            Self::Built(items) => items.get(index).cloned().map(Ok),
        }
    }

    /// All items in their order.
    pub fn iter(&self) -> impl Iterator<Item = Result<Value<'a>, Error>> + '_ {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// All items, or the first error.
    pub fn to_vec(&self) -> Result<Vec<Value<'a>>, Error> {
        match self {
            Self::Built(items) => Ok(items.to_vec()),
            Self::Json(..) => self.iter().collect(),
        }
    }
}

/// A map.
#[derive(Clone, Debug)]
pub enum Map<'a> {
    /// An object in the object, and what is declared of it.
    Json(&'a json_tree::Map<String, Json>, &'a Declared),
    /// Made by the program: sorted by the keys.
    Built(Arc<Vec<(Value<'a>, Value<'a>)>>),
}

impl<'a> Map<'a> {
    /// A map of these entries, whose keys have to be strings, numbers or booleans. Of equal keys the last one counts.
    pub fn new(mut entries: Vec<(Value<'a>, Value<'a>)>) -> Self {
        schema::sort_by(&mut entries, |a, b| compare::key_order(&a.0, &b.0));
        let mut kept: Vec<(Value<'a>, Value<'a>)> = Vec::with_capacity(entries.len());
        for entry in entries {
            match kept.last_mut() {
                Some(last) if compare::key_order(&last.0, &entry.0).is_eq() => *last = entry,
                _ => kept.push(entry),
            }
        }
        Self::Built(Arc::new(kept))
    }

    /// How many entries it has.
    pub fn len(&self) -> usize {
        match self {
            Self::Json(entries, declared) => match &declared.shape {
                Shape::Object(object) => {
                    entries.keys().filter(|key| object.field_of_key(key).is_some()).count()
                }
                _ => entries.len(),
            },
            Self::Built(entries) => entries.len(),
        }
    }

    /// Returns whether it has no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value under `key`, if there is one.
    pub fn get(&self, key: &Value<'_>) -> Option<Result<Value<'a>, Error>> {
        match (self, key) {
            (Self::Json(..), Value::String(key)) => self.member(key),
            (Self::Json(..), _) => None,
            (Self::Built(entries), _) => {
                let index = entries.binary_search_by(|entry| compare::key_order(&entry.0, key)).ok()?;
                entries.get(index).map(|entry| Ok(entry.1.clone()))
            }
        }
    }

    /// The value that expressions reach by `.name`, if there is one.
    pub fn member(&self, name: &str) -> Option<Result<Value<'a>, Error>> {
        match self {
            Self::Json(entries, declared) => {
                let (key, of) = match &declared.shape {
                    Shape::Object(object) => {
                        let field = object.field(name)?;
                        (field.key.as_str(), Some(&field.declared))
                    }
                    Shape::Map(values) => (name, Some(&**values)),
                    _ => (name, None),
                };
                let value = entries.get(key)?;
                // A null where none is allowed is the same as nothing at all.
                match of {
                    Some(of) if value.is_null() && !of.nullable => None,
                    Some(of) => Some(of.value(value)),
                    None => Some(Ok(Value::of_json(value))),
                }
            }
            Self::Built(_) => self.get(&Value::String(Text::Borrowed(name))),
        }
    }

    /// The keys, in the order of the object or sorted.
    pub fn keys(&self) -> Vec<Value<'a>> {
        match self {
            Self::Json(entries, declared) => match &declared.shape {
                Shape::Object(object) => {
                    let fields = entries.keys().filter_map(|key| object.field_of_key(key));
                    fields.map(|field| Value::String(Text::Borrowed(&field.name))).collect()
                }
                _ => entries.keys().map(|key| Value::String(Text::Borrowed(key))).collect(),
            },
            Self::Built(entries) => entries.iter().map(|entry| entry.0.clone()).collect(),
        }
    }
}

impl<'a> Value<'a> {
    /// A string that the program has made.
    pub fn string(text: impl Into<Arc<str>>) -> Self {
        Self::String(Text::Shared(text.into()))
    }

    /// A list that the program has made.
    pub fn list(items: Vec<Self>) -> Self {
        Self::List(List::Built(Arc::new(items)))
    }

    /// An optional value.
    pub fn optional(inner: Option<Self>) -> Self {
        Self::Optional(inner.map(Arc::new))
    }

    /// A value of a library.
    pub fn opaque(value: impl Opaque + 'static) -> Self {
        Self::Opaque(Arc::new(value))
    }

    /// The value of a library, if it is a `T`.
    pub fn downcast<T: 'static>(&self) -> Option<&T> {
        match self {
            Self::Opaque(value) => value.as_any().downcast_ref(),
            _ => None,
        }
    }

    /// The type that the value has as the program runs. What is inside of lists, maps and the like is `dyn`.
    pub fn kind(&self) -> Type {
        match self {
            Self::Null => Type::Null,
            Self::Bool(_) => Type::Bool,
            Self::Int(_) => Type::Int,
            Self::Uint(_) => Type::Uint,
            Self::Double(_) => Type::Double,
            Self::String(_) => Type::String,
            Self::Bytes(_) => Type::Bytes,
            Self::Timestamp(_) => Type::Timestamp,
            Self::Duration(_) => Type::Duration,
            Self::List(_) => Type::list(Type::Dyn),
            Self::Map(Map::Json(_, declared)) if matches!(declared.kind, Type::Object(_)) => {
                declared.kind.clone()
            }
            Self::Map(_) => Type::map(Type::Dyn, Type::Dyn),
            Self::Made(made) => Type::Object(made.kind.clone()),
            Self::Composed => Type::map(Type::String, Type::Dyn),
            Self::Type(_) => Type::of_type(Type::Dyn),
            Self::Optional(_) => Type::optional(Type::Dyn),
            Self::Opaque(value) => Type::Opaque(value.type_name()),
        }
    }

    /// The size that costs go by: characters, bytes, items or entries, and 1 for everything else.
    pub fn size(&self) -> u64 {
        match self {
            Self::String(text) => text.chars().count() as u64,
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::List(list) => list.len() as u64,
            Self::Map(map) => map.len() as u64,
            _ => 1,
        }
    }
}
