//! A value with another over it.
//!
//! <https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy>

use std::collections::BTreeSet;

use json_tree::{Map as Entries, Value};
use schema::Types;

use super::named::Named;
use super::{Kind, entries_of, items_of, kinds_of_both};
use crate::path::PathElement;
use crate::shape::{List, Map, Relation, Shape};

/// Puts what `config` has over `live`.
pub(super) fn merge_into(types: &Types, shape: Shape<'_>, live: &mut Value, config: &Value) {
    // What is there already does not have to be looked at.
    if live == config {
        return;
    }
    let kind = match kinds_of_both(types, shape, (Some(live), Some(config))) {
        [Some(kind), None] => kind,
        // They are not of one kind: what it was does not count.
        _ => {
            *live = config.clone();
            return;
        }
    };
    let empty = entries_of(Some(config)).is_none() && items_of(Some(config)).is_empty();
    match kind {
        Kind::Map(map) if !map.atomic => match (live.as_object_mut(), config.as_object()) {
            (Some(live), _) if !live.is_empty() && empty => {}
            (Some(live), Some(config)) if !empty => merge_maps(types, &map, live, config),
            _ => *live = config.clone(),
        },
        Kind::List(list) if list.relation != Relation::Atomic => {
            match (live.as_array_mut(), config.as_array()) {
                (Some(live), _) if !live.is_empty() && empty => {}
                (Some(live), Some(config)) if !empty => merge_lists(types, &list, live, config),
                _ => *live = config.clone(),
            }
        }
        _ => live.clone_from(config),
    }
}

fn merge_maps(
    types: &Types,
    map: &Map<'_>,
    live: &mut Entries<String, Value>,
    config: &Entries<String, Value>,
) {
    for (key, value) in config {
        let Some(shape) = map.child(key) else { continue };
        match live.get_mut(key) {
            Some(live) => merge_into(types, shape, live, value),
            None => {
                live.insert(key.clone(), value.clone());
            }
        }
    }
}

/// Merges by names. The order is that of `config` for the items that it has; those that only `live` has stay
/// behind the item that they were behind.
fn merge_lists(types: &Types, list: &List<'_>, live: &mut Vec<Value>, config: &[Value]) {
    let mut before = Named::new(types, list, std::mem::take(live));
    let config = Named::new(types, list, config);
    let shared: Vec<PathElement> = config.elements().filter(|element| before.has(element)).cloned().collect();
    let mut next_shared = 0;
    let mut taken: BTreeSet<&PathElement> = BTreeSet::new();
    let (mut left, mut right) = (0, 0);
    while left < before.len() || right < config.len() {
        let (ours, theirs) = (before.get(left).map(|(element, _)| element), config.get(right));
        if let (Some(ours), Some((theirs, item))) = (ours, theirs) {
            if ours == theirs {
                taken.insert(theirs);
                live.push(merge_item(types, list, &mut before, (theirs, item)));
                left += 1;
                right += 1;
                next_shared += 1;
                continue;
            }
            if config.has(ours) && shared.get(next_shared).is_some_and(|next| next != ours) {
                // It stands elsewhere in the configuration.
                left += 1;
                continue;
            }
        }
        if let Some(ours) = ours {
            if !config.has(ours) {
                live.push(before.take(left));
                left += 1;
                continue;
            }
            if taken.contains(ours) {
                left += 1;
            }
        }
        if let Some((theirs, item)) = theirs {
            taken.insert(theirs);
            live.push(merge_item(types, list, &mut before, (theirs, item)));
            right += 1;
            if shared.get(next_shared) == Some(theirs) {
                next_shared += 1;
            }
        }
    }
}

/// `config` over the item of this name. What stands there twice is not merged with.
fn merge_item(
    types: &Types,
    list: &List<'_>,
    before: &mut Named<Value>,
    (element, config): (&PathElement, &Value),
) -> Value {
    match *before.places(element) {
        [place] => {
            let mut live = before.take(place);
            merge_into(types, list.item, &mut live, config);
            live
        }
        _ => config.clone(),
    }
}
