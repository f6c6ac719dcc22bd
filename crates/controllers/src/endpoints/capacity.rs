//! The capacity of Endpoints: they have a thousand addresses at most.
//!
//! See <https://kubernetes.io/docs/concepts/services-networking/service/#over-capacity-endpoints>.

use json_tree::Value;

use crate::object::{self, list};

/// The annotation of Endpoints that do not have all addresses.
pub(super) const OVER_CAPACITY: &str = "endpoints.kubernetes.io/over-capacity";

/// The most addresses.
const MOST: usize = 1000;

fn counts(subsets: &[Value]) -> (usize, usize) {
    let count = |field: &str| subsets.iter().map(|subset| list(subset, field).len()).sum();
    (count("/addresses"), count("/notReadyAddresses"))
}

/// Reports whether Endpoints have no more addresses than they may, and say so.
pub(super) fn is_told(endpoints: &Value) -> bool {
    let (ready, not_ready) = counts(list(endpoints, "/subsets"));
    ready + not_ready <= MOST && object::annotation(endpoints, OVER_CAPACITY).is_none()
}

/// Leaves out addresses that are too many: first those that are not ready, of each subset as many as is its share. Reports whether there
/// were.
pub(super) fn truncate(mut subsets: Vec<Value>) -> (Vec<Value>, bool) {
    let (ready, not_ready) = counts(&subsets);
    if ready + not_ready <= MOST {
        return (subsets, false);
    }
    let only_ready = ready > MOST;
    let (field, total, most) =
        if only_ready { ("addresses", ready, MOST) } else { ("notReadyAddresses", not_ready, MOST - ready) };
    let mut left = most;
    for subset in &mut subsets {
        let own = subset.get(field).and_then(Value::as_array).cloned().unwrap_or_default();
        let share = (own.len() * most).div_ceil(total.max(1)).min(left);
        let kept: Vec<Value> = own.into_iter().take(share).collect();
        left -= kept.len();
        set(subset, field, kept);
        if only_ready {
            set(subset, "notReadyAddresses", Vec::new());
        }
    }
    (subsets, true)
}

/// Sets a list, or removes it if it is empty.
fn set(subset: &mut Value, field: &str, values: Vec<Value>) {
    if !values.is_empty() {
        object::set(subset, field, Value::Array(values));
    } else if let Some(subset) = subset.as_object_mut() {
        subset.shift_remove(field);
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check(before: &[(usize, usize)], expected: &[(usize, usize)]) {
        let some = |count: usize| vec![json!({"ip": "10.0.0.1"}); count];
        let subsets = before.iter().map(
            |(ready, not_ready)| json!({"addresses": some(*ready), "notReadyAddresses": some(*not_ready)}),
        );
        let (subsets, _) = truncate(subsets.collect());
        let found: Vec<_> = subsets.iter().map(|subset| counts(std::slice::from_ref(subset))).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn subsets_keep_their_shares() {
        check(&[(500, 500)], &[(500, 500)]);
        check(&[(500, 600)], &[(500, 500)]);
        check(&[(1000, 1000), (500, 500)], &[(667, 0), (333, 0)]);
        check(&[(300, 1000), (300, 500), (0, 3)], &[(300, 267), (300, 133), (0, 0)]);
    }
}
