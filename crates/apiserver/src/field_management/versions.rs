//! The objects of a resource in the versions in which its fields may be owned.

use kinds::conversion;
use std::sync::Arc;

use apply::typed::{Typed, ValidationError};
use apply::{Converter, Shape};
use json_tree::Value;
use schema::Types;

use crate::convert;
use crate::notes::Notes;
use crate::resource::{self, Resource};

/// All versions of a resource.
pub(super) struct Versions<'a> {
    /// The resource.
    pub(super) resource: &'a Resource,
    /// The objects that webhooks have converted, or are to convert.
    pub(super) notes: Option<&'a Notes>,
}

impl Versions<'_> {
    /// Finds the resource in another version. The types of the core group are looked up apart from all others, so an
    /// Event that is written in one of its two groups has no owners in the other any more.
    fn row(&self, api_version: &str) -> Option<&'static Arc<Resource>> {
        let storage = &self.resource.storage;
        resource::built_in().iter().find(|row| {
            row.group.is_empty() == self.resource.group.is_empty()
                && row.storage.group == storage.group
                && row.storage.resource == storage.resource
                && row.api_version() == api_version
        })
    }
}

impl Converter for Versions<'_> {
    fn root(&self, api_version: &str) -> Option<Shape<'_>> {
        if let Some(custom) = self.resource.custom() {
            return custom.definition.at(api_version).map(|version| Shape::custom(&version.schema));
        }
        self.row(api_version)?.ty().map(Shape::Object)
    }

    fn convert(&self, object: &Value, from: &str, to: &str) -> Result<Option<Value>, String> {
        let Value::Object(object) = object else { return Ok(None) };
        let mut object = object.clone();
        if from == to {
            return Ok(Some(Value::Object(object)));
        }
        if let Some(custom) = self.resource.custom() {
            let Some(shape) = self.root(to) else {
                return Err(["request to convert CR to an invalid group/version: ", to].concat());
            };
            let object = match self.notes.filter(|_| custom.definition.webhook().is_some()) {
                Some(notes) => notes.in_version(&object, to)?,
                None => {
                    object.insert("apiVersion".to_owned(), to.into());
                    Value::Object(object)
                }
            };
            let typed = Typed { types: Types::builtin(), shape, value: &object };
            typed.validate().map_err(|errors| ValidationError::join(&errors))?;
            return Ok(Some(object));
        }
        let (Some(before), Some(after)) = (self.row(from), self.row(to)) else { return Ok(None) };
        conversion::to_storage(before, &mut object);
        convert::tree_from_storage(after, &mut object);
        Ok(Some(Value::Object(object)))
    }
}
