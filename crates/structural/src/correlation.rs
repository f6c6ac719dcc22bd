//! The correlation of the parts of an object with their values before an update.
//!
//! See <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#field-paths-and-correlatability>.

use json_tree::Value;

use crate::{ListType, Structural, Type};

/// A value, what it was, and the schema of both.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Correlated<'a> {
    pub(crate) new: &'a Value,
    pub(crate) old: &'a Value,
    pub(crate) schema: &'a Structural,
}

impl<'a> Correlated<'a> {
    /// The field `name`, if both have it and the schema knows it.
    pub(crate) fn field(&self, name: &str) -> Option<Self> {
        Some(Self { new: self.new.get(name)?, old: self.old.get(name)?, schema: self.schema.field(name)? })
    }

    /// Reports whether the value is the same as before. Items of a list of type `map` may have changed places; fields
    /// that the schema does not know count as changed.
    pub(crate) fn unchanged(&self) -> bool {
        match (self.new, self.old) {
            (Value::Array(new), Value::Array(old)) => {
                if new.len() != old.len() {
                    return false;
                }
                if !is_map(self.schema) {
                    return new == old;
                }
                let keys = Keys::new(self.schema, old);
                let items = self.schema.items.as_deref();
                new.iter().all(|item| {
                    let old = keys.find(item).zip(items);
                    old.is_some_and(|(old, schema)| Self { new: item, old, schema }.unchanged())
                })
            }
            (Value::Object(new), Value::Object(old)) => {
                new.len() == old.len()
                    && new.keys().all(|name| self.field(name).is_some_and(|field| field.unchanged()))
            }
            (new, old) => new == old,
        }
    }
}

/// Finds what the items of a list were.
pub(crate) struct Keys<'a> {
    schema: &'a Structural,
    old: &'a [Value],
    /// The keys of the old items of a map, in order, with their places.
    sorted: Vec<(String, usize)>,
}

impl<'a> Keys<'a> {
    pub(crate) fn new(schema: &'a Structural, old: &'a [Value]) -> Self {
        let mut sorted: Vec<(String, usize)> = Vec::new();
        if is_map(schema) {
            let keyed = old.iter().enumerate();
            sorted.extend(keyed.filter_map(|(index, item)| Some((key(item, schema)?, index))));
            schema::sort(&mut sorted);
        }
        Self { schema, old, sorted }
    }

    /// Returns the earlier value of an item: by its keys in a list of type `map`. Items of other lists have none.
    pub(crate) fn find(&self, item: &Value) -> Option<&'a Value> {
        if self.sorted.is_empty() {
            return None;
        }
        let key = key(item, self.schema)?;
        let found = self.sorted.partition_point(|(other, _)| *other < key);
        let (other, index) = self.sorted.get(found)?;
        (*other == key).then(|| &self.old[*index])
    }
}

fn is_map(schema: &Structural) -> bool {
    schema.ty == Some(Type::Array)
        && schema.list_type == Some(ListType::Map)
        && !schema.list_map_keys.is_empty()
}

/// The keys of an item of a map as one text; None if one of them is missing or no scalar.
fn key(item: &Value, schema: &Structural) -> Option<String> {
    let mut text = String::new();
    for name in &schema.list_map_keys {
        match item.get(name)? {
            Value::Null | Value::Array(_) | Value::Object(_) => return None,
            // The texts of scalars in JSON tell their types apart.
            scalar => text.push_str(&scalar.to_string()),
        }
        text.push('\0');
    }
    Some(text)
}
