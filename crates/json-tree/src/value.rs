//! A value of JSON.

pub(crate) mod index;
pub mod map;

use std::fmt::{self, Debug, Display, Formatter};

use index::Index;
use map::Map;
use serde_json::Number;

/// A value of JSON.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub enum Value {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number.
    Number(Number),
    /// Text.
    String(String),
    /// A list.
    Array(Vec<Self>),
    /// An object.
    Object(Map<String, Self>),
}

macro_rules! kinds {
    ($($is:ident $variant:ident, $as:ident $as_mut:ident $kind:ty, $what:literal;)*) => {
        $(
            #[doc = concat!("Whether it is ", $what, ".")]
            pub fn $is(&self) -> bool {
                matches!(self, Self::$variant(_))
            }

            #[doc = concat!("What it is, if it is ", $what, ".")]
            pub fn $as(&self) -> Option<&$kind> {
                match self {
                    Self::$variant(inside) => Some(inside),
                    _ => None,
                }
            }

            #[doc = concat!("What it is, to be changed, if it is ", $what, ".")]
            pub fn $as_mut(&mut self) -> Option<&mut $kind> {
                match self {
                    Self::$variant(inside) => Some(inside),
                    _ => None,
                }
            }
        )*
    };
}

impl Value {
    kinds! {
        is_array Array, as_array as_array_mut Vec<Self>, "a list";
        is_object Object, as_object as_object_mut Map<String, Self>, "an object";
    }

    /// Reports whether the value is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Reports whether the value is a boolean.
    pub fn is_boolean(&self) -> bool {
        matches!(self, Self::Bool(_))
    }

    /// Reports whether the value is a number.
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Number(_))
    }

    /// Reports whether the value is text.
    pub fn is_string(&self) -> bool {
        matches!(self, Self::String(_))
    }

    /// Reports whether the value is an integer that an `i64` holds.
    pub fn is_i64(&self) -> bool {
        self.as_number().is_some_and(Number::is_i64)
    }

    /// Reports whether the value is an integer that a `u64` holds.
    pub fn is_u64(&self) -> bool {
        self.as_number().is_some_and(Number::is_u64)
    }

    /// Reports whether the value is a number that is kept as a float.
    pub fn is_f64(&self) -> bool {
        self.as_number().is_some_and(Number::is_f64)
    }

    /// `null`, if it is that.
    pub fn as_null(&self) -> Option<()> {
        self.is_null().then_some(())
    }

    /// The boolean that it is.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(bool) => Some(*bool),
            _ => None,
        }
    }

    /// The number that it is.
    pub fn as_number(&self) -> Option<&Number> {
        match self {
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The integer that it is.
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number().and_then(Number::as_i64)
    }

    /// The integer that it is, if it is not negative.
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number().and_then(Number::as_u64)
    }

    /// The number that it is, as a float.
    pub fn as_f64(&self) -> Option<f64> {
        self.as_number().and_then(Number::as_f64)
    }

    /// The text that it is.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the text that it is; empty for anything else.
    pub fn as_text(&self) -> &str {
        self.as_str().unwrap_or_default()
    }

    /// Returns the text under a key; empty if there is none.
    pub fn text(&self, key: &str) -> &str {
        self.get(key).map_or("", Self::as_text)
    }

    /// Returns the text that a JSON Pointer leads to; empty if there is none.
    pub fn text_at(&self, pointer: &str) -> &str {
        self.pointer(pointer).map_or("", Self::as_text)
    }

    /// Returns the value inside, by a key of an object or an index of a list.
    pub fn get<I: Index>(&self, index: I) -> Option<&Self> {
        index.index_into(self)
    }

    /// Returns the value inside, to be changed.
    pub fn get_mut<I: Index>(&mut self, index: I) -> Option<&mut Self> {
        index.index_into_mut(self)
    }

    /// Returns the value that a JSON Pointer leads to. See <https://www.rfc-editor.org/rfc/rfc6901>.
    pub fn pointer(&self, pointer: &str) -> Option<&Self> {
        let mut value = self;
        for token in tokens(pointer)? {
            value = match value {
                Self::Object(map) if token.contains('~') => map.get(&unescape(token)),
                Self::Object(map) => map.get(token),
                Self::Array(items) => items.get(place(token)?),
                _ => None,
            }?;
        }
        Some(value)
    }

    /// Returns the value that a JSON Pointer leads to, to be changed.
    pub fn pointer_mut(&mut self, pointer: &str) -> Option<&mut Self> {
        let mut value = self;
        for token in tokens(pointer)? {
            value = match value {
                Self::Object(map) => map.get_mut(&unescape(token)),
                Self::Array(items) => items.get_mut(place(token)?),
                _ => None,
            }?;
        }
        Some(value)
    }

    /// The value, of which `null` is left.
    pub fn take(&mut self) -> Self {
        std::mem::take(self)
    }

    /// Brings the keys of all objects inside into order.
    pub fn sort_all_objects(&mut self) {
        match self {
            Self::Object(map) => {
                map.sort_keys();
                map.values_mut().for_each(Self::sort_all_objects);
            }
            Self::Array(items) => items.iter_mut().for_each(Self::sort_all_objects),
            _ => {}
        }
    }
}

/// The steps of a pointer.
fn tokens(pointer: &str) -> Option<impl Iterator<Item = &str>> {
    let rest = if pointer.is_empty() { None } else { Some(pointer.strip_prefix('/')?) };
    Some(rest.into_iter().flat_map(|rest| rest.split('/')))
}

fn unescape(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

/// The index of an item of a list.
fn place(token: &str) -> Option<usize> {
    if token.starts_with('+') || token.starts_with('0') && token.len() > 1 {
        return None;
    }
    token.parse().ok()
}

impl Debug for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("Null"),
            Self::Bool(bool) => write!(f, "Bool({bool})"),
            Self::Number(number) => Debug::fmt(number, f),
            Self::String(text) => write!(f, "String({text:?})"),
            Self::Array(items) => {
                f.write_str("Array ")?;
                Debug::fmt(items, f)
            }
            Self::Object(map) => {
                f.write_str("Object ")?;
                Debug::fmt(map, f)
            }
        }
    }
}

impl Display for Value {
    /// As JSON, with `{:#}` in lines.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let text =
            if f.alternate() { serde_json::to_string_pretty(self) } else { serde_json::to_string(self) };
        f.write_str(&text.map_err(|_| fmt::Error)?)
    }
}
