//! The rows of tables of the kind VolumeAttachment.

use json_tree::Value;

use crate::printing::row::Row;

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = "Name||name||@name
Attacher||name||attacher indicates the name of the volume driver that MUST handle this request. This is the name returned by GetPluginName().
PV||||persistentVolumeName represents the name of the persistent volume to attach.
Node||||nodeName represents the node that the volume should be attached to.
Attached|boolean|||attached indicates the volume is successfully attached. This field must only be set by the entity completing the attach operation, i.e. the external-attacher.
Age||||@created";

pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
    vec![
        row.name(),
        row.text("/spec/attacher").into(),
        row.text("/spec/source/persistentVolumeName").into(),
        row.text("/spec/nodeName").into(),
        row.flag_or("/status/attached", false),
        row.age(),
    ]
}
