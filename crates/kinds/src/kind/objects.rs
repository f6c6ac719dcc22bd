//! The stored objects, as far as a kind, or admission, looks at others than the one that is written.

use std::collections::BTreeMap;

use apimachinery::object::{self, Object};
use json_tree::Value;

/// The objects of a cluster.
pub trait Objects {
    /// Shows the object at a key to a function, if there is one.
    fn find(&self, key: &str, look: &mut dyn FnMut(&dyn Found));

    /// Shows each object whose key begins with a prefix to a function, in the order of their keys.
    fn each(&self, prefix: &str, look: &mut dyn FnMut(&dyn Found));

    /// Returns the object at a key.
    fn get(&self, key: &str) -> Option<Object> {
        let mut object = None;
        self.find(key, &mut |found| object = Some(found.tree()));
        object
    }
}

/// An object that was found.
pub trait Found {
    /// Returns the namespace; empty if it is in none.
    fn namespace(&self) -> &str;

    /// Returns the name.
    fn name(&self) -> &str;

    /// Reports whether its deletion has begun.
    fn is_terminating(&self) -> bool;

    /// Returns the value of one of the fields by which objects of its kind can be selected.
    fn field(&self, label: &str) -> Option<&str>;

    /// Returns it as a tree.
    fn tree(&self) -> Object;
}

/// Objects by their keys, where there is no store.
impl Objects for BTreeMap<String, Object> {
    fn find(&self, key: &str, look: &mut dyn FnMut(&dyn Found)) {
        if let Some(object) = Self::get(self, key) {
            look(object);
        }
    }

    fn each(&self, prefix: &str, look: &mut dyn FnMut(&dyn Found)) {
        self.iter().filter(|(key, _)| key.starts_with(prefix)).for_each(|(_, object)| look(object));
    }
}

impl Found for Object {
    fn namespace(&self) -> &str {
        object::metadata_text(self, "namespace")
    }

    fn name(&self) -> &str {
        object::metadata_text(self, "name")
    }

    fn is_terminating(&self) -> bool {
        object::metadata(self, "deletionTimestamp").is_some()
    }

    fn field(&self, label: &str) -> Option<&str> {
        object::at_pointer(self, &["/", &label.replace('.', "/")].concat()).and_then(Value::as_str)
    }

    fn tree(&self) -> Object {
        self.clone()
    }
}
