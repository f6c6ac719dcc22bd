//! How one value became another.

use std::collections::BTreeSet;

use json_tree::Value;
use schema::Types;

use super::named::Named;
use super::validate::is_scalar;
use super::{Kind, entries_of, items_of, kinds_of_both};
use crate::path::PathElement;
use crate::set::{Node, Set};
use crate::shape::{List, Map, Relation, Shape};
use crate::value::same;

/// How one value became another, by fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// The fields that only the newer one has.
    pub added: Set,
    /// The fields that both have, with other values.
    pub modified: Set,
    /// The fields that only the older one has.
    pub removed: Set,
}

impl Comparison {
    /// Returns whether no field changed; the order of items may have.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.modified.is_empty() && self.removed.is_empty()
    }

    /// The same, but of the fields that `ignored` has nothing is said, nor of what is inside of them.
    pub fn without(&self, ignored: &Set) -> Self {
        Self {
            added: self.added.recursive_difference(ignored),
            modified: self.modified.recursive_difference(ignored),
            removed: self.removed.recursive_difference(ignored),
        }
    }
}

/// The changes of a field, and of what is inside of it.
#[derive(Default)]
struct Changes {
    added: Node,
    modified: Node,
    removed: Node,
}

impl Changes {
    /// Takes over what changed at the end of a step from here.
    fn insert(&mut self, element: impl Fn() -> PathElement, changes: Self) {
        for (own, node) in [
            (&mut self.added, changes.added),
            (&mut self.modified, changes.modified),
            (&mut self.removed, changes.removed),
        ] {
            if !node.is_empty() {
                own.children.insert(element(), node);
            }
        }
    }
}

pub(super) fn compare(types: &Types, shape: Shape<'_>, older: &Value, newer: &Value) -> Comparison {
    let changes = walk(types, shape, (Some(older), Some(newer)));
    Comparison {
        added: changes.added.children,
        modified: changes.modified.children,
        removed: changes.removed.children,
    }
}

/// Two values, one in the place of the other. One of them may be absent, which is not the same as null.
type Pair<'v> = (Option<&'v Value>, Option<&'v Value>);

fn walk(types: &Types, shape: Shape<'_>, pair: Pair<'_>) -> Changes {
    let mut changes = Changes::default();
    let mut leaf = false;
    for kind in kinds_of_both(types, shape, pair).into_iter().flatten() {
        leaf = match kind {
            Kind::Scalar(kind) => {
                if is_scalar(kind, pair.0) || is_scalar(kind, pair.1) {
                    compare_leaves(pair, &mut changes);
                }
                true
            }
            Kind::List(list) => compare_lists(types, &list, pair, &mut changes),
            Kind::Map(map) => compare_maps(types, &map, pair, &mut changes),
        };
    }
    if !leaf {
        changes.added.member |= pair.0.is_none();
        changes.removed.member |= pair.1.is_none();
    }
    changes
}

fn compare_leaves(pair: Pair<'_>, changes: &mut Changes) {
    match pair {
        (None, _) => changes.added.member = true,
        (_, None) => changes.removed.member = true,
        (Some(older), Some(newer)) => changes.modified.member |= !same(older, newer),
    }
}

/// Compares two lists. Returns whether they were compared as one value each.
fn compare_lists(types: &Types, list: &List<'_>, pair: Pair<'_>, changes: &mut Changes) -> bool {
    let (older, newer) = (items_of(pair.0), items_of(pair.1));
    if list.relation == Relation::Atomic || older.is_empty() && newer.is_empty() {
        compare_leaves(pair, changes);
        return true;
    }
    let (older, newer) = (Named::new(types, list, older), Named::new(types, list, newer));
    let mut done = BTreeSet::new();
    for element in newer.elements().chain(older.elements()) {
        if !done.insert(element) {
            continue;
        }
        let (before, after) = (older.all(element), newer.all(element));
        let inside = compare_items(types, list, &before, &after);
        changes.insert(|| element.clone(), inside);
    }
    false
}

/// Compares what has one name in two lists: mostly an item in each.
fn compare_items(types: &Types, list: &List<'_>, before: &[&Value], after: &[&Value]) -> Changes {
    let marked = |changed: bool| Changes {
        modified: Node { member: changed, children: Set::default() },
        ..Changes::default()
    };
    match (before, after) {
        ([] | [_], [] | [_]) => walk(types, list.item, (before.first().copied(), after.first().copied())),
        ([], _) => Changes { added: Node::leaf(), ..Changes::default() },
        (_, []) => Changes { removed: Node::leaf(), ..Changes::default() },
        // Items that stand there twice are one value.
        ([_, _, ..], [_, _, ..]) => {
            let equal = before.len() == after.len() && before.iter().zip(after).all(|(a, b)| same(a, b));
            marked(!equal)
        }
        // The one that was left, or that others were added to, is new to whoever wrote it.
        ([_, _, ..], [only]) => {
            let mut changes = walk(types, list.item, (None, Some(*only)));
            changes.added.member = false;
            changes.modified.member = true;
            changes
        }
        ([only], [_, _, ..]) => {
            let mut changes = walk(types, list.item, (Some(*only), None));
            changes.removed.member = false;
            changes.modified.member = true;
            changes
        }
    }
}

/// Compares two maps. Returns whether they were compared as one value each.
fn compare_maps(types: &Types, map: &Map<'_>, pair: Pair<'_>, changes: &mut Changes) -> bool {
    let (older, newer) = (entries_of(pair.0), entries_of(pair.1));
    if map.atomic || older.is_none() && newer.is_none() {
        compare_leaves(pair, changes);
        return true;
    }
    let keys = newer.into_iter().flatten().map(|(key, _)| key);
    let gone = older
        .into_iter()
        .flatten()
        .map(|(key, _)| key)
        .filter(|key| newer.is_none_or(|newer| !newer.contains_key(*key)));
    for key in keys.chain(gone) {
        let Some(shape) = map.child(key) else { continue };
        let pair = (older.and_then(|map| map.get(key)), newer.and_then(|map| map.get(key)));
        if pair.0.is_some() && pair.0 == pair.1 {
            continue;
        }
        changes.insert(|| PathElement::field(key), walk(types, shape, pair));
    }
    false
}
