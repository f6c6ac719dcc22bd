//! Custom resources: a CustomResourceDefinition adds rows to the table of resources, and requests to them take the way of
//! all requests. What differs is here, and asked of a `Resource`.
//!
//! <https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/custom-resources/>

mod definition;
pub(crate) mod json_path;
mod object;
pub(crate) mod scale;

use std::sync::Arc;

use json_tree::Value;
use schema::Types;

use crate::document::META;
use apimachinery::object::Object;
use apimachinery::status::Status;

pub(crate) use definition::{Definition, Scale, Version};
pub(crate) use object::{coerce, fill, from_storage, is_in, read, selectable, settle, to_storage, tree};

/// A custom resource in one version: what the definition says of it, beside its row in the table of resources.
pub(crate) struct Custom {
    /// The definition.
    pub(crate) definition: Arc<Definition>,
    /// Which of its versions.
    index: usize,
}

impl Custom {
    pub(crate) fn new(definition: Arc<Definition>, index: usize) -> Self {
        Self { definition, index }
    }

    /// Returns this version of the definition.
    pub(crate) fn version(&self) -> &Version {
        &self.definition.versions[self.index]
    }

    /// Returns what documents tell of this version: its schema as the definition has it, and the fields by which objects are selected.
    pub(crate) fn published(&self) -> Option<Published> {
        let schema = self.definition.schema(self.index)?;
        Some(Published { schema, selectable: self.version().selectable.clone() })
    }

    /// # Errors
    /// The 500 for an object whose size is not said, and is asked for.
    pub(crate) fn check_scale(&self, object: &Object) -> Result<(), Box<Status>> {
        match &self.version().scale {
            Some(paths) => scale::show(paths, object).map(drop).map_err(Status::internal_error),
            None => Ok(()),
        }
    }
}

/// The part of a version of a CustomResourceDefinition that documents tell.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Published {
    /// `openAPIV3Schema`
    pub(crate) schema: Value,
    /// The paths of `selectableFields`: `spec.color`.
    pub(crate) selectable: Vec<String>,
}

/// An object's metadata in the order of its type.
pub(crate) fn metadata(object: &Value) -> Value {
    let metadata = object.get("metadata").cloned().unwrap_or_else(|| Value::Object(Object::new()));
    let types = Types::builtin();
    let text = codec::json::to_vec(&metadata);
    let decoded = types.find(META, "ObjectMeta").and_then(|ty| {
        let node = codec::json::parse(&text).ok()?;
        schema::decode(types, ty, &node).ok()
    });
    decoded.map_or(metadata, |decoded| decoded.value)
}
