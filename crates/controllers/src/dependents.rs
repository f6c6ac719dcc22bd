//! Dependents: which owners have to look at an object that has changed.
//!
//! See <https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/>.

use apimachinery::selector::LabelSelector;
use json_tree::Value;

use crate::change::Change;
use crate::controller::Context;
use crate::object;
use crate::resource::Resource;
use crate::store::{Shared, Stores};

/// Returns the owner that an object names as its manager, if it is of this resource, and there.
pub(crate) fn manager<'a>(owners: &Resource, dependent: &Value, stores: &'a Stores) -> Option<&'a Shared> {
    let reference = object::controller_of(dependent).filter(|one| one.text("kind") == owners.kind)?;
    let key = object::join_key(object::namespace(dependent), reference.text("name"));
    stores.of(owners).get(&key).filter(|owner| object::uid(owner) == reference.text("uid"))
}

/// Returns the selector of an owner. `None` if it makes no sense.
pub(crate) fn selector(owner: &Value) -> Option<LabelSelector> {
    LabelSelector::of(owner.pointer("/spec/selector")?)
}

/// Queues the owners that a change of a dependent concerns: its manager, the one before, or all that may adopt it.
pub(crate) fn queue_owners(owners: &Resource, change: &Change, context: &mut Context<'_>) {
    let stores = context.stores;
    let mut queue = |dependent: &Value| {
        if let Some(owner) = manager(owners, dependent, stores) {
            context.queue.add(object::key(owner));
        }
    };
    let Some(new) = change.new.as_ref().filter(|new| change.old.is_some() || !object::is_being_deleted(new))
    else {
        return change.object().into_iter().for_each(|dependent| queue(dependent));
    };
    let now = object::controller_of(new);
    let before = change.old.as_ref().and_then(|old| object::controller_of(old));
    if let (Some(old), true) = (&change.old, before.is_some() && before != now) {
        queue(old);
    }
    if now.is_some() {
        return queue(new);
    }
    let labels_changed =
        change.old.as_ref().is_none_or(|old| object::meta(old, "labels") != object::meta(new, "labels"));
    if labels_changed || before.is_some() {
        for owner in stores.of(owners).in_namespace(object::namespace(new)) {
            if object::may_join(new, selector(owner).as_ref()) {
                context.queue.add(object::key(owner));
            }
        }
    }
}
