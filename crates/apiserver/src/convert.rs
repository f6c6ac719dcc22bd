//! From the version that a client speaks to the one that objects are stored in, and back.
//!
//! <https://kubernetes.io/docs/reference/using-api/#api-versioning>

use std::borrow::Cow;

use schema::Resource;
use serde_json::Value;

use crate::storage::Object;

/// How the objects of a resource in one version become those of its storage version, and back.
struct Conversion {
    group: &'static str,
    version: &'static str,
    resource: &'static str,
    to_storage: fn(&mut Object),
    from_storage: fn(&mut Object),
}

/// Versions that are not stored as they are.
const CONVERSIONS: &[Conversion] = &[];

fn conversion(resource: &Resource) -> Option<&'static Conversion> {
    CONVERSIONS.iter().find(|row| {
        row.group == resource.group && row.version == resource.version && row.resource == resource.name
    })
}

/// Makes of an object in the resource's version one in its storage version.
pub(crate) fn to_storage(resource: &Resource, object: &mut Object) {
    if let Some(conversion) = conversion(resource) {
        (conversion.to_storage)(object);
    }
}

/// Makes of stored JSON that of the resource's version. Nothing is copied where they are the same.
pub(crate) fn from_storage<'a>(resource: &Resource, json: &'a [u8]) -> Cow<'a, [u8]> {
    let Some(conversion) = conversion(resource) else { return Cow::Borrowed(json) };
    let Ok(Value::Object(mut object)) = serde_json::from_slice(json) else { return Cow::Borrowed(json) };
    (conversion.from_storage)(&mut object);
    Cow::Owned(codec::json::to_vec(&Value::Object(object)))
}
