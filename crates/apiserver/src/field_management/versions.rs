//! The objects of a resource in the versions in which its fields may be owned.

use std::sync::Arc;

use apply::Converter;
use schema::{Resource, TypeId};
use serde_json::Value;

use crate::convert;

/// All versions of a resource.
pub(super) struct Versions<'a>(pub(super) &'a Resource);

impl Versions<'_> {
    fn row(&self, api_version: &str) -> Option<&'static Arc<Resource>> {
        let storage = &self.0.storage;
        schema::resources().iter().find(|row| {
            row.storage.group == storage.group
                && row.storage.resource == storage.resource
                && row.api_version() == api_version
        })
    }
}

impl Converter for Versions<'_> {
    fn root(&self, api_version: &str) -> Option<TypeId> {
        self.row(api_version)?.ty
    }

    fn convert(&self, object: &Value, from: &str, to: &str) -> Option<Value> {
        let Value::Object(object) = object else { return None };
        let mut object = object.clone();
        if from != to {
            convert::to_storage(self.row(from)?, &mut object);
            convert::tree_from_storage(self.row(to)?, &mut object);
        }
        Some(Value::Object(object))
    }
}
