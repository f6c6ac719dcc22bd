//! The registry: how the objects of a resource are created, changed, deleted and validated, by the strategy of its kind.

mod generate_name;
pub(crate) mod validation;

pub(crate) use generate_name::generate_name;

use std::time::Duration;

use crate::resource::{self, Resource};
use schema::TypeId;

use apimachinery::object::{Object, as_value};
pub(crate) use kinds::kind::{CUSTOM, CUSTOM_WITHOUT_STATUS, Strategy};

/// How `resource` differs from others.
pub(crate) fn strategy(resource: &Resource) -> &'static Strategy {
    if let Some(custom) = resource.custom() {
        return if custom.version().status { &CUSTOM } else { &CUSTOM_WITHOUT_STATUS };
    }
    // Events are one resource in two groups; the storage tells.
    kinds::strategy(&resource.storage.group, &resource.storage.resource)
}

/// The type in which objects of the resource are stored, which is that of another version for some.
pub(crate) fn stored_type(resource: &Resource) -> Option<TypeId> {
    let storage = &resource.storage;
    let same = (resource.group == storage.group) && resource.version == storage.version;
    if same {
        return resource.ty();
    }
    let row = resource::built_in().iter().find(|row| {
        row.group == storage.group && row.version == storage.version && row.name == storage.resource
    });
    row.and_then(|row| row.ty())
}

/// Makes an object what the store makes of it, to which an empty list is none.
pub(crate) fn nil_empty_lists(resource: &Resource, object: &mut Object) {
    if let Some(ty) = stored_type(resource) {
        as_value(object, |object| schema::nil_empty_lists(schema::Types::builtin(), ty, object));
    }
}

/// Reports whether the resource has a subresource for the status, so that the status cannot be written beside the rest.
fn has_status(resource: &Resource) -> bool {
    resource.subresource("status").is_some()
}

/// Empties the status of a new object: clients write it through its subresource.
///
/// <https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#spec-and-status>
pub(crate) fn reset_status(resource: &Resource, object: &mut Object) {
    if !has_status(resource) || strategy(resource).status_at_creation {
        return;
    }
    object.shift_remove("status");
    let zero = stored_type(resource).map(|ty| schema::zero(schema::Types::builtin(), ty));
    if let Some(status) = zero.as_ref().and_then(|zero| zero.get("status")) {
        object.insert("status".to_owned(), status.clone());
    }
}

/// Keeps the stored status, whatever was sent.
pub(crate) fn keep_status(resource: &Resource, object: &mut Object, old: &Object) {
    if has_status(resource) {
        object.shift_remove("status");
        if let Some(status) = old.get("status") {
            object.insert("status".to_owned(), status.clone());
        }
    }
}

/// Keeps everything in the object that was sent as the stored one has it, but the part that is written by a subresource. The
/// time is now, since the Unix epoch.
pub(crate) fn keep_all_but_part(
    resource: &Resource,
    subresource: &str,
    object: &mut Object,
    old: &Object,
    now: Duration,
) {
    let strategy = strategy(resource);
    match strategy.keep_all_but_part.iter().find(|(name, _)| *name == subresource) {
        Some((_, keep)) => keep(object, old, now),
        None => strategy.keep_all_but_status(resource.is_custom(), object, old, now),
    }
}

/// Drops the fields of features that v1.36 leaves off from an object that is to be stored in place of `old`, if there is
/// one.
///
/// <https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/>
pub(crate) fn drop_disabled_fields(resource: &Resource, object: &mut Object, old: Option<&Object>) {
    kinds::drop_disabled_fields(&resource.group, &resource.name, object, old);
}
