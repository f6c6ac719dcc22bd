//! The rows of tables of the kind Secret.

use json_tree::Value;

use crate::printing::cells::entries;
use crate::printing::row::Row;

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = "Name||name||@name
Type||||Used to facilitate programmatic handling of secret data. More info: https://kubernetes.io/docs/concepts/configuration/secret/#secret-types
Data||||Data contains the secret data. Each key must consist of alphanumeric characters, '-', '_' or '.'. The serialized form of the secret data is a base64 encoded string, representing the arbitrary (possibly non-string) data value here. Described in https://tools.ietf.org/html/rfc4648#section-4
Age||||@created";

pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
    vec![row.name(), row.text("/type").into(), entries(row, "/data").into(), row.age()]
}
