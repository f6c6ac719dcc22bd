//! The order of the items of merged lists.
//!
//! The items that the patch names are in its order, the others in theirs, and both are interleaved as they were before.

use json_tree::Value;

use super::keys::{Index, Positions};
use super::{is_directive, keyed};
use crate::Error;

/// A list in two: what the patch names, and the others.
type Partition = (Vec<Value>, Vec<Value>);

/// Which scalars are among those that `named` has.
pub(super) fn partition_scalars(items: Vec<Value>, named: &[Value]) -> Partition {
    let named = Positions::new(named, None);
    items.into_iter().partition(|item| named.of(item, None).is_some())
}

/// Which maps have a merge key that one in `named` has too.
pub(super) fn partition_maps(items: Vec<Value>, named: &[Value], key: &str) -> Result<Partition, Error> {
    let named = Index::new(named, key);
    let (mut patched, mut others) = (Vec::new(), Vec::new());
    for item in items {
        let found = named.find(keyed(&item, key)?.1)?;
        if found.is_some() { patched.push(item) } else { others.push(item) }
    }
    Ok((patched, others))
}

/// Sorts both parts and interleaves them. `key` is the merge key if the items are maps.
pub(super) fn arrange(
    patched: Vec<Value>,
    others: Vec<Value>,
    patch_order: &[Value],
    present: &[Value],
    key: Option<&str>,
) -> Result<Vec<Value>, Error> {
    let patched = sort(patched, patch_order, key)?;
    let others = sort(others, present, key)?;
    let places = Positions::new(present, key);
    let mut out = Vec::with_capacity(patched.len() + others.len());
    let (mut patched, mut others) = (patched.into_iter().peekable(), others.into_iter().peekable());
    loop {
        let other_first = match (others.peek(), patched.peek()) {
            (Some(other), Some(item)) => match (places.of(other, key), places.of(item, key)) {
                (Some(other), Some(item)) => other < item,
                _ => false,
            },
            (Some(_), None) => true,
            (None, _) => false,
        };
        match if other_first { others.next() } else { patched.next() } {
            Some(item) => out.push(item),
            None => return Ok(out),
        }
    }
}

/// Sorts items by where they are in `order`; those to be deleted come last.
fn sort(items: Vec<Value>, order: &[Value], key: Option<&str>) -> Result<Vec<Value>, Error> {
    let mut deleted = Vec::new();
    let mut kept = Vec::with_capacity(items.len());
    if let Some(key) = key {
        for item in items.iter().chain(order) {
            keyed(item, key)?;
        }
    }
    for item in items {
        match (key, &item) {
            (Some(_), Value::Object(map)) if is_directive(map, "delete") => deleted.push(item),
            _ => kept.push(item),
        }
    }
    let positions = Positions::new(order, key);
    let mut placed: Vec<(Option<usize>, Value)> =
        kept.into_iter().map(|item| (positions.of(&item, key), item)).collect();
    if placed.iter().all(|(place, _)| place.is_some()) {
        schema::sort_by(&mut placed, |a, b| a.0.cmp(&b.0));
    } else {
        insertion_sort(&mut placed);
    }
    Ok(placed.into_iter().map(|(_, item)| item).chain(deleted).collect())
}

/// How many items Go sorts by insertion, which shows if the comparison makes no sense.
const BLOCK: usize = 20;

/// Sorts as Go does by a comparison that says of what has no place that it is less than all, and all less than it.
fn insertion_sort(items: &mut [(Option<usize>, Value)]) {
    for block in items.chunks_mut(BLOCK) {
        for end in 1..block.len() {
            let mut at = end;
            while at > 0 {
                let less = match (block[at].0, block[at - 1].0) {
                    (Some(place), Some(before)) => place < before,
                    _ => true,
                };
                if !less {
                    break;
                }
                block.swap(at, at - 1);
                at -= 1;
            }
        }
    }
}
