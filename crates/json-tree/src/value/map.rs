//! The entries of an object, in the order in which they came.

mod places;

use std::fmt::{self, Debug, Formatter};
use std::hash::{Hash, Hasher};
use std::{ops, slice, vec};

use places::Places;

use super::Value;
use crate::sort_by;

/// Up to so many entries are looked through one by one.
const FEW: usize = 24;

/// An object: values by their keys, in the order in which these came.
///
/// It is written `Map<String, Value>`, as that of serde_json, and there is no other.
pub struct Map<K, V> {
    entries: Vec<(K, V)>,
    /// The positions of the keys, if there are many.
    index: Option<Box<Places>>,
}

/// Reports whether two keys are the same, as `==` does, but without a call for those of up to 16 bytes.
pub fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    // The first and the last bytes of a short one overlap, and are all of it.
    if let (Some(x), Some(y)) = (a.first_chunk::<8>(), b.first_chunk::<8>()) {
        return x == y && if a.len() > 16 { a == b } else { a.last_chunk::<8>() == b.last_chunk::<8>() };
    }
    if let (Some(x), Some(y)) = (a.first_chunk::<4>(), b.first_chunk::<4>()) {
        return x == y && a.last_chunk::<4>() == b.last_chunk::<4>();
    }
    a.iter().zip(b).all(|(x, y)| x == y)
}

impl Map<String, Value> {
    /// A map without entries.
    pub const fn new() -> Self {
        Self { entries: Vec::new(), index: None }
    }

    /// A map without entries that has room for some.
    pub fn with_capacity(capacity: usize) -> Self {
        Self { entries: Vec::with_capacity(capacity), index: None }
    }

    fn find(&self, key: &str) -> Option<usize> {
        match &self.index {
            None => self.entries.iter().position(|(own, _)| same(own, key)),
            Some(places) => places.find(key, &self.entries),
        }
    }

    /// The value of a key.
    pub fn get<Q: ?Sized + AsRef<str>>(&self, key: &Q) -> Option<&Value> {
        self.get_key_value(key).map(|(_, value)| value)
    }

    /// The value of a key, to be changed.
    pub fn get_mut<Q: ?Sized + AsRef<str>>(&mut self, key: &Q) -> Option<&mut Value> {
        let place = self.find(key.as_ref())?;
        self.entries.get_mut(place).map(|(_, value)| value)
    }

    /// A key as it stands in the map, and its value.
    pub fn get_key_value<Q: ?Sized + AsRef<str>>(&self, key: &Q) -> Option<(&String, &Value)> {
        let place = self.find(key.as_ref())?;
        self.entries.get(place).map(|(key, value)| (key, value))
    }

    /// Reports whether there is a value for a key.
    pub fn contains_key<Q: ?Sized + AsRef<str>>(&self, key: &Q) -> bool {
        self.find(key.as_ref()).is_some()
    }

    /// Sets the value of a key, at the end if it is new. What it had is returned.
    pub fn insert(&mut self, key: String, value: Value) -> Option<Value> {
        match self.find(&key) {
            Some(place) => Some(std::mem::replace(&mut self.entries[place].1, value)),
            None => {
                self.push(key, value);
                None
            }
        }
    }

    /// Appends an entry of which the caller knows that its key is new.
    #[inline]
    pub fn push(&mut self, key: String, value: Value) {
        debug_assert!(!self.contains_key(&key), "{key} is there already");
        self.entries.push((key, value));
        if self.index.is_some() || self.entries.len() > FEW {
            self.indexed_last();
        }
    }

    /// Notes where the last entry is, which is new.
    fn indexed_last(&mut self) {
        let length = self.entries.len();
        match &mut self.index {
            Some(places) if places.has_room(length) => places.insert(&self.entries[length - 1].0, length - 1),
            None if length <= FEW => {}
            _ => self.reindex(),
        }
    }

    fn reindex(&mut self) {
        let before = self.index.take();
        if self.entries.len() > FEW {
            self.index = Some(Box::new(Places::of(&self.entries, before.map(|places| *places))));
        }
    }

    /// Sets the value of a key, and puts it at a place: before the entry that is there now, if it is new.
    ///
    /// # Panics
    /// The map has fewer entries.
    pub fn shift_insert(&mut self, at: usize, key: String, value: Value) -> Option<Value> {
        let before = self.shift_remove(&key);
        self.entries.insert(at, (key, value));
        self.reindex();
        before
    }

