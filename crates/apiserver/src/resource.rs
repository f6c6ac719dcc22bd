//! A resource of a cluster: its row in the table of resources, and what its kind says.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use kinds::Facts;

use crate::custom::{Custom, Scale};

/// A resource in one version.
#[derive(Clone)]
pub(crate) struct Resource {
    row: schema::Resource,
    /// The facts of its kind; those of most kinds for a custom resource.
    facts: &'static Facts,
    /// The facts of the kind as which its objects are stored: that of events is in another group.
    stored_as: &'static Facts,
    /// The version of the definition that it comes from; `None` for a built-in one.
    custom: Option<Arc<Custom>>,
    /// The key below which its objects are stored.
    prefix: String,
}

impl Resource {
    /// The resource of a built-in kind.
    pub(crate) fn built_in(row: schema::Resource) -> Self {
        let facts = kinds::facts(&row.group, &row.name);
        let stored_as = kinds::facts(&row.storage.group, &row.storage.resource);
        let place = stored_as.storage_prefix.unwrap_or(&row.storage.resource);
        let prefix = ["/registry/", place, "/"].concat();
        Self { row, facts, stored_as, custom: None, prefix }
    }

    /// The resource of a version of a definition.
    pub(crate) fn defined(row: schema::Resource, custom: Custom) -> Self {
        let facts = kinds::FACTS_OF_MOST;
        let prefix = ["/registry/", &row.storage.group, "/", &row.storage.resource, "/"].concat();
        Self { row, facts, stored_as: facts, custom: Some(Arc::new(custom)), prefix }
    }

    /// Returns the kind that a subresource takes, as if it were a resource.
    pub(crate) fn of_part(&self, part: &schema::Subresource) -> Self {
        let row = schema::Resource {
            group: part.group.clone(),
            version: part.version.clone(),
            name: part.kind.to_ascii_lowercase() + "s",
            kind: part.kind.clone(),
            described: part.described.clone(),
            ..self.row.clone()
        };
        match self.custom.as_ref().filter(|_| part.kind == self.kind) {
            Some(_) => Self { row, ..self.clone() },
            None => Self::built_in(row),
        }
    }

    /// Returns the facts of its kind.
    pub(crate) fn facts(&self) -> &'static Facts {
        self.facts
    }

    /// Returns the facts of the kind as which its objects are stored.
    pub(crate) fn stored_as(&self) -> &'static Facts {
        self.stored_as
    }

    /// Returns the version of the definition that it comes from; `None` for a built-in one.
    pub(crate) fn custom(&self) -> Option<&Custom> {
        self.custom.as_deref()
    }

    /// Returns that version, if a webhook converts its objects.
    pub(crate) fn converted(&self) -> Option<&Custom> {
        self.custom().filter(|custom| custom.definition.webhook().is_some())
    }

    /// Returns the places in a custom resource at which the subresource `scale` finds its numbers.
    pub(crate) fn scale(&self) -> Option<&Scale> {
        self.custom()?.version().scale.as_ref()
    }

    /// Returns the warning that every use of it earns.
    pub(crate) fn deprecation(&self) -> Option<&str> {
        match self.custom() {
            Some(custom) => custom.version().warning.as_deref(),
            None => self.facts.deprecation,
        }
    }

    /// Returns the key below which its objects are stored, with a slash at its end. It is the same for all versions of a resource, and
    /// for the two groups that serve events.
    pub(crate) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Reports whether it comes from a definition.
    pub(crate) fn is_custom(&self) -> bool {
        self.custom.is_some()
    }
}

impl Deref for Resource {
    type Target = schema::Resource;

    fn deref(&self) -> &schema::Resource {
        &self.row
    }
}

impl PartialEq for Resource {
    fn eq(&self, other: &Self) -> bool {
        let (own, others) = (self.custom.as_ref(), other.custom.as_ref());
        self.row == other.row && own.map(Arc::as_ptr) == others.map(Arc::as_ptr)
    }
}

impl fmt::Debug for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.row.fmt(f)
    }
}

/// Returns the resources that every cluster serves, in the order of discovery.
pub(crate) fn built_in() -> &'static [Arc<Resource>] {
    static ROWS: OnceLock<Vec<Arc<Resource>>> = OnceLock::new();
    ROWS.get_or_init(|| {
        let rows = schema::resources().iter();
        rows.map(|row| Arc::new(Resource::built_in(schema::Resource::clone(row)))).collect()
    })
}

/// Finds one of them, in the first of its versions.
pub(crate) fn find(group: &str, name: &str) -> Option<&'static Arc<Resource>> {
    built_in().iter().find(|row| row.group == group && row.name == name)
}
