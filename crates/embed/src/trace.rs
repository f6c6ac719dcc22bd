//! The trace as a page draws it: writes, and what of them watches were sent.

use protocol::trace::{Batch, Change, Event, WatchInfo};
use serde_json::{Value, json};

/// Returns what a page is told of a batch: `{"trace": […]}`.
pub(crate) fn told(batch: Batch) -> Value {
    let mut told: Vec<Value> = Vec::new();
    if let Some(state) = batch.state {
        told.push(json!({"revision": state.revision}));
        told.extend(state.watches.iter().map(opened));
    }
    for event in batch.events {
        match event {
            Event::Write(write) => told.push(json!({
                "write": write.revision,
                "type": match write.change {
                    Change::Created => "ADDED",
                    Change::Updated => "MODIFIED",
                    Change::Deleted => "DELETED",
                },
                "resource": write.key.resource,
                "namespace": write.key.namespace,
                "name": write.key.name,
            })),
            Event::WatchOpened(watch) => told.push(opened(&watch)),
            Event::Delivered { watch, deliveries, .. } => {
                let sent = deliveries.iter().filter_map(|one| Some((one.revision, one.sent?)));
                told.extend(sent.map(
                    |(revision, sent)| json!({"delivered": watch, "revision": revision, "type": sent.name()}),
                ));
            }
            Event::WatchEnded { watch, .. } => told.push(json!({"closed": watch})),
            Event::Compacted(revision) => told.push(json!({"compacted": revision})),
            Event::Request(_)
            | Event::Servers(_)
            | Event::Snapshots(_)
            | Event::Time(_)
            | Event::Revision(_) => {}
        }
    }
    json!({"trace": told})
}

fn opened(watch: &WatchInfo) -> Value {
    json!({"opened": watch.id, "uri": watch.uri})
}
