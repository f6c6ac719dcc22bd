//! How the deletion of an object begins: at once, after a grace period, or once its finalizers are done.
//!
//! <https://kubernetes.io/docs/concepts/overview/working-with-objects/finalizers/>,
//! <https://kubernetes.io/docs/concepts/architecture/garbage-collection/#cascading-deletion>

use std::time::Duration;

use apimachinery::finalizers::{FOREGROUND, ORPHAN, keep_of_collection};
use json_tree::Value;

use apimachinery::DeleteOptions;
use apimachinery::object::{METADATA_ORDER, Object, metadata, metadata_mut, set_in_order};
use apimachinery::time;
use kinds::kind::{Dependents, Strategy};

/// The way in which a request to delete an object is to be handled.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Deletion {
    /// Nothing: it is on its way out already.
    Pending,
    /// It goes at once, as it is.
    Now,
    /// It is stored like this, and goes then.
    MarkedThenNow(Object),
    /// It is stored like this, and waits.
    Marked(Object),
}

/// Decides what a request to delete `object` means. `now` is the time since the Unix epoch.
pub(crate) fn begin(
    strategy: &Strategy,
    object: &Object,
    options: &DeleteOptions,
    now: Duration,
) -> Deletion {
    let mut marked = object.clone();
    if let Some(set_finalizers) = strategy.first_deletion {
        if !is_marked(object) {
            let metadata = metadata_mut(&mut marked);
            set_in_order(metadata, "deletionTimestamp", time::rfc3339(now).into(), METADATA_ORDER);
            set_finalizers(&mut marked, options);
            (strategy.prepare_for_deletion)(&mut marked);
            return Deletion::Marked(marked);
        }
        if has_finalizers_in(object, "spec") {
            return Deletion::Pending;
        }
    }
    // A negative period means the shortest one that is not zero.
    let asked = options.grace_period_seconds.map(|seconds| if seconds < 0 { 1 } else { seconds });
    let grace = match strategy.grace_period {
        None => None,
        Some(_) if is_marked(object) => match shorten(&mut marked, asked) {
            Some(seconds) => Some(seconds),
            None => return Deletion::Pending,
        },
        Some(period) => {
            let seconds = period(object, asked);
            mark(&mut marked, now.saturating_add(Duration::from_secs(seconds.unsigned_abs())), seconds);
            Some(seconds)
        }
    };
    set_finalizers(&mut marked, strategy.dependents, options);
    let waits = has_finalizers_in(&marked, "metadata")
        || strategy.spec_finalizers && has_finalizers_in(&marked, "spec");
    match grace {
        None if !waits => Deletion::Now,
        None => {
            mark(&mut marked, now, 0);
            (strategy.prepare_for_deletion)(&mut marked);
            Deletion::Marked(marked)
        }
        Some(seconds) if waits || seconds > 0 => Deletion::Marked(marked),
        Some(_) => Deletion::MarkedThenNow(marked),
    }
}

/// Reports whether a write that leaves no finalizers deletes the object: nobody waits for its end any more.
pub(crate) fn is_over(old: &Object) -> bool {
    is_marked(old) && grace_of(old).is_none_or(|seconds| seconds == 0)
}

fn is_marked(object: &Object) -> bool {
    metadata(object, "deletionTimestamp").is_some()
}

fn grace_of(object: &Object) -> Option<i64> {
    metadata(object, "deletionGracePeriodSeconds").and_then(Value::as_i64)
}

/// Sets when the object is to be gone. The first time, that is a new generation of it.
fn mark(object: &mut Object, end: Duration, seconds: i64) {
    let first = !is_marked(object);
    let generation = metadata(object, "generation").and_then(Value::as_i64).unwrap_or_default();
    let metadata = metadata_mut(object);
    if first {
        set_in_order(metadata, "deletionTimestamp", time::rfc3339(end).into(), METADATA_ORDER);
        if generation > 0 {
            set_in_order(metadata, "generation", (generation + 1).into(), METADATA_ORDER);
        }
    }
    set_in_order(metadata, "deletionGracePeriodSeconds", seconds.into(), METADATA_ORDER);
}

/// A grace period that runs can become shorter, never longer. `None`: it does not change.
fn shorten(object: &mut Object, asked: Option<i64>) -> Option<i64> {
    let (running, asked) = (grace_of(object)?, asked?);
    if asked >= running {
        return None;
    }
    let end = metadata(object, "deletionTimestamp").and_then(Value::as_str).and_then(time::parse)?;
    let end = end.saturating_sub(Duration::from_secs((running - asked).unsigned_abs()));
    let metadata = metadata_mut(object);
    set_in_order(metadata, "deletionTimestamp", time::rfc3339(end).into(), METADATA_ORDER);
    set_in_order(metadata, "deletionGracePeriodSeconds", asked.into(), METADATA_ORDER);
    Some(asked)
}

/// Adds or removes the finalizers that tell the garbage collector what to do with the dependents.
fn set_finalizers(object: &mut Object, dependents: Dependents, options: &DeleteOptions) {
    if dependents == Dependents::Unsupported {
        return;
    }
    let own: Vec<Value> =
        metadata(object, "finalizers").and_then(Value::as_array).cloned().unwrap_or_default();
    let wanted = match (options.orphan_dependents, options.propagation_policy.as_deref()) {
        (Some(true), _) | (None, Some("Orphan")) => Some(ORPHAN),
        (None, Some("Foreground")) => Some(FOREGROUND),
        (Some(false), _) | (None, Some("Background")) => None,
        // What the object itself says comes before what its kind says.
        _ => {
            let present =
                own.iter().filter_map(Value::as_str).find(|name| [ORPHAN, FOREGROUND].contains(name));
            match present {
                Some(ORPHAN) => Some(ORPHAN),
                Some(_) => Some(FOREGROUND),
                None => (dependents == Dependents::Orphan).then_some(ORPHAN),
            }
        }
    };
    keep_of_collection(object, wanted);
}

/// Reports whether the object has finalizers in its metadata, or in its spec.
fn has_finalizers_in(object: &Object, holder: &str) -> bool {
    let finalizers = object.get(holder).and_then(|holder| holder.get("finalizers"));
    finalizers.and_then(Value::as_array).is_some_and(|finalizers| !finalizers.is_empty())
}

#[cfg(test)]
mod tests;
