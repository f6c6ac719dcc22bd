//! References to owners: each stands in an object once.
//!
//! <https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/>

use std::collections::HashSet;

use apimachinery::object::Object;

/// The words of a warning about what there is when admission has changed the object. In what a PATCH makes nobody looks before.
pub(super) const ADMITTED: &str = " after mutating admission happens";

/// Takes out references that are there already; gives a warning, if there were any, with words that say when.
pub(super) fn dedup(object: &mut Object, when: &str) -> Option<String> {
    let metadata = object.get_mut("metadata")?;
    let owners = metadata.get_mut("ownerReferences")?.as_array_mut()?;
    let mut seen = HashSet::with_capacity(owners.len());
    let new: Vec<bool> = owners.iter().map(|owner| seen.insert(owner)).collect();
    let (mut twice, mut new) = (Vec::new(), new.into_iter());
    owners.retain(|owner| {
        let new = new.next().unwrap_or(true);
        if !new {
            twice.push(owner["uid"].as_str().unwrap_or_default().to_owned());
        }
        new
    });
    (!twice.is_empty()).then(|| {
        format!(
            ".metadata.ownerReferences contains duplicate entries{when}; API server dedups owner references in 1.20+, and may \
             reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {}",
            twice.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use json_tree::{Value, json};

    use super::*;

    #[test]
    fn each_owner_stands_once() {
        let owner = |name: &str, uid: &str| json!({"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": uid});
        let check = |owners: Value, expected: Value, told: Option<&str>| {
            let mut object = Object::new();
            object.insert("metadata".to_owned(), json!({ "ownerReferences": owners }));
            let warning = dedup(&mut object, "");
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
        assert_eq!(dedup(&mut Object::new(), ADMITTED), None);
    }
}
