//! The resources that kube-apiserver v1.36 serves by default.

use std::sync::{Arc, OnceLock};

use crate::types::{TableError, TypeId, Types};

mod parse;

/// The resources that a text in the form of `facts/resources.txt` lists.
///
/// # Errors
/// The first line that is not in that form.
pub fn parse(text: &'static str) -> Result<Vec<Resource>, TableError> {
    parse::parse(text)
}

/// One resource in one version: a row of the table by which requests find what they are about. The
/// built-in ones come from [`resources`]; a CustomResourceDefinition makes more at run time.
///
/// See <https://kubernetes.io/docs/reference/using-api/api-concepts/#standard-api-terminology>.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    /// The API group; empty for the core group.
    pub group: String,
    /// The version: `v1`.
    pub version: String,
    /// The name in paths, plural: `pods`.
    pub name: String,
    /// The singular name: `pod`.
    pub singular: String,
    /// The kind of its objects: `Pod`.
    pub kind: String,
    /// The kind of its lists: `PodList`. Empty if it has no `list` verb.
    pub list_kind: String,
    /// True if its objects are in namespaces.
    pub namespaced: bool,
    /// The verbs, in the order of discovery, which is that of the alphabet.
    pub verbs: Vec<String>,
    /// Short names: `po`.
    pub short_names: Vec<String>,
    /// Categories: `all`.
    pub categories: Vec<String>,
    /// The lookup of [`Self::ty`].
    pub described: Described,
    /// The subresources, in the order of discovery.
    pub subresources: Vec<Subresource>,
    /// The storage of its objects. Resources with the same storage show the same objects.
    pub storage: Storage,
}

/// A subresource, such as `pods/status`.
#[derive(Clone, Debug, PartialEq)]
pub struct Subresource {
    /// The name: `status`.
    pub name: String,
    /// The group of its kind; the resource's own if it is not of another: `autoscaling` for `scale`.
    pub group: String,
    /// The version of its kind.
    pub version: String,
    /// The kind that it takes and answers with.
    pub kind: String,
    /// The lookup of [`Self::ty`].
    pub described: Described,
    /// The verbs, in the order of discovery.
    pub verbs: Vec<String>,
}

/// The lookup of the [built-in type](Types::builtin) of a kind. It happens when the type is first requested: a program
/// that requests none needs no types.
#[derive(Clone, Debug, Default)]
pub struct Described {
    package: Option<&'static str>,
    found: OnceLock<Option<TypeId>>,
}

impl Described {
    /// By the type of a Go package (`k8s.io/api/core/v1`) that has the kind's name, if there is one.
    pub(crate) const fn within(package: Option<&'static str>) -> Self {
        Self { package, found: OnceLock::new() }
    }

    fn ty(&self, kind: &str) -> Option<TypeId> {
        let package = self.package?;
        *self.found.get_or_init(|| Types::builtin().find(package, kind))
    }
}

impl PartialEq for Described {
    fn eq(&self, other: &Self) -> bool {
        self.package == other.package
    }
}

/// The storage of objects: the resource whose keys they have, and the version they are written in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Storage {
    /// The group of the key.
    pub group: String,
    /// The version that kube-apiserver encodes the object in; it may be one that is not served. Discovery's
    /// `storageVersionHash` tells it.
    pub version: String,
    /// The resource of the key.
    pub resource: String,
}

impl Resource {
    /// Reports whether the resource has this verb.
    pub fn allows(&self, verb: &str) -> bool {
        self.verbs.iter().any(|own| own == verb)
    }

    /// The type of its objects; `None` for one that no built-in type describes.
    pub fn ty(&self) -> Option<TypeId> {
        self.described.ty(&self.kind)
    }

    /// The subresource of this name.
    pub fn subresource(&self, name: &str) -> Option<&Subresource> {
        self.subresources.iter().find(|sub| sub.name == name)
    }

    /// `v1`, or `apps/v1`: what `apiVersion` says in its objects.
    pub fn api_version(&self) -> String {
        api_version(&self.group, &self.version)
    }
}

impl Subresource {
    /// The type of its kind; `None` if no built-in type describes it (options of `proxy`, `exec`, ...).
    pub fn ty(&self) -> Option<TypeId> {
        self.described.ty(&self.kind)
    }

    /// Returns `apiVersion` of the objects of the subresource's kind.
    pub fn api_version(&self) -> String {
        api_version(&self.group, &self.version)
    }
}

/// Returns the `apiVersion` of a version of a group.
pub fn api_version(group: &str, version: &str) -> String {
    if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") }
}

/// The built-in resources: groups and versions in the order of discovery (`/apis`), the core group first,
/// and in each the resources in the order of discovery.
pub fn resources() -> &'static [Arc<Resource>] {
    static RESOURCES: OnceLock<Vec<Arc<Resource>>> = OnceLock::new();
    RESOURCES.get_or_init(|| {
        let rows = parse(include_str!("../facts/resources.txt"));
        rows.unwrap_or_default().into_iter().map(Arc::new).collect()
    })
}

/// Returns the row of a built-in resource, of the first version that has it.
pub fn resource(group: &str, name: &str) -> Option<&'static Arc<Resource>> {
    resources().iter().find(|row| row.group == group && row.name == name)
}
