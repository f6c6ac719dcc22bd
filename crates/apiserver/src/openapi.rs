//! OpenAPI: what each kind looks like and what can be done with it, for clients that complete, validate and explain.
//!
//! The documents are made of the tables of `schema` when somebody asks, and of the schemas of CustomResourceDefinitions.
//! The words are Kubernetes' own: `descriptions` has them.
//!
//! <https://kubernetes.io/docs/concepts/overview/kubernetes-api/#openapi-interface-definition>

mod build;
mod custom;
mod document;
mod operations;
mod order;
mod parameters;
mod paths;
mod schemas;
mod shared;
#[cfg(test)]
mod tests;

use json_tree::{Value, json};

pub(crate) use build::{build, customs_of, documents};
pub(crate) use custom::Custom;
pub(crate) use paths::root;

/// A document that somebody asks for.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    /// The name: `v2`, or `v3 apis/apps/v1`.
    pub(crate) name: &'a str,
    /// The custom resources in it.
    pub(crate) customs: &'a [Custom],
    /// True if CBOR is among the media types of objects.
    pub(crate) cbor: bool,
    /// True for a document in Protobuf, false for one in JSON.
    pub(crate) protobuf: bool,
}

/// Makes a document.
pub(crate) type Build = fn(&Asked<'_>) -> Result<Vec<u8>, String>;

/// Which OpenAPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edition {
    V2,
    V3,
}

/// A kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kind<'a> {
    group: &'a str,
    version: &'a str,
    name: &'a str,
}

impl Kind<'_> {
    /// As the `x-kubernetes-group-version-kind` of a schema has it.
    fn shown(&self) -> Value {
        json!({ "group": self.group, "kind": self.name, "version": self.version })
    }

    /// The same, in the order of the fields of `metav1.GroupVersionKind`.
    fn shown_as_struct(&self) -> Value {
        json!({ "group": self.group, "version": self.version, "kind": self.name })
    }
}
