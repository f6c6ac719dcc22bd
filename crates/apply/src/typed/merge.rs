//! A value with another over it.
//!
//! <https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy>

use json_tree::{Map as Entries, Value};
use schema::Types;

use super::{Kind, entries_of, items, items_of, kinds_of_both};
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
    let mut before = Index::new(types, list, std::mem::take(live));
    let config = Index::new(types, list, config.iter().collect());
    let shared = config.0.iter().map(|(element, _)| element).filter(|element| before.has(element));
    let shared: Vec<PathElement> = shared.cloned().collect();
    let mut next_shared = 0;
    let mut taken: Vec<&PathElement> = Vec::new();
    let (mut left, mut right) = (0, 0);
    while left < before.0.len() || right < config.0.len() {
        let (ours, theirs) = (before.0.get(left).map(|(element, _)| element), config.0.get(right));
        if let (Some(ours), Some((theirs, item))) = (ours, theirs) {
            if ours == theirs {
                taken.push(theirs);
                live.push(before.merge(types, list, theirs, item));
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
                live.push(std::mem::take(&mut before.0[left].1));
                left += 1;
                continue;
            }
            if taken.contains(&ours) {
                left += 1;
            }
        }
        if let Some((theirs, item)) = theirs {
            taken.push(theirs);
            live.push(before.merge(types, list, theirs, item));
            right += 1;
            if shared.get(next_shared) == Some(theirs) {
                next_shared += 1;
            }
        }
    }
}

/// The items of a list with the steps to them.
struct Index<T>(Vec<(PathElement, T)>);

impl<T: std::borrow::Borrow<Value>> Index<T> {
    fn new(types: &Types, list: &List<'_>, items: Vec<T>) -> Self {
        let named = |item: T| items::element(types, list, item.borrow()).ok().map(|element| (element, item));
        Self(items.into_iter().filter_map(named).collect())
    }

    fn has(&self, element: &PathElement) -> bool {
        self.0.iter().any(|(own, _)| own == element)
    }
}

impl Index<Value> {
    /// `config` over the item of this name. What stands there twice is not merged with.
    fn merge(&mut self, types: &Types, list: &List<'_>, element: &PathElement, config: &Value) -> Value {
        let mut found = self.0.iter_mut().filter(|(own, _)| own == element).map(|(_, item)| item);
        match (found.next(), found.next()) {
            (Some(live), None) => {
                let mut live = std::mem::take(live);
                merge_into(types, list.item, &mut live, config);
                live
            }
            _ => config.clone(),
        }
    }
}
