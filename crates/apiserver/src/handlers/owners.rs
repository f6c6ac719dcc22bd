//! References to owners: each stands in an object once.
//!
//! <https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/>

use std::collections::HashSet;

use json_tree::Value;

use crate::storage::Object;

/// Takes out references that are there already; gives a warning, if there were any.
pub(super) fn dedup(object: &mut Object) -> Option<String> {
    let metadata = object.get_mut("metadata")?;
    let owners = metadata.get_mut("ownerReferences")?.as_array_mut()?;
    let mut kept: Vec<Value> = Vec::with_capacity(owners.len());
    let (mut seen, mut twice) = (HashSet::new(), Vec::new());
    for owner in owners.drain(..) {
        let uid = owner["uid"].as_str().unwrap_or_default().to_owned();
        // All are compared only where the uid is known.
        if !seen.insert(uid.clone()) && kept.contains(&owner) {
            twice.push(uid);
        } else {
            kept.push(owner);
        }
    }
    *owners = kept;
    (!twice.is_empty()).then(|| {
        format!(
            ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may \
             reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {}",
            twice.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[test]
    fn each_owner_stands_once() {
        let owner = |name: &str, uid: &str| json!({"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": uid});
        let check = |owners: Value, expected: Value, told: Option<&str>| {
            let mut object = Object::new();
            object.insert("metadata".to_owned(), json!({ "ownerReferences": owners }));
            let warning = dedup(&mut object);
            assert_eq!(object["metadata"]["ownerReferences"], expected);
            assert_eq!(
                warning.as_deref().and_then(|text| text.rsplit_once(": ")).map(|(_, uids)| uids),
                told
            );
        };
        let (a, b) = (owner("a", "1"), owner("b", "2"));
        check(json!([a, b]), json!([a, b]), None);
        check(json!([a, b, a, b]), json!([a, b]), Some("1, 2"));
        // The same uid by another name is another reference.
        check(json!([a, owner("c", "1")]), json!([a, owner("c", "1")]), None);
        assert_eq!(dedup(&mut Object::new()), None);
    }
}
