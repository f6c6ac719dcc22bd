//! The rows of tables of the kind ControllerRevision.

use json_tree::Value;

use crate::printing::row::{Row, text};

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = "Name||name||@name
Controller||||Controller of the object
Revision||||Revision indicates the revision of the state represented by Data.
Age||||@created";

pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
    let owners = row.list("/metadata/ownerReferences");
    let controller = owners.iter().find(|owner| owner.get("controller") == Some(&Value::Bool(true)));
    let controller = controller.map_or_else(
        || "<none>".to_owned(),
        |owner| {
            let group = text(owner, "/apiVersion").split_once('/').map_or("", |(group, _)| group);
            let kind = [text(owner, "/kind"), group].join(".");
            format!("{}/{}", kind.trim_end_matches('.').to_ascii_lowercase(), text(owner, "/name"))
        },
    );
    vec![row.name(), controller.into(), row.count("/revision"), row.age()]
}
