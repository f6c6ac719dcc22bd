//! Values of other things.

use std::borrow::Cow;

use crate::{Map, Number, Value};

macro_rules! from {
    ($($source:ty, $name:ident => $value:expr;)*) => {
        $(
            impl From<$source> for Value {
                fn from($name: $source) -> Self {
                    $value
                }
            }
        )*
    };
}

from! {
    (), _unit => Self::Null;
    bool, bool => Self::Bool(bool);
    Number, number => Self::Number(number);
    i8, number => Self::Number(number.into());
    i16, number => Self::Number(number.into());
    i32, number => Self::Number(number.into());
    i64, number => Self::Number(number.into());
    isize, number => Self::Number(number.into());
    u8, number => Self::Number(number.into());
    u16, number => Self::Number(number.into());
    u32, number => Self::Number(number.into());
    u64, number => Self::Number(number.into());
    usize, number => Self::Number(number.into());
    f32, number => Self::from(f64::from(number));
    f64, number => Number::from_f64(number).map_or(Self::Null, Self::Number);
    String, text => Self::String(text);
    &str, text => Self::String(text.to_owned());
    Cow<'_, str>, text => Self::String(text.into_owned());
    Map<String, Value>, map => Self::Object(map);
}

impl<T: Into<Self>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Self {
        items.into_iter().collect()
    }
}

impl<T: Into<Self>, const N: usize> From<[T; N]> for Value {
    fn from(items: [T; N]) -> Self {
        items.into_iter().collect()
    }
}

impl<T: Clone + Into<Self>> From<&[T]> for Value {
    fn from(items: &[T]) -> Self {
        items.iter().cloned().collect()
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<T: Into<Self>> FromIterator<T> for Value {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::Array(items.into_iter().map(Into::into).collect())
    }
}

impl<K: Into<String>, V: Into<Self>> FromIterator<(K, V)> for Value {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        Self::Object(entries.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
    }
}
