//! Leases: nobody coordinates yet who gets them.
//!
//! <https://kubernetes.io/docs/concepts/cluster-administration/coordinated-leader-election/>

use json_tree::Value;

use super::{CREATES_ON_UPDATE, Strategy};
use crate::storage::Object;

/// The fields whose feature gate is off.
const OFF: [&str; 2] = ["strategy", "preferredHolder"];

pub(super) const STRATEGY: Strategy = Strategy {
    requires_version: true,
    prepare_for_create: |lease| drop(lease, &Object::new()),
    prepare_for_update: drop,
    ..CREATES_ON_UPDATE
};

/// Leaves out the fields that are not of use, unless the stored lease has them.
fn drop(lease: &mut Object, old: &Object) {
    let Some(spec) = lease.get_mut("spec").and_then(Value::as_object_mut) else { return };
    for field in OFF {
        if old.get("spec").and_then(|spec| spec.get(field)).is_none() {
            spec.shift_remove(field);
        }
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[test]
    fn what_is_not_of_use_is_left_out() {
        let lease = |spec: Value| json!({ "spec": spec }).as_object().cloned().unwrap_or_default();
        let check = |old: Value, expected: Value| {
            let mut new = lease(json!({"holderIdentity": "a", "strategy": "s", "preferredHolder": "b"}));
            drop(&mut new, &lease(old));
            assert_eq!(new["spec"], expected);
        };
        check(json!({}), json!({"holderIdentity": "a"}));
        check(json!({"strategy": "s"}), json!({"holderIdentity": "a", "strategy": "s"}));
    }
}
