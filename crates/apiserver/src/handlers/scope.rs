//! Which keys a list or a watch is about: a collection, or one object of it.

use store::KeyRange;

use crate::options::ListOptions;
use crate::route::Target;
use crate::stored;
use kinds::validation::name;

/// The keys of a collection, or of one object of it.
#[derive(Debug)]
pub(crate) struct Scope {
    /// The prefix of the keys of the collection.
    pub(crate) prefix: String,
    /// The namespace of the collection; empty if it is in none, or in all.
    pub(crate) namespace: String,
    /// The key of the object, if it is about one.
    pub(crate) key: Option<String>,
}

impl Scope {
    /// Returns the scope that a request asks for. Its path says which collection; of a collection in all namespaces, a
    /// field selector may ask for one namespace, and of any collection, for one name. A list that goes on is not
    /// narrowed, for its continue token is about the whole of it.
    pub(crate) fn of(target: &Target, options: &ListOptions) -> Self {
        let whole = !options.continue_token.is_empty();
        let asked = |field| options.fields.exact(field).filter(|_| !whole);
        let mut namespace = target.namespace.as_str();
        if target.resource.namespaced && namespace.is_empty() {
            let valid = |name: &&str| name::label(name).is_empty();
            namespace = asked("metadata.namespace").filter(valid).unwrap_or_default();
        }
        let prefix = stored::collection_key(&target.resource, namespace);
        let known = !target.resource.namespaced || !namespace.is_empty();
        let name = asked("metadata.name").filter(|name| known && is_segment(name));
        let key = name.map(|name| format!("{prefix}{name}"));
        Self { prefix, namespace: namespace.to_owned(), key }
    }

    /// Returns the range of the keys in the scope.
    pub(crate) fn range(&self) -> KeyRange {
        self.key.as_deref().map_or_else(|| KeyRange::prefix(&self.prefix), KeyRange::key)
    }

    /// Returns the text that all keys in the scope begin with.
    pub(crate) fn start(&self) -> &str {
        self.key.as_ref().unwrap_or(&self.prefix)
    }
}

/// Reports whether a text can be a segment of a path.
fn is_segment(text: &str) -> bool {
    !["", ".", ".."].contains(&text) && !text.contains(['/', '%'])
}
