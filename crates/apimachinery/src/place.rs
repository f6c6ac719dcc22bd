//! The parts of an API path: what it is about.

/// The parts of an API path. All of them stand in the path, in this order.
///
/// <https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris>
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place<'a> {
    /// `/api/v1` or `/apis/GROUP/VERSION`.
    pub root: &'a str,
    /// Empty where there is none in the path.
    pub namespace: &'a str,
    /// The resource's plural name.
    pub resource: &'a str,
    /// The object's name; empty for a collection.
    pub name: &'a str,
    /// The subresource; empty for the object itself.
    pub subresource: &'a str,
    /// The rest of the path, after the subresource: where a proxy leads to.
    pub path: &'a str,
}

impl<'a> Place<'a> {
    /// Reads a path; `None` if it leads to no resource.
    pub fn of(path: &'a str) -> Option<Self> {
        let depth = match path {
            _ if path.starts_with("/apis/") => 4,
            _ if path.starts_with("/api/") => 3,
            _ => return None,
        };
        let root = path.match_indices('/').nth(depth - 1).map(|(at, _)| &path[..at])?;
        let mut rest = &path[root.len()..];
        let (mut namespace, mut resource) = ("", part(&mut rest));
        if resource == "namespaces" {
            let mut inside = rest;
            let (name, within) = (part(&mut inside), part(&mut inside));
            // These are a namespace's own.
            if !matches!(within, "" | "status" | "finalize") {
                (namespace, resource, rest) = (name, within, inside);
            }
        }
        let (name, subresource) = (part(&mut rest), part(&mut rest));
        let place = Self { root, namespace, resource, name, subresource, path: rest.trim_matches('/') };
        (!resource.is_empty()).then_some(place)
    }

    /// The API group; empty for the core group.
    pub fn group(self) -> &'a str {
        let group = self.root.strip_prefix("/apis/").and_then(|rest| rest.split_once('/'));
        group.map_or("", |(group, _)| group)
    }

    /// The path of its collection.
    pub fn collection(self) -> String {
        match self.namespace {
            "" => [self.root, "/", self.resource].concat(),
            namespace => [self.root, "/namespaces/", namespace, "/", self.resource].concat(),
        }
    }

    /// The path of the object `name` beside it.
    pub fn object(self, name: &str) -> String {
        [&self.collection(), "/", name].concat()
    }
}

/// Takes the next part of a path that is not empty.
fn part<'a>(rest: &mut &'a str) -> &'a str {
    let from = rest.trim_start_matches('/');
    let (part, after) = from.split_at(from.find('/').unwrap_or(from.len()));
    *rest = after;
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expected: Option<[&str; 7]>) {
        let parts = |place: Place<'_>| {
            let Place { root, namespace, resource, name, subresource, path } = place;
            [root, place.group(), namespace, resource, name, subresource, path].map(str::to_owned)
        };
        assert_eq!(Place::of(path).map(parts), expected.map(|parts| parts.map(str::to_owned)), "{path}");
    }

    #[test]
    fn reads_paths() {
        check("/api/v1/nodes", Some(["/api/v1", "", "", "nodes", "", "", ""]));
        check("/api/v1/namespaces", Some(["/api/v1", "", "", "namespaces", "", "", ""]));
        check("/api/v1/namespaces/a", Some(["/api/v1", "", "", "namespaces", "a", "", ""]));
        check("/api/v1/namespaces/a/status", Some(["/api/v1", "", "", "namespaces", "a", "status", ""]));
        check("/api/v1/namespaces/a/pods/", Some(["/api/v1", "", "a", "pods", "", "", ""]));
        check(
            "/api/v1/namespaces/a/pods/b/proxy/c/d",
            Some(["/api/v1", "", "a", "pods", "b", "proxy", "c/d"]),
        );
        check("/apis/apps/v1/deployments", Some(["/apis/apps/v1", "apps", "", "deployments", "", "", ""]));
        check(
            "/apis/apps/v1/namespaces/a/deployments/b/scale",
            Some(["/apis/apps/v1", "apps", "a", "deployments", "b", "scale", ""]),
        );
        for nowhere in
            ["", "/", "/api", "/api/v1", "/api/v1/", "/apis/apps/v1", "/version", "/x/y/z/w", "not a path"]
        {
            check(nowhere, None);
        }
    }
}
