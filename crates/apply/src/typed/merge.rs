//! A value with another over it.
//!
//! <https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy>

use schema::Types;
use serde_json::Value;

use super::{Kind, entries_of, items, items_of, kinds_of_both};
use crate::path::PathElement;
use crate::shape::{List, Map, Relation, Shape};

/// `live` with what `config` has over it; nothing, if nothing is left of either.
pub(super) fn merge(
    types: &Types,
    shape: Shape<'_>,
    live: Option<&Value>,
    config: Option<&Value>,
) -> Option<Value> {
    let mut merged = None;
    for kind in kinds_of_both(types, shape, (live, config)).into_iter().flatten() {
        merged = match kind {
            Kind::Scalar(_) => config.or(live).cloned(),
            Kind::List(list) => merge_lists(types, &list, live, config),
            Kind::Map(map) => merge_maps(types, &map, live, config),
        };
    }
    merged
}

fn merge_maps(types: &Types, map: &Map<'_>, live: Option<&Value>, config: Option<&Value>) -> Option<Value> {
    let (of_live, of_config) = (entries_of(live), entries_of(config));
    if map.atomic || of_live.is_none() && of_config.is_none() {
        return config.or(live).cloned();
    }
    let mut merged = serde_json::Map::new();
    let new = of_config
        .into_iter()
        .flatten()
        .map(|(key, _)| key)
        .filter(|key| of_live.is_none_or(|live| !live.contains_key(*key)));
    for key in of_live.into_iter().flatten().map(|(key, _)| key).chain(new) {
        let Some(shape) = map.child(key) else { continue };
        let entry =
            |map: Option<&'_ serde_json::Map<String, Value>>| map.and_then(|map| map.get(key)).cloned();
        let (live, config) = (entry(of_live), entry(of_config));
        if let Some(value) = merge(types, shape, live.as_ref(), config.as_ref()) {
            merged.insert(key.clone(), value);
        }
    }
    (!merged.is_empty()).then_some(Value::Object(merged))
}

/// Merges by names. The order is that of `config` for the items that it has; those that only `live` has stay
/// behind the item that they were behind.
fn merge_lists(
    types: &Types,
    list: &List<'_>,
    live: Option<&Value>,
    config: Option<&Value>,
) -> Option<Value> {
    let (of_live, of_config) = (items_of(live), items_of(config));
    if list.relation == Relation::Atomic || of_live.is_empty() && of_config.is_empty() {
        return config.or(live).cloned();
    }
    let live = Index::new(types, list, of_live);
    let config = Index::new(types, list, of_config);
    let mut shared = config.0.iter().filter(|(element, _)| live.has(element)).map(|(element, _)| element);
    let mut next_shared = shared.next();
    let mut taken: Vec<&PathElement> = Vec::new();
    let mut merged = Vec::with_capacity(of_live.len().max(of_config.len()));
    let (mut left, mut right) = (0, 0);
    while left < live.0.len() || right < config.0.len() {
        if let (Some((ours, _)), Some((theirs, item))) = (live.0.get(left), config.0.get(right)) {
            if ours == theirs {
                taken.push(theirs);
                merged.extend(merge(types, list.item, live.only(ours), Some(*item)));
                left += 1;
                right += 1;
                next_shared = shared.next();
                continue;
            }
            if config.has(ours) && next_shared.is_some_and(|next| next != ours) {
                // It stands elsewhere in the configuration.
                left += 1;
                continue;
            }
        }
        if let Some((ours, item)) = live.0.get(left) {
            if !config.has(ours) {
                merged.extend(merge(types, list.item, Some(*item), None));
                left += 1;
                continue;
            }
            if taken.contains(&ours) {
                left += 1;
            }
        }
        if let Some((theirs, item)) = config.0.get(right) {
            taken.push(theirs);
            merged.extend(merge(types, list.item, live.only(theirs), Some(*item)));
            right += 1;
            if next_shared == Some(theirs) {
                next_shared = shared.next();
            }
        }
    }
    (!merged.is_empty()).then_some(Value::Array(merged))
}

/// The items of a list with the steps to them.
struct Index<'v>(Vec<(PathElement, &'v Value)>);

impl<'v> Index<'v> {
    fn new(types: &Types, list: &List<'_>, items: &'v [Value]) -> Self {
        let named = |item| items::element(types, list, item).ok().map(|element| (element, item));
        Self(items.iter().filter_map(named).collect())
    }

    fn has(&self, element: &PathElement) -> bool {
        self.0.iter().any(|(own, _)| own == element)
    }

    /// The item at the end of this step, if there is one and only one.
    fn only(&self, element: &PathElement) -> Option<&'v Value> {
        let mut found = self.0.iter().filter(|(own, _)| own == element).map(|(_, item)| *item);
        let first = found.next();
        if found.next().is_some() { None } else { first }
    }
}
