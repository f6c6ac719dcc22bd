//! Custom resources: a CustomResourceDefinition adds rows to the table of resources, and requests to them take the way of
//! all requests. What differs is here, and asked for by [`of`] a row.
//!
//! <https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/custom-resources/>

mod controller;
mod definition;
mod deletion;
mod resources;

use std::sync::Arc;

use schema::Resource;

pub(crate) use controller::follow;
pub(crate) use definition::{Definition, Version};
pub(crate) use deletion::{FINALIZER, mark};
pub(crate) use resources::Resources;

/// A custom resource in one version: what the definition says of it, beside its row in the table of resources.
pub(crate) struct Custom {
    /// The definition.
    pub(crate) definition: Arc<Definition>,
    /// Which of its versions.
    index: usize,
}

impl Custom {
    /// What the definition says of this version.
    pub(crate) fn version(&self) -> &Version {
        &self.definition.versions[self.index]
    }
}

/// What there is to say of a custom resource; `None` for a built-in one.
pub(crate) fn of(resource: &Resource) -> Option<&Custom> {
    resource.extension.as_ref()?.0.downcast_ref()
}
