//! The stored objects, as far as the strategy of a kind looks at others than the one that is written.

use crate::object::Object;

/// The objects of a cluster.
pub(crate) trait Objects {
    /// Returns the object at a key.
    fn get(&self, key: &str) -> Option<Object>;

    /// Shows each object whose key begins with a prefix to a function, in the order of their keys.
    fn each(&self, prefix: &str, look: &mut dyn FnMut(&dyn Found));
}

/// An object that was found.
pub(crate) trait Found {
    /// Returns the namespace; empty if it is in none.
    fn namespace(&self) -> &str;

    /// Returns the name.
    fn name(&self) -> &str;

    /// Returns the value of one of the fields by which objects of its kind can be selected.
    fn field(&self, label: &str) -> Option<&str>;

    /// Returns it as a tree.
    fn tree(&self) -> Object;
}
