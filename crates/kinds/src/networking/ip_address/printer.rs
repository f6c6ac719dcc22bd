//! The rows of tables of the kind IPAddress.

use json_tree::Value;

use crate::printing::row::{Row, get, text};

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = "Name||name||@name
ParentRef||||ParentRef references the resource that an IPAddress is attached to. An IPAddress must reference a parent object.";

/// One cell more than there are columns: kube-apiserver tells the age too.
pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
    let parent = get(row.object, "/spec/parentRef").map_or_else(
        || "<none>".to_owned(),
        |parent| {
            let resource = [text(parent, "/resource"), text(parent, "/group")].join(".");
            let parts = [resource.trim_end_matches('.'), text(parent, "/namespace"), text(parent, "/name")];
            let [resource, namespace, name] = parts;
            let resource = resource.to_ascii_lowercase();
            match namespace {
                "" => format!("{resource}/{name}"),
                _ => format!("{resource}/{namespace}/{name}"),
            }
        },
    );
    vec![row.name(), parent.into(), row.age()]
}
