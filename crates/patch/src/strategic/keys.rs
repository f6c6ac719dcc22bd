//! Items of a list by what tells them apart.

use std::collections::HashMap;

use json_tree::Value;

use crate::Error;

/// Returns the identity of an item among the others: the value of its merge key, or the item itself.
fn identity<'v>(item: &'v Value, key: Option<&str>) -> &'v Value {
    match key {
        Some(key) => item.get(key).unwrap_or(&Value::Null),
        None => item,
    }
}

/// The first position of each item in a list.
pub(super) struct Positions(HashMap<String, usize>);

impl Positions {
    pub(super) fn new(items: &[Value], key: Option<&str>) -> Self {
        let mut positions = HashMap::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            positions.entry(identity(item, key).to_string()).or_insert(index);
        }
        Self(positions)
    }

    pub(super) fn of(&self, item: &Value, key: Option<&str>) -> Option<usize> {
        self.0.get(&identity(item, key).to_string()).copied()
    }
}

/// The position of the first item, in a list of maps, with each value of the merge key.
pub(super) struct Index {
    positions: HashMap<String, usize>,
    /// The first item that is no map, behind which no search gets.
    odd: Option<usize>,
}

impl Index {
    pub(super) fn new(items: &[Value], key: &str) -> Self {
        let mut positions = HashMap::with_capacity(items.len());
        let odd = items.iter().position(|item| !item.is_object());
        for (index, item) in items.iter().enumerate() {
            if let Some(value) = item.get(key) {
                positions.entry(value.to_string()).or_insert(index);
            }
        }
        Self { positions, odd }
    }

    pub(super) fn find(&self, value: &Value) -> Result<Option<usize>, Error> {
        let found = self.positions.get(&value.to_string()).copied();
        match (found, self.odd) {
            (Some(index), odd) if odd.is_none_or(|odd| index < odd) => Ok(Some(index)),
            (_, Some(odd)) => Err(Error::unclassified(format!("value for key {odd} is not a map"))),
            (_, None) => Ok(None),
        }
    }

    pub(super) fn add(&mut self, value: &Value, index: usize) {
        self.positions.entry(value.to_string()).or_insert(index);
    }
}
