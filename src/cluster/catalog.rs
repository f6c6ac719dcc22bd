//! The resources that a cluster serves: those of the left pane and of path completion. A remote cluster is taken to
//! serve what Kubernetes serves by default, too.

use schema::Resource;

use crate::cluster::place::Place;

/// The resources that have a list, each in each of its versions, as discovery orders them.
pub(crate) fn listed() -> impl Iterator<Item = &'static Resource> + Clone {
    schema::resources().iter().map(AsRef::as_ref).filter(|resource| resource.allows("list"))
}

/// The same, and then custom ones.
pub(crate) fn with<'r>(custom: &'r [Resource]) -> impl Iterator<Item = &'r Resource> + Clone {
    let built_in = listed().map(|resource| -> &'r Resource { resource });
    built_in.chain(custom)
}

/// `/api/v1` or `/apis/GROUP/VERSION`.
pub(crate) fn root(resource: &Resource) -> String {
    match resource.group.as_str() {
        "" => format!("/api/{}", resource.version),
        group => format!("/apis/{group}/{}", resource.version),
    }
}

/// The path of its collection in `namespace`; an empty one means all of them.
pub(crate) fn path(resource: &Resource, namespace: &str) -> String {
    if resource.namespaced && !namespace.is_empty() {
        format!("{}/namespaces/{namespace}/{}", root(resource), resource.name)
    } else {
        format!("{}/{}", root(resource), resource.name)
    }
}

/// The group as people call it.
pub(crate) fn group_name(resource: &Resource) -> &str {
    if resource.group.is_empty() { "core" } else { &resource.group }
}

/// The group and resource that a collection's path is about.
pub(crate) fn of_path(path: &str) -> Option<(&str, &str)> {
    Place::of(path).map(|place| (place.group(), place.resource))
}

/// The path of the collection that `path` leads into: a collection's, an object's, or what is below that.
pub(crate) fn collection(path: &str) -> Option<String> {
    Some(Place::of(path.split('?').next()?)?.collection())
}

/// Returns the name of a collection's storage, `configmaps` or `deployments.apps`, and the collection's namespace,
/// which is empty where it is in none or in all.
pub(crate) fn stored(path: &str) -> Option<(String, String)> {
    let place = Place::of(path)?;
    let resource =
        listed().find(|resource| resource.group == place.group() && resource.name == place.resource)?;
    let namespace = if resource.namespaced { place.namespace } else { "" };
    Some((storage_key(resource), namespace.to_owned()))
}

/// The key of a resource's count in an overview: the resource of its storage (`configmaps`, `deployments.apps`).
pub(crate) fn storage_key(resource: &Resource) -> String {
    let storage = &resource.storage;
    let dot = if storage.group.is_empty() { "" } else { "." };
    [&storage.resource, dot, &storage.group].concat()
}

/// A group and version with its resources.
pub(crate) struct Section {
    /// `core`, `apps`, ...; with the version, where a group has several.
    pub(crate) title: String,
    /// The resources, in the order of discovery.
    pub(crate) resources: Vec<&'static Resource>,
}

/// The resources by group and version.
pub(crate) fn sections() -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for resource in listed() {
        let place = (resource.group.as_str(), resource.version.as_str());
        match seen.iter().position(|known| *known == place) {
            Some(at) => sections[at].resources.push(resource),
            None => {
                let again = seen.iter().any(|(group, _)| *group == place.0);
                let name = group_name(resource);
                let title = if again { format!("{name}/{}", place.1) } else { name.to_owned() };
                seen.push(place);
                sections.push(Section { title, resources: vec![resource] });
            }
        }
    }
    sections
}

#[cfg(test)]
pub(crate) mod tests {
    use schema::Storage;

    use super::*;

    /// A resource to test with.
    pub(crate) fn resource(group: &str, name: &str, kind: &str, namespaced: bool) -> Resource {
        Resource {
            group: group.to_owned(),
            version: "v1".to_owned(),
            name: name.to_owned(),
            singular: kind.to_ascii_lowercase(),
            kind: kind.to_owned(),
            list_kind: format!("{kind}List"),
            namespaced,
            verbs: ["create", "delete", "get", "list", "update", "watch"].map(str::to_owned).to_vec(),
            short_names: Vec::new(),
            categories: Vec::new(),
            described: schema::Described::default(),
            subresources: Vec::new(),
            storage: Storage { group: group.to_owned(), version: "v1".to_owned(), resource: name.to_owned() },
        }
    }

    #[track_caller]
    fn check(resource: &Resource, namespace: &str, expected: &str) {
        assert_eq!(path(resource, namespace), expected);
    }

    #[test]
    fn paths_of_collections() {
        let pods = resource("", "pods", "Pod", true);
        check(&pods, "default", "/api/v1/namespaces/default/pods");
        check(&pods, "", "/api/v1/pods");
        check(
            &resource("apps", "deployments", "Deployment", true),
            "a",
            "/apis/apps/v1/namespaces/a/deployments",
        );
        check(&resource("", "nodes", "Node", false), "default", "/api/v1/nodes");
    }

    #[test]
    fn reads_paths() {
        assert_eq!(of_path("/api/v1/namespaces/a/pods"), Some(("", "pods")));
        assert_eq!(of_path("/apis/apps/v1/deployments"), Some(("apps", "deployments")));
        assert_eq!(of_path("/api/v1/namespaces"), Some(("", "namespaces")));
        assert_eq!(of_path("/api/v1/namespaces/a"), Some(("", "namespaces")));
        for nothing in ["", "/", "/version", "/api/v1", "/apis/apps"] {
            assert_eq!(of_path(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn paths_lead_into_collections() {
        for (path, expected) in [
            ("/api/v1/namespaces/a/pods", Some("/api/v1/namespaces/a/pods")),
            ("/api/v1/namespaces/a/pods/web-0/status?dryRun=All", Some("/api/v1/namespaces/a/pods")),
            ("/apis/apps/v1/deployments/", Some("/apis/apps/v1/deployments")),
            ("/api/v1/namespaces/a", Some("/api/v1/namespaces")),
            ("/api/v1/nodes/a", Some("/api/v1/nodes")),
            ("/api/v1", None),
            ("/api/v1/", None),
            ("/apis/apps", None),
            ("/version", None),
            ("", None),
        ] {
            assert_eq!(collection(path).as_deref(), expected, "{path}");
        }
    }

    #[test]
    fn collections_are_stored() {
        for (path, resource, namespace) in [
            ("/api/v1/namespaces/a/pods", "pods", "a"),
            ("/api/v1/pods", "pods", ""),
            ("/apis/apps/v1/namespaces/a/deployments", "deployments.apps", "a"),
            ("/apis/events.k8s.io/v1/namespaces/a/events", "events", "a"),
            ("/api/v1/namespaces", "namespaces", ""),
        ] {
            assert_eq!(stored(path), Some((resource.to_owned(), namespace.to_owned())), "{path}");
        }
        assert_eq!(stored("/apis/example.com/v1/widgets"), None);
    }

    #[test]
    fn storage_keys_are_those_of_the_overview() {
        assert_eq!(storage_key(&resource("", "pods", "Pod", true)), "pods");
        assert_eq!(storage_key(&resource("apps", "deployments", "Deployment", true)), "deployments.apps");
    }
}
