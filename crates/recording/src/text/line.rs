//! Lines of the text, and how objects are called in them.

use std::time::Duration;

use golang::time::date_time;
use protocol::trace::ObjectKey;

/// A line. What is empty is left blank.
#[derive(Debug, Default)]
pub(super) struct Line {
    pub(super) revision: Option<u64>,
    pub(super) who: String,
    pub(super) verb: String,
    pub(super) object: String,
    pub(super) code: Option<u16>,
    pub(super) note: String,
}

impl Line {
    /// Returns the line that says what is in the columns.
    pub(super) fn heading() -> String {
        columns("TIME", "REVISION", "WHO", "VERB", "OBJECT", "CODE", "NOTE")
    }

    /// Returns it with the time before it and a line break after it.
    pub(super) fn to_text(&self, time: Duration) -> String {
        let seconds = i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
        let time = format!("{}.{:03}Z", date_time(seconds), time.subsec_millis());
        let number = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
        let (revision, code) = (number(self.revision), number(self.code.map(u64::from)));
        columns(&time, &revision, &self.who, &self.verb, &self.object, &code, &self.note)
    }
}

fn columns(
    time: &str,
    revision: &str,
    who: &str,
    verb: &str,
    object: &str,
    code: &str,
    note: &str,
) -> String {
    let line = format!("{time:<24} {revision:>8}  {who:<32} {verb:<8} {object:<40} {code:>4}  {note}");
    printable(line.trim_end())
}

/// Returns a line with its end, in which nothing moves the cursor or changes the colour of a terminal.
pub(super) fn printable(line: &str) -> String {
    let harmless =
        |character: char| if character.is_control() { char::REPLACEMENT_CHARACTER } else { character };
    line.chars().map(harmless).chain(std::iter::once('\n')).collect()
}

/// Returns an object as `NAMESPACE/RESOURCE.GROUP/NAME/SUBRESOURCE`, without what is empty.
pub(super) fn label(key: &ObjectKey, subresource: &str) -> String {
    let mut label = collection(&key.group, &key.resource, &key.namespace);
    for part in [key.name.as_str(), subresource].into_iter().filter(|part| !part.is_empty()) {
        label.extend(["/", part]);
    }
    label
}

/// Returns a collection as `NAMESPACE/RESOURCE.GROUP`, without what is empty.
pub(super) fn collection(group: &str, resource: &str, namespace: &str) -> String {
    let mut label = String::new();
    if !namespace.is_empty() {
        label.extend([namespace, "/"]);
    }
    label.push_str(resource);
    if !group.is_empty() {
        label.extend([".", group]);
    }
    label
}
