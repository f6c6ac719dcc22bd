//! The seats that priority levels get when some lend theirs to others.
//!
//! <https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#seat-borrowing>

/// A level that seats are allocated to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    /// The seats that it gets at least, and at most.
    pub(super) bounds: [f64; 2],
    /// The seats that it could use.
    pub(super) target: f64,
}

/// A level that could use none is taken as one that could use so many.
const LEAST_TARGET: f64 = 0.001;
/// How much sums may differ, as floating-point numbers do.
const EPSILON: f64 = 1e-7;

/// Allocates `sum` seats: to each level the same fraction of its target, which is also returned, as far as its bounds allow.
/// Returns nothing if the bounds do not allow for that sum.
pub(super) fn allocate(sum: f64, items: &[Item]) -> Option<(Vec<f64>, f64)> {
    let at = |fraction: f64| {
        let seats = |item: &Item| {
            let [lower, upper] = item.bounds;
            (fraction * item.target.max(LEAST_TARGET)).min(upper).max(lower)
        };
        items.iter().map(seats).collect::<Vec<f64>>()
    };
    let total = |seats: &[f64]| seats.iter().sum::<f64>();
    let ratio = |bound: usize| move |item: &Item| item.bounds[bound] / item.target.max(LEAST_TARGET);
    let least = items.iter().map(ratio(0)).fold(f64::MAX, f64::min);
    let most = items.iter().map(ratio(1)).fold(0.0, f64::max);
    let (fewest, greatest) = (total(&at(0.0)), total(&at(most)));
    if fewest - sum > EPSILON || sum - greatest > EPSILON {
        return None;
    }
    if fewest - sum > -EPSILON {
        return Some((at(0.0), least));
    }
    let (mut low, mut high) = (0.0, most);
    // The sum grows with the fraction: it is found as exactly as a double is.
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if total(&at(middle)) < sum {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some((at(high), high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_are_shared_out_in_proportion_to_targets_within_bounds() {
        let check = |sum: f64, items: &[[f64; 3]], expected: Option<(&[f64], f64)>| {
            let items: Vec<Item> =
                items.iter().map(|&[lower, upper, target]| Item { bounds: [lower, upper], target }).collect();
            let found = allocate(sum, &items);
            let near = |a: f64, b: f64| (a - b).abs() < 1e-6;
            let same = match (&found, expected) {
                (Some((found, fraction)), Some((expected, expected_fraction))) => {
                    found.len() == expected.len()
                        && found.iter().zip(expected).all(|(a, b)| near(*a, *b))
                        && near(*fraction, expected_fraction)
                }
                (found, expected) => found.is_none() && expected.is_none(),
            };
            assert!(same, "{sum} {items:?}: {found:?}");
        };
        // No bound matters.
        check(30.0, &[[0.0, 100.0, 10.0], [0.0, 100.0, 5.0]], Some((&[20.0, 10.0], 2.0)));
        // One level has all that it may have, another no less than it must.
        check(
            30.0,
            &[[0.0, 5.0, 10.0], [20.0, 50.0, 20.0], [0.0, 100.0, 10.0]],
            Some((&[5.0, 20.0, 5.0], 0.5)),
        );
        // Whoever wants nothing gets what the others leave.
        check(30.0, &[[5.0, 10.0, 10.0], [5.0, 100.0, 0.0]], Some((&[10.0, 20.0], 20_000.0)));
        check(10.0, &[[5.0, 10.0, 10.0], [5.0, 100.0, 5.0]], Some((&[5.0, 5.0], 0.5)));
        check(9.0, &[[5.0, 10.0, 10.0], [5.0, 100.0, 5.0]], None);
        check(111.0, &[[5.0, 10.0, 10.0], [5.0, 100.0, 5.0]], None);
    }
}
