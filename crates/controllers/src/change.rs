//! Changes of objects, as informers see them.

use crate::resource::Resource;
use crate::store::Shared;

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
