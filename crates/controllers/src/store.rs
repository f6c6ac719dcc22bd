//! Copies of collections, as informers keep them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use json_tree::Value;

use crate::object;
use crate::resource::Resource;

/// An object as it was at a revision. Nobody changes it.
pub(crate) type Shared = Arc<Value>;

/// The owner that manages objects of a namespace, as they name it: a kind, a name and a uid; all empty where none does.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Manager {
    namespace: String,
    kind: String,
    name: String,
    uid: String,
}

impl Manager {
    /// Returns the manager that an object names.
    fn of(object: &Value) -> Self {
        let reference = object::controller_of(object);
        let text = |key| reference.map_or("", |reference| reference.text(key)).to_owned();
        let namespace = object::namespace(object).to_owned();
        Self { namespace, kind: text("kind"), name: text("name"), uid: text("uid") }
    }
}

/// The objects of a collection by their keys, and by their managing owners.
#[derive(Default)]
pub(crate) struct Store {
    objects: BTreeMap<String, Shared>,
    /// The keys of objects by the owners that manage them.
    by_manager: BTreeMap<Manager, BTreeSet<String>>,
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

    /// Returns the objects that an owner of a kind manages.
    pub(crate) fn managed_by<'a>(
        &'a self,
        kind: &str,
        owner: &Value,
    ) -> impl Iterator<Item = &'a Shared> + use<'a> {
        self.of_manager(&Manager {
            namespace: object::namespace(owner).to_owned(),
            kind: kind.to_owned(),
            name: object::name(owner).to_owned(),
            uid: object::uid(owner).to_owned(),
        })
    }

    /// Returns the objects of a namespace that nobody manages.
    pub(crate) fn unmanaged(&self, namespace: &str) -> impl Iterator<Item = &Shared> {
        self.of_manager(&Manager { namespace: namespace.to_owned(), ..Manager::default() })
    }

    fn of_manager(&self, manager: &Manager) -> impl Iterator<Item = &Shared> + use<'_> {
        let keys = self.by_manager.get(manager);
        keys.into_iter().flatten().filter_map(|key| self.objects.get(key))
    }

    /// Puts an object, and returns the one that was there.
    pub(crate) fn put(&mut self, object: Shared) -> Option<Shared> {
        let key = object::key(&object);
        let old = self.remove(&key);
        self.by_manager.entry(Manager::of(&object)).or_default().insert(key.clone());
        self.objects.insert(key, object);
        old
    }

    /// Removes the object of a key, and returns it.
    pub(crate) fn remove(&mut self, key: &str) -> Option<Shared> {
        let old = self.objects.remove(key)?;
        let manager = Manager::of(&old);
        if let Some(keys) = self.by_manager.get_mut(&manager) {
            keys.remove(key);
            if keys.is_empty() {
                self.by_manager.remove(&manager);
            }
        }
        Some(old)
    }
}

/// The copies of all collections that some controller wants.
#[derive(Default)]
pub(crate) struct Stores(HashMap<Resource, Store>);

impl Stores {
    /// Returns the copy of a collection; an empty one, if nobody has asked for it.
    pub(crate) fn of(&self, resource: &Resource) -> &Store {
        static EMPTY: Store = Store { objects: BTreeMap::new(), by_manager: BTreeMap::new() };
        self.0.get(resource).unwrap_or(&EMPTY)
    }

    pub(crate) fn of_mut(&mut self, resource: &Resource) -> &mut Store {
        self.0.entry(resource.clone()).or_default()
    }

    pub(crate) fn forget(&mut self, resource: &Resource) {
        self.0.remove(resource);
    }
}
