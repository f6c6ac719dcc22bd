//! `value["key"]` and `value[0]`.

use std::ops;

use super::Value;
use super::map::Map;

/// An index into a value: a key of an object, or an index of a list.
pub trait Index {
    /// Returns the value there.
    fn index_into<'v>(&self, value: &'v Value) -> Option<&'v Value>;

    /// Returns the value there, to be changed.
    fn index_into_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value>;

    /// Returns the value there, to be changed; a missing key is added with `null`.
    ///
    /// # Panics
    /// The value is neither an object nor `null`, and the index is a key; or it is no list that is long enough.
    fn index_or_insert<'v>(&self, value: &'v mut Value) -> &'v mut Value;
}

impl Index for str {
    fn index_into<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        value.as_object().and_then(|map| map.get(self))
    }

    fn index_into_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        value.as_object_mut().and_then(|map| map.get_mut(self))
    }

    fn index_or_insert<'v>(&self, value: &'v mut Value) -> &'v mut Value {
        if value.is_null() {
            *value = Value::Object(Map::new());
        }
        match value {
            Value::Object(map) => map.entry(self).or_insert(Value::Null),
            _ => panic!("cannot access key {self:?} in what is no JSON object"),
        }
    }
}

impl Index for usize {
    fn index_into<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        value.as_array().and_then(|items| items.get(*self))
    }

    fn index_into_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        value.as_array_mut().and_then(|items| items.get_mut(*self))
    }

    fn index_or_insert<'v>(&self, value: &'v mut Value) -> &'v mut Value {
        match self.index_into_mut(value) {
            Some(item) => item,
            None => panic!("cannot access index {self} of what is no JSON array, or a shorter one"),
        }
    }
}

impl Index for String {
    fn index_into<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.as_str().index_into(value)
    }

    fn index_into_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        self.as_str().index_into_mut(value)
    }

    fn index_or_insert<'v>(&self, value: &'v mut Value) -> &'v mut Value {
        self.as_str().index_or_insert(value)
    }
}

impl<T: ?Sized + Index> Index for &T {
    fn index_into<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        (**self).index_into(value)
    }

    fn index_into_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        (**self).index_into_mut(value)
    }

    fn index_or_insert<'v>(&self, value: &'v mut Value) -> &'v mut Value {
        (**self).index_or_insert(value)
    }
}

impl<I: Index> ops::Index<I> for Value {
    type Output = Self;

    /// Returns the value there; `null` if there is nothing.
    fn index(&self, index: I) -> &Self {
        static NULL: Value = Value::Null;
        index.index_into(self).unwrap_or(&NULL)
    }
}

impl<I: Index> ops::IndexMut<I> for Value {
    /// Returns the value there, to be changed; a missing key is added with `null`.
    ///
    /// # Panics
    /// As [`Index::index_or_insert`] does.
    fn index_mut(&mut self, index: I) -> &mut Self {
        index.index_or_insert(self)
    }
}
