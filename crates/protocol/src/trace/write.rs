//! Writes: what each revision of the store did, and to which object.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

/// An object, as the keys of the store name it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ObjectKey {
    /// The API group; empty for the core group.
    pub group: String,
    /// The resource's plural name.
    pub resource: String,
    /// The namespace; empty for cluster-scoped objects.
    pub namespace: String,
    /// The name.
    pub name: String,
}

/// An object as it was stored at a revision.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Stored {
    /// The JSON of the object, without `kind` and `apiVersion`.
    #[serde(with = "crate::json::raw")]
    pub json: Bytes,
    /// The object's labels.
    pub labels: Vec<(String, String)>,
    /// The values of the fields that field selectors can name, by field labels. Those of `metadata.name` and
    /// `metadata.namespace` are the [`ObjectKey`]'s and may be missing.
    pub fields: Vec<(String, String)>,
}

/// One write of the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Write {
    /// The revision that it made.
    pub revision: u64,
    /// The event that it made.
    pub change: Change,
    /// The object.
    pub key: ObjectKey,
    /// The object after the write; `None` if it was deleted.
    pub object: Option<Stored>,
}

/// The events that writes make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Change {
    /// The object came into being.
    Created,
    /// The object was changed.
    Updated,
    /// The object was deleted.
    Deleted,
}
