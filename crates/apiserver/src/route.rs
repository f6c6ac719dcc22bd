//! The meaning of a path: which resource, in which namespace, by which name.
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris>

use std::sync::Arc;

use golang::url::path_unescape;

use crate::resource::Resource;
use crate::resources::Resources;

/// The path at which the issuer of tokens describes itself.
pub(crate) const ISSUER_CONFIGURATION: &str = "/.well-known/openid-configuration";
/// The path of the keys that tokens are checked with.
pub(crate) const ISSUER_KEYS: &str = "/openid/v1/jwks";

/// The destination of a path.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Route {
    /// `/`
    Root,
    /// `/version`
    Version,
    /// `/healthz`, `/livez`, `/readyz`
    Health,
    /// `/api`: the versions of the core group.
    CoreVersions,
    /// `/apis`: the groups.
    Groups,
    /// `/apis/GROUP`
    Group(String),
    /// `/api/v1` or `/apis/GROUP/VERSION`: the group (empty for core) and the version.
    GroupVersion(String, String),
    /// A collection, an object or a subresource.
    Resource(Target),
    /// Nothing, below a group that is served: answered with a `Status`.
    NotServed,
    /// Nothing at all: answered with plain text.
    Unknown,
}

/// A collection, an object or a subresource.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Target {
    /// The resource.
    pub resource: Arc<Resource>,
    /// The namespace; empty for cluster-scoped resources and for a collection in all namespaces.
    pub namespace: String,
    /// The object's name; empty for a collection.
    pub name: String,
    /// The subresource; empty for the object itself.
    pub subresource: String,
    /// True if the path had the deprecated `/watch/` in it.
    pub watch: bool,
}

impl Target {
    /// The kind that the path takes, as if it were a resource.
    pub(crate) fn kind(&self) -> Arc<Resource> {
        match self.resource.subresource(&self.subresource) {
            None => Arc::clone(&self.resource),
            Some(part) => Arc::new(self.resource.of_part(part)),
        }
    }
}

impl Route {
    /// Reads a path: percent escapes are decoded before it is taken apart, as Go does it; one slash may stand at its end.
    pub(crate) fn of(path: &str, resources: &Resources) -> Self {
        let Some(path) = path.strip_prefix('/') else { return Self::Unknown };
        if path.is_empty() {
            return Self::Root;
        }
        if ["healthz", "livez", "readyz"].contains(&path) {
            return Self::Health;
        }
        let path = path.strip_suffix('/').unwrap_or(path);
        let Ok(path) = path_unescape(path) else { return Self::Unknown };
        let segments: Vec<&str> = path.split('/').collect();
        match segments.as_slice() {
            ["version"] => Self::Version,
            ["api"] => Self::CoreVersions,
            ["api", version, rest @ ..] => Self::below(resources, "", version, rest),
            ["apis"] => Self::Groups,
            ["apis", group, ..] if group.is_empty() || !resources.has_group(group) => Self::Unknown,
            ["apis", group] => Self::Group((*group).to_owned()),
            ["apis", group, version, rest @ ..] => match Self::below(resources, group, version, rest) {
                Self::NotServed if resources.is_custom(group) => Self::Unknown,
                route => route,
            },
            _ => Self::Unknown,
        }
    }

    fn below(resources: &Resources, group: &str, version: &str, rest: &[&str]) -> Self {
        let rows = || resources.iter().filter(|row| row.group == group && row.version == version);
        if rows().next().is_none() {
            return Self::NotServed;
        }
        let (watch, rest) = match rest {
            [] => return Self::GroupVersion(group.to_owned(), version.to_owned()),
            ["watch", rest @ ..] if !rest.is_empty() => (true, rest),
            rest => (false, rest),
        };
        let is =
            |row: &Resource, name: &str| row.name == name && row.version == version && row.group == group;
        let find = |name: &str| resources.iter().find(|row| is(row, name)).cloned();
        let (namespace, [name, object @ ..]) = split_namespace(group, rest, &find) else {
            return Self::NotServed;
        };
        let Some(resource) = find(name) else { return Self::NotServed };
        let custom = resource.is_custom();
        let (name, subresource) = match object {
            [] => ("", ""),
            [name] => (*name, ""),
            // Whoever serves custom resources looks no further, and knows by himself which subresources there are.
            [name, subresource, ..] if custom => (*name, *subresource),
            // What comes after it is for whatever the request is passed on to.
            [name, "proxy", ..] => (*name, "proxy"),
            [name, subresource] => (*name, *subresource),
            _ => return Self::NotServed,
        };
        let misplaced = resource.namespaced && namespace.is_empty() && !object.is_empty()
            || !resource.namespaced && !namespace.is_empty();
        let empty = object.iter().any(|segment| segment.is_empty());
        let unknown = !custom && !subresource.is_empty() && resource.subresource(subresource).is_none();
        if misplaced || empty || unknown || watch && !subresource.is_empty() {
            return Self::NotServed;
        }
        Self::Resource(Target {
            resource,
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            subresource: subresource.to_owned(),
            watch,
        })
    }
}