    /// Takes out a key; the last entry comes to its place.
    pub fn swap_remove<Q: ?Sized + AsRef<str>>(&mut self, key: &Q) -> Option<Value> {
        let place = self.find(key.as_ref())?;
        if let Some(places) = &mut self.index {
            places.remove(place, &self.entries);
            let last = self.entries.len() - 1;
            if place != last {
                places.put(&self.entries[last].0, last, place);
            }
        }
        Some(self.entries.swap_remove(place).1)
    }

    /// Takes out a key; the last entry comes to its place.
    pub fn remove<Q: ?Sized + AsRef<str>>(&mut self, key: &Q) -> Option<Value> {
        self.swap_remove(key)
    }

    /// Takes out a key; the order of the others stays.
    pub fn shift_remove<Q: ?Sized + AsRef<str>>(&mut self, key: &Q) -> Option<Value> {
        let place = self.find(key.as_ref())?;
        if let Some(places) = &mut self.index {
            places.remove(place, &self.entries);
            places.close(place);
        }
        Some(self.entries.remove(place).1)
    }

    /// The entry of a key, there or not.
    pub fn entry(&mut self, key: impl Into<String>) -> Entry<'_> {
        let key = key.into();
        match self.find(&key) {
            Some(place) => Entry::Occupied(OccupiedEntry { map: self, place }),
            None => Entry::Vacant(VacantEntry { map: self, key }),
        }
    }

    /// Takes over the entries of another map.
    pub fn append(&mut self, other: &mut Self) {
        self.extend(std::mem::take(other));
    }

    /// Keeps the entries of which `keep` says so.
    pub fn retain(&mut self, mut keep: impl FnMut(&String, &mut Value) -> bool) {
        self.entries.retain_mut(|(key, value)| keep(key, value));
        self.reindex();
    }

    /// Takes out all entries.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.index = None;
    }

    /// Brings the keys into order.
    pub fn sort_keys(&mut self) {
        if !self.entries.is_sorted_by(|(a, _), (b, _)| a <= b) {
            sort_by(&mut self.entries, |(a, _), (b, _)| a.cmp(b));
            self.reindex();
        }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Reports whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries.
    pub fn iter(&self) -> Iter<'_> {
        Iter(self.entries.iter())
    }

    /// The entries, whose values may be changed.
    pub fn iter_mut(&mut self) -> IterMut<'_> {
        IterMut(self.entries.iter_mut())
    }

    /// The keys.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &String> + ExactSizeIterator + Clone {
        self.entries.iter().map(|(key, _)| key)
    }

    /// The values.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &Value> + ExactSizeIterator + Clone {
        self.entries.iter().map(|(_, value)| value)
    }

    /// The values, to be changed.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut Value> + ExactSizeIterator {
        self.entries.iter_mut().map(|(_, value)| value)
    }

    /// The values alone.
    pub fn into_values(self) -> impl DoubleEndedIterator<Item = Value> + ExactSizeIterator {
        self.entries.into_iter().map(|(_, value)| value)
    }
}

impl Default for Map<String, Value> {
    fn default() -> Self {
        Self::new()
    }
}

impl Clone for Map<String, Value> {
    fn clone(&self) -> Self {
        Self { entries: self.entries.clone(), index: self.index.clone() }
    }
}

impl PartialEq for Map<String, Value> {
    /// Maps are equal in any order.
    fn eq(&self, other: &Self) -> bool {
        // Mostly the order is the same.
        self.len() == other.len()
            && self.entries.iter().zip(&other.entries).all(|((key, value), (theirs, beside))| {
                if same(key, theirs) { value == beside } else { other.get(key) == Some(value) }
            })
    }
}

impl Eq for Map<String, Value> {}

impl Hash for Map<String, Value> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let mut sorted: Vec<&(String, Value)> = self.entries.iter().collect();
        sort_by(&mut sorted, |a, b| a.0.cmp(&b.0));
        sorted.hash(state);
    }
}

impl Debug for Map<String, Value> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl<Q: ?Sized + AsRef<str>> ops::Index<&Q> for Map<String, Value> {
    type Output = Value;

    fn index(&self, key: &Q) -> &Value {
        match self.get(key) {
            Some(value) => value,
            None => panic!("no entry found for key"),
        }
    }
}

