//! Sorting at little cost in code.

use std::cmp::Ordering;

/// Sorts as `slice::sort` does.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, Ord::cmp);
}

/// Sorts, and keeps one of those that are equal.
pub fn sort_once<T: Ord>(items: &mut Vec<T>) {
    sort(items);
    items.dedup();
}

/// Sorts as `slice::sort_by` does: what compares as equal stays in its order.
///
/// The standard library's sorting is 4 kB of machine code for each type and comparison; this is one for all, which the
/// page is smaller by and which takes somewhat longer. It is for what is short or seldom sorted.
pub fn sort_by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let mut order = order(items.len(), &mut |a, b| compare(&items[a], &items[b]));
    // Each place gets what belongs there, and what was there goes where that has come from, until the circle is closed.
    for start in 0..order.len() {
        let mut place = start;
        loop {
            let from = std::mem::replace(&mut order[place], place);
            if from == start || from == place {
                break;
            }
            items.swap(place, from);
            place = from;
        }
    }
}

/// The places of so many items in order, by merging ever longer runs.
fn order(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    if (1..count).all(|place| compare(place - 1, place) != Ordering::Greater) {
        return Vec::new();
    }
    let mut order: Vec<usize> = (0..count).collect();
    let mut merged = order.clone();
    let mut run = 1;
    while run < count {
        for (from, to) in order.chunks(2 * run).zip(merged.chunks_mut(2 * run)) {
            let (mut left, mut right) = from.split_at(run.min(from.len()));
            for place in to {
                let side = match (left, right) {
                    ([a, ..], [b, ..]) if compare(*a, *b) == Ordering::Greater => &mut right,
                    ([], _) => &mut right,
                    _ => &mut left,
                };
                if let Some(first) = side.split_off_first() {
                    *place = *first;
                }
            }
        }
        std::mem::swap(&mut order, &mut merged);
        run *= 2;
    }
    order
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sorts_as_the_standard_library_does(items: Vec<(u8, u8)>) {
            let (mut sorted, mut expected) = (items.clone(), items);
            sort_by(&mut sorted, |a, b| a.0.cmp(&b.0));
            expected.sort_by_key(|item| item.0);
            prop_assert_eq!(&sorted, &expected);
            sort_once(&mut sorted);
            expected.sort();
            expected.dedup();
            prop_assert_eq!(sorted, expected);
        }
    }
}
