//! Sorting at little cost in code.

use std::cmp::Ordering;

/// Sorts as `slice::sort_by` does: what compares as equal stays in its order.
///
/// The standard library's sorting is 4 kB of machine code for each type and comparison; this is one for all, which the
/// page is smaller by and which takes somewhat longer. It is for what is short or seldom sorted.
pub fn sort_by<T>(items: &mut Vec<T>, mut compare: impl FnMut(&T, &T) -> Ordering) {
    let mut order: Vec<usize> = (0..items.len()).collect();
    sort_places(&mut order, &mut |a, b| compare(&items[a], &items[b]));
    let mut taken: Vec<Option<T>> = items.drain(..).map(Some).collect();
    items.extend(order.into_iter().filter_map(|place| taken[place].take()));
}

fn sort_places(order: &mut [usize], compare: &mut dyn FnMut(usize, usize) -> Ordering) {
    order.sort_unstable_by(|a, b| compare(*a, *b).then(a.cmp(b)));
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
            prop_assert_eq!(sorted, expected);
        }
    }
}
