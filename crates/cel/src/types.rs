//! The types of expressions.
//!
//! See <https://github.com/google/cel-spec/blob/master/doc/langdef.md#values>. [`Type`] is what an expression has,
//! [`Sig`] what the table of functions says of parameters and results; it is made of constants.

pub(crate) mod declared;

use std::sync::Arc;

use declared::Object;

/// The type of an expression.
#[derive(Clone, Debug)]
pub enum Type {
    /// Any type: nothing is checked before the program runs.
    Dyn,
    /// The type of what is wrong already. It fits everywhere, so that one mistake is told once.
    Error,
    /// `null`.
    Null,
    /// `bool`.
    Bool,
    /// `int`, of 64 bits.
    Int,
    /// `uint`, of 64 bits.
    Uint,
    /// `double`.
    Double,
    /// `string`.
    String,
    /// `bytes`.
    Bytes,
    /// `google.protobuf.Timestamp`, printed as `timestamp`.
    Timestamp,
    /// `google.protobuf.Duration`, printed as `duration`.
    Duration,
    /// `list(T)`.
    List(Arc<Self>),
    /// `map(K, V)`.
    Map(Arc<(Self, Self)>),
    /// An object whose fields are declared.
    Object(Arc<Object>),
    /// `optional_type(T)`.
    Optional(Arc<Self>),
    /// A type of a library, by its name: `kubernetes.Quantity`.
    Opaque(&'static str),
    /// `type(T)`: the type of a type.
    Type(Arc<Self>),
    /// A type that the checker is to find out, by its number.
    Param(u32),
}

impl Type {
    /// A list of `items`.
    pub fn list(items: Self) -> Self {
        Self::List(Arc::new(items))
    }

    /// A map from `keys` to `values`.
    pub fn map(keys: Self, values: Self) -> Self {
        Self::Map(Arc::new((keys, values)))
    }

    /// An optional `inner`.
    pub fn optional(inner: Self) -> Self {
        Self::Optional(Arc::new(inner))
    }

    /// The type of the type `inner`.
    pub fn of_type(inner: Self) -> Self {
        Self::Type(Arc::new(inner))
    }

    /// Returns whether every expression of this type has the same size.
    pub(crate) fn is_scalar(&self) -> bool {
        match self {
            Self::Bool
            | Self::Double
            | Self::Duration
            | Self::Int
            | Self::Timestamp
            | Self::Uint
            | Self::Type(_) => true,
            Self::Optional(inner) => inner.is_scalar(),
            _ => false,
        }
    }

    /// The name as error texts and `type()` have it: `map(string, list(int))`.
    pub fn name(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) {
        let (name, inner): (&str, &[&Self]) = match self {
            Self::Dyn => ("dyn", &[]),
            Self::Error => ("!error!", &[]),
            Self::Null => ("null", &[]),
            Self::Bool => ("bool", &[]),
            Self::Int => ("int", &[]),
            Self::Uint => ("uint", &[]),
            Self::Double => ("double", &[]),
            Self::String => ("string", &[]),
            Self::Bytes => ("bytes", &[]),
            Self::Timestamp => ("timestamp", &[]),
            Self::Duration => ("duration", &[]),
            Self::List(items) => ("list", &[items]),
            Self::Map(entry) => ("map", &[&entry.0, &entry.1]),
            Self::Object(object) => (&object.name, &[]),
            Self::Optional(inner) => ("optional_type", &[inner]),
            Self::Opaque(name) => (name, &[]),
            Self::Type(inner) => ("type", &[inner]),
            Self::Param(number) => {
                text.push_str("_var");
                text.push_str(&number.to_string());
                return;
            }
        };
        text.push_str(name);
        for (index, inner) in inner.iter().enumerate() {
            text.push_str(if index == 0 { "(" } else { ", " });
            inner.write(text);
        }
        if !inner.is_empty() {
            text.push(')');
        }
    }

    /// The name that a value of this type has at run time: `list`, `google.protobuf.Timestamp`.
    pub(crate) fn runtime_name(&self) -> &str {
        match self {
            Self::Null => "null_type",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Double => "double",
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::Timestamp => "google.protobuf.Timestamp",
            Self::Duration => "google.protobuf.Duration",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Object(object) => &object.name,
            Self::Optional(_) => "optional_type",
            Self::Opaque(name) => name,
            Self::Type(_) => "type",
            Self::Dyn | Self::Error | Self::Param(_) => "dyn",
        }
    }
}

impl PartialEq for Type {
    /// Exactly the same type. Objects are told apart by their names.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::List(a), Self::List(b))
            | (Self::Optional(a), Self::Optional(b))
            | (Self::Type(a), Self::Type(b)) => a == b,
            (Self::Map(a), Self::Map(b)) => a == b,
            (Self::Object(a), Self::Object(b)) => Arc::ptr_eq(a, b) || a.name == b.name,
            (Self::Opaque(a), Self::Opaque(b)) => a == b,
            (Self::Param(a), Self::Param(b)) => a == b,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

/// A type in the table of functions.
#[derive(Clone, Copy, Debug)]
pub enum Sig {
    /// Any type.
    Dyn,
    /// `null`.
    Null,
    /// `bool`.
    Bool,
    /// `int`.
    Int,
    /// `uint`.
    Uint,
    /// `double`.
    Double,
    /// `string`.
    String,
    /// `bytes`.
    Bytes,
    /// `timestamp`.
    Timestamp,
    /// `duration`.
    Duration,
    /// A list of these.
    List(&'static Self),
    /// A map from the first to the second.
    Map(&'static Self, &'static Self),
    /// An optional one.
    Optional(&'static Self),
    /// A type of a library, by its name.
    Opaque(&'static str),
    /// The type of a type.
    Type(&'static Self),
    /// The first type parameter of the overload: each call chooses what it stands for.
    A,
    /// The second type parameter.
    B,
}

impl Sig {
    /// The type that this is when the overload's parameters are numbered from `first` on.
    pub(crate) fn instance(self, first: u32) -> Type {
        match self {
            Self::Dyn => Type::Dyn,
            Self::Null => Type::Null,
            Self::Bool => Type::Bool,
            Self::Int => Type::Int,
            Self::Uint => Type::Uint,
            Self::Double => Type::Double,
            Self::String => Type::String,
            Self::Bytes => Type::Bytes,
            Self::Timestamp => Type::Timestamp,
            Self::Duration => Type::Duration,
            Self::List(items) => Type::list(items.instance(first)),
            Self::Map(keys, values) => Type::map(keys.instance(first), values.instance(first)),
            Self::Optional(inner) => Type::optional(inner.instance(first)),
            Self::Opaque(name) => Type::Opaque(name),
            Self::Type(inner) => Type::of_type(inner.instance(first)),
            Self::A => Type::Param(first),
            Self::B => Type::Param(first + 1),
        }
    }
}
