//! The resources that aggregated API servers tell of, in the form of aggregated discovery.
//!
//! <https://kubernetes.io/docs/concepts/overview/kubernetes-api/#aggregated-discovery>

use json_tree::{Map, Value, json};

/// The media types in which groups are asked for.
pub(crate) const ACCEPT: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,\
                                 application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";

/// Reads the resources of a version from an `APIGroupDiscoveryList`; none if the version is not in it.
pub(crate) fn of_groups(document: &Value, group: &str, version: &str) -> Vec<Value> {
    let find = |list: &Value, of: &dyn Fn(&Value) -> bool| {
        list.as_array().and_then(|list| list.iter().find(|item| of(item)).cloned())
    };
    let group = find(&document["items"], &|item| item["metadata"]["name"] == group);
    let version = group.and_then(|group| find(&group["versions"], &|item| item["version"] == version));
    let Some(Value::Array(mut resources)) = version.map(|mut version| version["resources"].take()) else {
        return Vec::new();
    };
    for resource in &mut resources {
        name_kind(resource);
        resource["subresources"].as_array_mut().into_iter().flatten().for_each(name_kind);
        if resource["subresources"].is_null() {
            resource.as_object_mut().map(|resource| resource.shift_remove("subresources"));
        }
    }
    resources
}

/// Gives a resource a kind if it has none: some clients rely on one.
fn name_kind(resource: &mut Value) {
    if resource["responseKind"].is_null() {
        resource["responseKind"] = json!({ "group": "", "version": "", "kind": "" });
    }
}

/// Reads the resources of an `APIResourceList`.
pub(crate) fn of_group_version(document: &Value) -> Vec<Value> {
    let list = document["resources"].as_array().map_or(&[][..], Vec::as_slice);
    let name = |one: &Value| one["name"].as_str().unwrap_or_default().to_owned();
    let scope = |one: &Value| if one["namespaced"] == true { "Namespaced" } else { "Cluster" };
    let kind = |one: &Value| {
        let text = |key: &str| one[key].as_str().unwrap_or_default().to_owned();
        json!({ "group": text("group"), "version": text("version"), "kind": text("kind") })
    };
    let mut resources: Vec<(String, Map<String, Value>)> = Vec::new();
    for one in list.iter().filter(|one| !name(one).contains('/')) {
        let mut resource = Map::new();
        resource.insert("resource".to_owned(), name(one).into());
        resource.insert("responseKind".to_owned(), kind(one));
        resource.insert("scope".to_owned(), scope(one).into());
        let singular = one["singularName"].as_str().unwrap_or_default();
        resource.insert("singularResource".to_owned(), singular.into());
        for key in ["verbs", "shortNames", "categories"] {
            let is_empty = one[key].as_array().is_none_or(Vec::is_empty);
            if key == "verbs" || !is_empty {
                resource.insert(key.to_owned(), one[key].clone());
            }
        }
        resources.push((name(one), resource));
    }
    for one in list {
        let whole = name(one);
        let Some((parent, own)) = whole.split_once('/') else { continue };
        let subresource = json!({
            "subresource": own,
            "responseKind": kind(one),
            "verbs": one["verbs"],
        });
        let known = resources.iter_mut().find(|(name, _)| name == parent);
        let of = match known {
            Some((_, resource)) => resource,
            None => {
                let resource = json!({
                    "resource": parent,
                    "responseKind": { "group": "", "version": "", "kind": "" },
                    "scope": scope(one),
                    "singularResource": "",
                    "verbs": null,
                });
                let Value::Object(resource) = resource else { continue };
                resources.push((parent.to_owned(), resource));
                let Some((_, resource)) = resources.last_mut() else { continue };
                resource
            }
        };
        let list = of.entry("subresources".to_owned()).or_insert_with(|| Value::Array(Vec::new()));
        list.as_array_mut().into_iter().for_each(|list| list.push(subresource.clone()));
    }
    resources.into_iter().map(|(_, resource)| Value::Object(resource)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_are_found_in_both_forms() {
        let expected = json!([{
            "resource": "flunders",
            "responseKind": { "group": "", "version": "", "kind": "Flunder" },
            "scope": "Namespaced",
            "singularResource": "flunder",
            "verbs": ["get"],
            "shortNames": ["fl"],
            "subresources": [{
                "subresource": "status",
                "responseKind": { "group": "", "version": "", "kind": "Flunder" },
                "verbs": ["patch"],
            }],
        }]);
        let list = json!({ "kind": "APIResourceList", "resources": [
            { "name": "flunders/status", "namespaced": true, "kind": "Flunder", "verbs": ["patch"] },
            { "name": "flunders", "singularName": "flunder", "namespaced": true, "kind": "Flunder", "verbs": ["get"], "shortNames": ["fl"] },
        ]});
        assert_eq!(Value::Array(of_group_version(&list)), expected);
        let mut told = expected.clone();
        told[0]["subresources"][0]["responseKind"] = Value::Null;
        let groups = json!({ "items": [{ "metadata": { "name": "a.io" }, "versions": [{ "version": "v1", "resources": told }] }] });
        let mut named = expected;
        named[0]["subresources"][0]["responseKind"]["kind"] = "".into();
        assert_eq!(Value::Array(of_groups(&groups, "a.io", "v1")), named);
        assert_eq!(of_groups(&groups, "a.io", "v2"), Vec::<Value>::new());
    }

    #[test]
    fn a_part_without_a_whole_gets_one() {
        let list = json!({ "resources": [{ "name": "a/b", "kind": "B", "verbs": ["create"] }] });
        let shown = Value::Array(of_group_version(&list)).to_string();
        let expected = r#"[{"resource":"a","responseKind":{"group":"","version":"","kind":""},"scope":"Cluster","singularResource":"","verbs":null,"subresources":[{"subresource":"b","responseKind":{"group":"","version":"","kind":"B"},"verbs":["create"]}]}]"#;
        assert_eq!(shown, expected);
    }
}
