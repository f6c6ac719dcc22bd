//! The rows of tables of the kind Event.

use json_tree::Value;

use crate::printing::row::{Row, get, number, time_at};

/// The columns: name, type, format, priority and description.
pub(crate) const COLUMNS: &str = r#"Last Seen||||The time at which the most recent occurrence of this event was recorded.
Type||||Type of this event (Normal, Warning), new types could be added in the future
Reason||||This should be a short, machine understandable string that gives the reason for the transition into the object's current status.
Object||||The object that this event is about.
Subobject|||1|If referring to a piece of an object instead of an entire object, this string should contain a valid JSON/Go field access statement, such as desiredState.manifest.containers[2]. For example, if the object reference is to a container within a pod, this would take on a value like: "spec.containers{name}" (where "name" refers to the name of the container that triggered the event) or if no container name is specified "spec.containers[2]" (container with index 2 in this pod). This syntax is chosen only to have some well-defined way of referencing a part of an object.
Source|||1|The component reporting this event. Should be a short machine understandable string.
Message||||A human-readable description of the status of this operation.
First Seen|||1|The time at which the event was first recorded. (Time of server receipt is in TypeMeta.)
Count|||1|The number of times this event has occurred.
Name||name|1|@name"#;

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
pub(crate) fn source(row: &Row<'_>) -> String {
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
