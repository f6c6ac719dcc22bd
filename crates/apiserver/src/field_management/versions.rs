//! The objects of a resource in the versions in which its fields may be owned.

use std::sync::Arc;

use apply::{Converter, Shape};
use schema::Resource;
use serde_json::Value;

use crate::convert;
use crate::custom;

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
    fn root(&self, api_version: &str) -> Option<Shape<'_>> {
        if let Some(custom) = custom::of(self.0) {
            return custom.definition.at(api_version).map(|version| Shape::custom(&version.schema));
        }
        self.row(api_version)?.ty.map(Shape::Object)
    }

    fn convert(&self, object: &Value, from: &str, to: &str) -> Option<Value> {
        let Value::Object(object) = object else { return None };
        let mut object = object.clone();
        if from == to {
            return Some(Value::Object(object));
        }
        if let Some(custom) = custom::of(self.0) {
            return custom::convert(&custom.definition, object, to).map(Value::Object);
        }
        convert::to_storage(self.row(from)?, &mut object);
        convert::tree_from_storage(self.row(to)?, &mut object);
        Some(Value::Object(object))
    }
}