impl<Q: ?Sized + AsRef<str>> ops::IndexMut<&Q> for Map<String, Value> {
    fn index_mut(&mut self, key: &Q) -> &mut Value {
        match self.get_mut(key) {
            Some(value) => value,
            None => panic!("no entry found for key"),
        }
    }
}

impl Extend<(String, Value)> for Map<String, Value> {
    fn extend<T: IntoIterator<Item = (String, Value)>>(&mut self, entries: T) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl FromIterator<(String, Value)> for Map<String, Value> {
    fn from_iter<T: IntoIterator<Item = (String, Value)>>(entries: T) -> Self {
        let entries = entries.into_iter();
        let mut map = Self::with_capacity(entries.size_hint().0);
        map.extend(entries);
        map
    }
}

/// The entries of a map.
#[derive(Clone, Debug)]
pub struct Iter<'a>(slice::Iter<'a, (String, Value)>);

/// The entries of a map, whose values may be changed.
#[derive(Debug)]
pub struct IterMut<'a>(slice::IterMut<'a, (String, Value)>);

/// The entries of a map that is used up.
pub type IntoIter = vec::IntoIter<(String, Value)>;

macro_rules! entries {
    ($name:ident, $item:ty, $entry:pat => $made:expr) => {
        impl<'a> Iterator for $name<'a> {
            type Item = $item;

            fn next(&mut self) -> Option<Self::Item> {
                self.0.next().map(|$entry| $made)
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self.0.size_hint()
            }
        }

        impl DoubleEndedIterator for $name<'_> {
            fn next_back(&mut self) -> Option<Self::Item> {
                self.0.next_back().map(|$entry| $made)
            }
        }

        impl ExactSizeIterator for $name<'_> {}
    };
}

entries!(Iter, (&'a String, &'a Value), (key, value) => (key, value));
entries!(IterMut, (&'a String, &'a mut Value), (key, value) => (&*key, value));

impl<'a> IntoIterator for &'a Map<String, Value> {
    type Item = (&'a String, &'a Value);
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a mut Map<String, Value> {
    type Item = (&'a String, &'a mut Value);
    type IntoIter = IterMut<'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl IntoIterator for Map<String, Value> {
    type Item = (String, Value);
    type IntoIter = IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

/// The entry of a key.
#[derive(Debug)]
pub enum Entry<'a> {
    /// It is there.
    Occupied(OccupiedEntry<'a>),
    /// It is not.
    Vacant(VacantEntry<'a>),
}

/// An entry that is there.
#[derive(Debug)]
pub struct OccupiedEntry<'a> {
    map: &'a mut Map<String, Value>,
    place: usize,
}

/// An entry that there could be.
#[derive(Debug)]
pub struct VacantEntry<'a> {
    map: &'a mut Map<String, Value>,
    key: String,
}

impl<'a> Entry<'a> {
    /// Returns the value of the entry; inserts this one if there was none.
    pub fn or_insert(self, value: Value) -> &'a mut Value {
        self.or_insert_with(|| value)
    }

    /// Returns the value of the entry; makes and inserts one if there was none.
    pub fn or_insert_with(self, value: impl FnOnce() -> Value) -> &'a mut Value {
        match self {
            Self::Occupied(entry) => entry.into_mut(),
            Self::Vacant(entry) => entry.insert(value()),
        }
    }
}

impl<'a> OccupiedEntry<'a> {
    /// Returns the value of the entry.
    pub fn get(&self) -> &Value {
        &self.map.entries[self.place].1
    }

    /// Returns the value of the entry, to be changed.
    pub fn get_mut(&mut self) -> &mut Value {
        &mut self.map.entries[self.place].1
    }

    /// Returns the value of the entry, to be changed for as long as the map is borrowed.
    pub fn into_mut(self) -> &'a mut Value {
        &mut self.map.entries[self.place].1
    }

    /// Sets its value, and returns what it had.
    pub fn insert(&mut self, value: Value) -> Value {
        std::mem::replace(self.get_mut(), value)
    }
}

impl<'a> VacantEntry<'a> {
    /// Returns the key of the entry.
    pub fn key(&self) -> &String {
        &self.key
    }

    /// Makes the entry, at the end of the map.
    pub fn insert(self, value: Value) -> &'a mut Value {
        let place = self.map.entries.len();
        self.map.push(self.key, value);
        &mut self.map.entries[place].1
    }
}
