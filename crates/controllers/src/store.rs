//! Copies of collections, as informers keep them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use json_tree::Value;

use crate::object;
use crate::resource::Resource;

/// An object as it was at a revision. Nobody changes it.
pub(crate) type Shared = Arc<Value>;

/// The objects of a collection by their keys, and by their managing owners.
#[derive(Default)]
pub(crate) struct Store {
    objects: BTreeMap<String, Shared>,
    /// The keys of objects by namespace and the uid of the owner that manages them; an empty uid where none does.
    by_controller: BTreeMap<(String, String), BTreeSet<String>>,
}

impl Store {
    /// Returns the object of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Shared> {
        self.objects.get(key)
    }

    /// Returns all objects, by their keys.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&String, &Shared)> {
        self.objects.iter()
    }

    /// Returns the objects of a namespace, by their names.
    pub(crate) fn in_namespace(&self, namespace: &str) -> impl Iterator<Item = &Shared> {
        let prefix = [namespace, "/"].concat();
        let begin = self.objects.range(prefix.clone()..);
        begin.take_while(move |(key, _)| key.starts_with(&prefix)).map(|(_, object)| object)
    }

    /// Returns the objects of a namespace that are managed by the owner of a uid; by none, if it is empty.
    pub(crate) fn controlled_by(&self, namespace: &str, uid: &str) -> impl Iterator<Item = &Shared> {
        let keys = self.by_controller.get(&(namespace.to_owned(), uid.to_owned()));
        keys.into_iter().flatten().filter_map(|key| self.objects.get(key))
    }

    /// Puts an object, and returns the one that was there.
    pub(crate) fn put(&mut self, object: Shared) -> Option<Shared> {
        let key = object::key(&object);
        let old = self.remove(&key);
        self.by_controller.entry(owner_key(&object)).or_default().insert(key.clone());
        self.objects.insert(key, object);
        old
    }

    /// Removes the object of a key, and returns it.
    pub(crate) fn remove(&mut self, key: &str) -> Option<Shared> {
        let old = self.objects.remove(key)?;
        let owner = owner_key(&old);
        if let Some(keys) = self.by_controller.get_mut(&owner) {
            keys.remove(key);
            if keys.is_empty() {
                self.by_controller.remove(&owner);
            }
        }
        Some(old)
    }
}

fn owner_key(object: &Value) -> (String, String) {
    let uid = object::controller_of(object).map_or("", |owner| owner.text("uid"));
    (object::namespace(object).to_owned(), uid.to_owned())
}

/// The copies of all collections that some controller wants.
#[derive(Default)]
pub(crate) struct Stores(HashMap<Resource, Store>);

impl Stores {
    /// Returns the copy of a collection; an empty one, if nobody has asked for it.
    pub(crate) fn of(&self, resource: &Resource) -> &Store {
        static EMPTY: Store = Store { objects: BTreeMap::new(), by_controller: BTreeMap::new() };
        self.0.get(resource).unwrap_or(&EMPTY)
    }

    pub(crate) fn of_mut(&mut self, resource: &Resource) -> &mut Store {
        self.0.entry(resource.clone()).or_default()
    }

    pub(crate) fn forget(&mut self, resource: &Resource) {
        self.0.remove(resource);
    }
}

/// A change of an object that an informer has seen.
#[derive(Clone)]
pub(crate) struct Change {
    pub(crate) resource: Resource,
    /// The object before; `None` if it is new.
    pub(crate) old: Option<Shared>,
    /// The object now; `None` if it is gone.
    pub(crate) new: Option<Shared>,
}

impl Change {
    /// Returns the object as it is, or as it last was.
    pub(crate) fn object(&self) -> Option<&Shared> {
        self.new.as_ref().or(self.old.as_ref())
    }
}
