//! The fields that the server sets in an object before it is validated, and those that a client may not set.

use json_tree::Value;

use super::Write;
use crate::context::{RequestContext, Shared};
use crate::resource::Resource;
use crate::{field_management, registry};
use apimachinery::object;
use apimachinery::object::{
    METADATA_ORDER, Object, as_value, metadata_mut, set_in_order, set_managed_fields,
};
use apimachinery::time;
use kinds::defaults;

impl Write<'_> {
    /// Sets the server's fields, and the entries of field management.
    pub(super) fn prepare(&mut self) {
        let (context, entries) = (self.context, self.entries.take());
        let resource = &context.target.resource;
        let Some(old) = &self.old else {
            fill_in(context.shared, resource, &mut self.object, self.options.labelled);
            if self.name.is_empty() && registry::strategy(resource).named_by_uid {
                self.name = context.shared.uid();
                let name = self.name.as_str().into();
                set_in_order(metadata_mut(&mut self.object), "name", name, METADATA_ORDER);
            }
            set_managed_fields(&mut self.object, entries);
            (registry::strategy(resource).prepare_for_create_by)(&mut self.object, context.user);
            return;
        };
        carry_over(context, &mut self.object, &old.tree);
        set_managed_fields(&mut self.object, entries);
        field_management::keep_times(&old.tree, &mut self.object);
    }
}

/// Fills in what the server sets in every new object, and takes out what a client may not. Labels that are by default those of
/// the template (`labelled` is false) are those that it has in the end: in kube-apiserver both are one map.
fn fill_in(shared: &Shared, resource: &Resource, object: &mut Object, labelled: bool) {
    let own = object::metadata(object, "labels");
    let shares = !labelled && own.is_some() && own == template_labels(object);
    let metadata = metadata_mut(object);
    for key in ["selfLink", "managedFields"] {
        metadata.shift_remove(key);
    }
    set_in_order(metadata, "uid", shared.uid().into(), METADATA_ORDER);
    let now = shared.config.clock.now();
    set_in_order(metadata, "creationTimestamp", time::rfc3339(now).into(), METADATA_ORDER);
    let strategy = registry::strategy(resource);
    if let Some(generation) = strategy.generation.begin() {
        set_in_order(metadata, "generation", generation.into(), METADATA_ORDER);
    }
    registry::reset_status(resource, object);
    registry::drop_disabled_fields(resource, object, None);
    if let Some(stamp) = strategy.stamp {
        stamp(object, now);
    }
    if let Some(ty) = registry::stored_type(resource) {
        as_value(object, |object| defaults::prepare_for_create(schema::Types::builtin(), ty, object));
    }
    (strategy.prepare_for_create)(object);
    if shares && let Some(labels) = template_labels(object).cloned() {
        set_in_order(metadata_mut(object), "labels", labels, METADATA_ORDER);
    }
}

/// Returns the labels of the template of an object.
fn template_labels(object: &Object) -> Option<&Value> {
    object.get("spec")?.pointer("/template/metadata/labels")
}

/// Takes over from the stored object what this request cannot change.
fn carry_over(context: &RequestContext<'_>, object: &mut Object, old: &Object) {
    let resource = &context.target.resource;
    let strategy = registry::strategy(resource);
    let was = |key: &str| object::metadata(old, key).cloned();
    let metadata = metadata_mut(object);
    for key in ["selfLink", "managedFields", "generation", "creationTimestamp", "resourceVersion"] {
        metadata.shift_remove(key);
    }
    for key in ["generation", "creationTimestamp"] {
        if let Some(value) = was(key) {
            set_in_order(metadata, key, value, METADATA_ORDER);
        }
    }
    for key in ["uid", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        // Once it is set, the time of the deletion stays, whatever is sent; of the others, a change is refused.
        let sent = metadata.get(key).filter(|_| key != "deletionTimestamp");
        if let (None, Some(value)) = (sent, was(key)) {
            set_in_order(metadata, key, value, METADATA_ORDER);
        }
    }
    if let Some(version) = was("resourceVersion") {
        set_in_order(metadata, "resourceVersion", version, METADATA_ORDER);
    }
    let subresource = &context.target.subresource;
    if resource.facts().is_part(subresource) {
        registry::keep_all_but_part(resource, subresource, object, old, context.shared.config.clock.now());
        registry::drop_disabled_fields(resource, object, Some(old));
    } else {
        registry::keep_status(resource, object, old);
        registry::drop_disabled_fields(resource, object, Some(old));
        if let Some(stamp) = strategy.stamp {
            stamp(object, context.shared.config.clock.now());
        }
        (strategy.prepare_for_update)(object, old);
    }
    if subresource != "status" && strategy.generation.grows(old, object) {
        let generation = was("generation").and_then(|value| value.as_i64()).unwrap_or(0) + 1;
        set_in_order(metadata_mut(object), "generation", generation.into(), METADATA_ORDER);
    }
}
