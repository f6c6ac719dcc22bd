//! The subject of a body: the type that it has by the request's path, or else by what the body itself states.

use schema::{Resource, Subresource, TypeId, Types};

use crate::cluster::place::Place;

/// How a body becomes an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum How {
    /// It is the object.
    #[default]
    Whole,
    /// A JSON Patch: a list of operations.
    Operations,
    /// A merge patch.
    Merge,
    /// A strategic merge patch.
    Strategic,
    /// A configuration to apply.
    Apply,
}

impl How {
    /// By the media type of the body.
    pub(crate) fn of(media: &str) -> Self {
        let known = [
            ("json-patch", Self::Operations),
            ("strategic-merge-patch", Self::Strategic),
            ("merge-patch", Self::Merge),
            ("apply-patch", Self::Apply),
        ];
        known.iter().find(|(word, _)| media.contains(word)).map_or(Self::Whole, |(_, how)| *how)
    }

    /// As the editor's script calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Whole => "",
            Self::Operations => "json",
            Self::Merge => "merge",
            Self::Strategic => "strategic",
            Self::Apply => "apply",
        }
    }
}

/// The place where the type of an object is found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Described {
    /// Nobody knows it.
    #[default]
    Nowhere,
    /// It is the one of this name among those that all kinds have in common.
    Meta(&'static str),
    /// It is that of a resource.
    Whole(&'static Resource),
    /// It is that of a subresource.
    Part(&'static Subresource),
}

/// The subject of a request's body.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Subject {
    /// The description that leads to [`Self::ty`].
    described: Described,
    /// The `apiVersion` that the body has to state; empty if it is not known.
    pub(crate) api_version: String,
    /// The `kind` that the body has to state.
    pub(crate) kind: String,
    /// The object's name, if the path has one.
    pub(crate) name: String,
    /// The object's namespace, if the path has one.
    pub(crate) namespace: String,
    /// How the body becomes the object.
    pub(crate) how: How,
}

impl Subject {
    /// The type of the object; `None` if nobody knows. Types are looked up only here, so that whoever asks for none needs
    /// none of their tables.
    pub(crate) fn ty(&self) -> Option<TypeId> {
        match self.described {
            Described::Nowhere => None,
            Described::Meta(name) => Types::builtin().find("k8s.io/apimachinery/pkg/apis/meta/v1", name),
            Described::Whole(resource) => resource.ty(),
            Described::Part(part) => part.ty(),
        }
    }

    /// The metadata of this object, as if a body were about that.
    pub(crate) fn metadata(&self) -> Self {
        Self { described: Described::Meta("ObjectMeta"), ..self.clone() }
    }

    /// Returns the subject of the body of a request. `api_version` and `kind` are what the body itself states.
    pub(crate) fn of(method: &str, path: &str, media: &str, api_version: &str, kind: &str) -> Self {
        if method == "DELETE" {
            let (api_version, kind) = ("v1".to_owned(), "DeleteOptions".to_owned());
            return Self {
                described: Described::Meta("DeleteOptions"),
                api_version,
                kind,
                ..Self::default()
            };
        }
        let how = How::of(media);
        let Some(place) = Place::of(path) else {
            let mut rows = schema::resources().iter().map(AsRef::as_ref);
            let found = rows
                .find(|resource: &&Resource| resource.kind == kind && resource.api_version() == api_version);
            let (api_version, kind) = (api_version.to_owned(), kind.to_owned());
            let described = found.map_or(Described::Nowhere, Described::Whole);
            return Self { described, api_version, kind, how, ..Self::default() };
        };
        let (name, namespace) = (place.name.to_owned(), place.namespace.to_owned());
        let known = resource(place);
        let part = known.and_then(|resource| resource.subresource(place.subresource));
        let (described, api_version, kind) = match (known, part) {
            (Some(_), Some(part)) => (Described::Part(part), part.api_version(), part.kind.clone()),
            (Some(own), None) if place.subresource.is_empty() => {
                (Described::Whole(own), own.api_version(), own.kind.clone())
            }
            _ => (Described::Nowhere, String::new(), String::new()),
        };
        // What is in no namespace has none, and a new object's name is not in the path.
        let namespace = if known.is_some_and(|known| known.namespaced) { namespace } else { String::new() };
        Self { described, api_version, kind, name, namespace, how }
    }
}

/// The resource that a path is about, if it is one of the built-in ones.
pub(crate) fn resource(place: Place<'_>) -> Option<&'static Resource> {
    let version = place.root.rsplit('/').next().unwrap_or_default();
    schema::resources().iter().map(AsRef::as_ref).find(|known| {
        known.group == place.group() && known.version == version && known.name == place.resource
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(request: &str, own: (&str, &str), expected: (&str, &str, &str)) {
        let (method, path) = request.split_once(' ').unwrap();
        let subject = Subject::of(method, path, "application/json", own.0, own.1);
        let ty = subject.ty().map_or("", |ty| Types::builtin().get(ty).name.as_str());
        assert_eq!((ty, subject.api_version.as_str(), subject.kind.as_str()), expected, "{request}");
    }

    #[test]
    fn the_path_says_what_a_body_is() {
        check("POST /api/v1/namespaces/default/pods", ("", ""), ("v1.Pod", "v1", "Pod"));
        check(
            "PUT /apis/apps/v1/namespaces/a/deployments/b",
            ("v1", "Pod"),
            ("v1.Deployment", "apps/v1", "Deployment"),
        );
        check(
            "PUT /apis/apps/v1/namespaces/a/deployments/b/status",
            ("", ""),
            ("v1.Deployment", "apps/v1", "Deployment"),
        );
        check(
            "PUT /apis/apps/v1/namespaces/a/deployments/b/scale",
            ("", ""),
            ("v1.Scale", "autoscaling/v1", "Scale"),
        );
        check(
            "POST /api/v1/namespaces/a/pods/b/eviction",
            ("", ""),
            ("v1.Eviction", "policy/v1", "Eviction"),
        );
        check("DELETE /api/v1/namespaces/a/pods/b", ("", ""), ("v1.DeleteOptions", "v1", "DeleteOptions"));
        check("POST /api/v1/namespaces/a/pods/b/nothing", ("v1", "Pod"), ("", "", ""));
        check("POST /apis/example.com/v1/widgets", ("v1", "Pod"), ("", "", ""));
    }

    #[test]
    fn without_a_path_the_body_says_it() {
        check("POST /", ("apps/v1", "Deployment"), ("v1.Deployment", "apps/v1", "Deployment"));
        check("POST /", ("apps/v1", "Nothing"), ("", "apps/v1", "Nothing"));
    }

    #[test]
    fn the_media_type_says_how() {
        for (media, expected) in [
            ("application/json", ""),
            ("application/yaml", ""),
            ("application/merge-patch+json", "merge"),
            ("application/json-patch+json", "json"),
            ("application/strategic-merge-patch+json", "strategic"),
            ("application/apply-patch+yaml", "apply"),
        ] {
            assert_eq!(How::of(media).name(), expected, "{media}");
        }
    }
}
