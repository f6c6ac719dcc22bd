//! Events, in either group.
//!
//! <https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/>

use json_tree::Value;

use crate::printing::row::{Row, get, number, time_at};

pub(crate) fn cells(row: &Row<'_>) -> Vec<Value> {
    let first = time_at(row.object, "/firstTimestamp").or_else(|| time_at(row.object, "/eventTime"));
    let (last, count) = match get(row.object, "/series") {
        Some(series) => (time_at(series, "/lastObservedTime"), number(series, "/count")),
        // An event of the newer kind that has happened once has no count.
        None => (
            time_at(row.object, "/lastTimestamp").or(first),
            match row.number("/count") {
                0 => 1,
                count => count,
            },
        ),
    };
    vec![
        row.since(last).into(),
        row.text("/type").into(),
        row.text("/reason").into(),
        involved(row).into(),
        row.text("/involvedObject/fieldPath").into(),
        source(row).into(),
        row.text("/message").trim().into(),
        row.since(first).into(),
        count.into(),
        row.name(),
    ]
}

/// `pod/a`
fn involved(row: &Row<'_>) -> String {
    let kind = row.text("/involvedObject/kind").to_ascii_lowercase();
    match row.text("/involvedObject/name") {
        "" => kind,
        name => format!("{kind}/{name}"),
    }
}

/// Returns the component that reports the event, and where that runs.
fn source(row: &Row<'_>) -> String {
    let either = |old: &str, new: &str| match row.text(old) {
        "" => row.text(new),
        text => text,
    };
    let component = either("/source/component", "/reportingComponent");
    match either("/source/host", "/reportingInstance") {
        "" => component.to_owned(),
        instance => format!("{component}, {instance}"),
    }
}