/// Takes `namespaces/NAMESPACE/` off, unless the path means the namespace itself: `namespaces/NAME/status` and
/// `.../finalize` are its subresources.
fn split_namespace<'a>(
    group: &str,
    rest: &'a [&'a str],
    find: &impl Fn(&str) -> Option<Arc<Resource>>,
) -> (&'a str, &'a [&'a str]) {
    match rest {
        ["namespaces", namespace, below @ ..] if !below.is_empty() && !namespace.is_empty() => {
            let own = group.is_empty()
                && below.len() == 1
                && find("namespaces").is_some_and(|row| {
                    row.subresources.iter().any(|subresource| subresource.name == below[0])
                });
            if own { ("", rest) } else { (namespace, below) }
        }
        _ => ("", rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A route as text: `group/version/resource namespace name subresource`.
    fn show(path: &str) -> String {
        match Route::of(path, &Resources::builtin()) {
            Route::Resource(target) => {
                let row = &target.resource;
                let watch = if target.watch { " watch" } else { "" };
                let (namespace, name, sub) = (target.namespace, target.name, target.subresource);
                format!("{}/{}/{} [{namespace}] [{name}] [{sub}]{watch}", row.group, row.version, row.name)
            }
            other => format!("{other:?}"),
        }
    }

    #[track_caller]
    fn check(path: &str, expected: &str) {
        assert_eq!(show(path), expected, "{path}");
    }

    #[test]
    fn objects_and_collections() {
        check("/api/v1/pods", "/v1/pods [] [] []");
        check("/api/v1/namespaces/a/pods/", "/v1/pods [a] [] []");
        check("/api/v1/namespaces/a/pods/b", "/v1/pods [a] [b] []");
        check("/api/v1/namespaces/a/pods/b/status", "/v1/pods [a] [b] [status]");
        check("/api/v1/namespaces/a/pods/x%20y", "/v1/pods [a] [x y] []");
        check("/apis/apps/v1/namespaces/a/deployments/b", "apps/v1/deployments [a] [b] []");
        check("/api/v1/namespaces/a/pods/b/proxy/c/d", "/v1/pods [a] [b] [proxy]");
        check("/api/v1/watch/namespaces/a/pods", "/v1/pods [a] [] [] watch");
    }

    #[test]
    fn namespaces_are_objects_too() {
        check("/api/v1/namespaces", "/v1/namespaces [] [] []");
        check("/api/v1/namespaces/a", "/v1/namespaces [] [a] []");
        check("/api/v1/namespaces/a/status", "/v1/namespaces [] [a] [status]");
        check("/api/v1/namespaces/a/scale", "NotServed");
    }

    #[test]
    fn near_misses() {
        check("/api/v1/configmaps/a", "NotServed");
        check("/api/v1/namespaces/a/nodes", "NotServed");
        check("/api/v1/namespaces/a//configmaps", "NotServed");
        check("/api/v1/namespaces/a/configmaps/b/c/d", "NotServed");
        check("/apis/apps/v1/namespaces/a", "NotServed");
        check("/apis/apps/v9/deployments", "NotServed");
        check("/api/v2", "NotServed");
        check("/apis/nope.example.com/v1/things", "Unknown");
        check("//api/v1/pods", "Unknown");
        check("/healthz/", "Unknown");
        check("/api/v1/%ZZ", "Unknown");
    }

    #[test]
    fn what_is_not_an_object_s() {
        check("/", "Root");
        check("/api/", "CoreVersions");
        check("/apis", "Groups");
        check("/apis/apps", "Group(\"apps\")");
        check("/api/v1", "GroupVersion(\"\", \"v1\")");
        check("/readyz", "Health");
    }
}
