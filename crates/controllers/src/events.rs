//! Events that controllers report about objects, similar ones combined, and no more than their readers can bear.
//!
//! The rules are those of client-go's recorder: see <https://pkg.go.dev/k8s.io/client-go/tools/record>.

mod series;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use json_tree::{Value, json};

use crate::client::{Client, STRATEGIC_MERGE_PATCH, View};
use crate::object;
use crate::pace::{Bucket, Rate};
use crate::recent::Recent;
use crate::resource::{EVENTS, Resource, SHOWN_EVENTS};
pub(crate) use series::Note;
use series::Series;

/// The number of different messages from which on they are combined, and how long each counts.
const SIMILAR: usize = 10;
const SIMILAR_FOR: Duration = Duration::from_secs(600);

/// The number of events about an object that may come at once, and the time after which one more may.
const RATE: Rate = Rate { burst: 25, refill: Duration::from_secs(300) };

/// The number of things that are remembered at most.
const MOST: usize = 4096;

/// The numbers in the names of events, which all recorders of a manager share: the time in nanoseconds, or the next one where it stands.
#[derive(Clone, Default)]
pub(crate) struct Numbers(Arc<AtomicU64>);

impl Numbers {
    fn next(&self, now: Duration) -> u64 {
        let next = |last: u64| (now.as_nanos() as u64 & (u64::MAX >> 1)).max(last + 1);
        let before = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(next(last)));
        next(before.unwrap_or_else(|last| last))
    }
}

/// The type of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventType {
    Normal,
    Warning,
}

impl EventType {
    fn name(self) -> &'static str {
        if self == Self::Normal { "Normal" } else { "Warning" }
    }
}

/// The source of events.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) component: &'static str,
    /// The node of the source; empty, if it has none.
    pub(crate) host: String,
}

/// A recorder of one controller.
pub(crate) struct Recorder {
    source: Source,
    pending: Vec<Pending>,
    series: Series,
    /// The messages that were told lately, by what they have in common.
    similar: Recent<(BTreeSet<String>, Duration)>,
    /// The events that there were, by all that they say.
    known: Recent<Option<Known>>,
    /// The events that may still come, by objects.
    buckets: Recent<Bucket>,
    numbers: Numbers,
}

/// An event that is to be written.
enum Pending {
    Report(Report),
    Note(Value, Note),
}

struct Report {
    about: Value,
    kind: EventType,
    reason: &'static str,
    message: String,
}

/// An event: its name, how often it was, and since when.
#[derive(Clone)]
struct Known {
    name: String,
    count: u64,
    first: String,
}

impl Recorder {
    /// Makes the recorder of a source.
    pub(crate) fn new(source: Source, numbers: Numbers) -> Self {
        Self {
            source,
            pending: Vec::new(),
            series: Series::new(),
            similar: Recent::new(MOST),
            known: Recent::new(MOST),
            buckets: Recent::new(MOST),
            numbers,
        }
    }

    /// Reports something about an object. It is written with [`Self::flush`].
    pub(crate) fn report(
        &mut self,
        resource: &Resource,
        about: &Value,
        kind: EventType,
        reason: &'static str,
        message: String,
    ) {
        self.report_part(resource, about, "", kind, reason, message);
    }

    /// Reports something about a part of an object, to which a path of fields leads; about all of it, if the path is empty.
    pub(crate) fn report_part(
        &mut self,
        resource: &Resource,
        about: &Value,
        path: &str,
        kind: EventType,
        reason: &'static str,
        message: String,
    ) {
        let mut about = object::reference(resource, about);
        if !path.is_empty() {
            object::set(&mut about, "fieldPath", path.into());
        }
        self.pending.push(Pending::Report(Report { about, kind, reason, message }));
    }

    /// Reports something about an object in the words of `events.k8s.io`, where an event has an action and may name another object.
    pub(crate) fn note(&mut self, resource: &Resource, about: &Value, note: Note) {
        self.pending.push(Pending::Note(object::reference(resource, about), note));
    }

    /// Writes what was reported. What the server refuses is lost.
    pub(crate) async fn flush(&mut self, client: &Client, now: Duration) {
        for pending in std::mem::take(&mut self.pending) {
            match pending {
                Pending::Report(report) => {
                    if let Some(event) = self.correlate(report, now) {
                        write(client, &EVENTS, &event, patch(&event).as_ref()).await;
                    }
                }
                Pending::Note(about, note) => {
                    let event = self.series.next(&self.source, &about, note, &self.numbers, now);
                    write(client, &SHOWN_EVENTS, &event, series::patch(&event).as_ref()).await;
                }
            }
        }
    }

    /// Combines a report with others, and returns the event. `None` if there were too many; it counts all the same.
    fn correlate(&mut self, report: Report, now: Duration) -> Option<Value> {
        let Report { about, kind, reason, message } = report;
        let kind = kind.name();
        let fields =
            ["kind", "namespace", "name", "uid", "apiVersion"].map(|field| about.text(field).to_owned());
        let object = [&fields.join("\0"), "\0", kind].concat();
        let same_reason = [&object, "\0", reason, "\0", about.text("fieldPath")].concat();
        let (messages, last) = self.similar.of(&same_reason);
        if now.saturating_sub(*last) > SIMILAR_FOR {
            messages.clear();
        }
        messages.insert(message.clone());
        *last = now;
        let combined = messages.len() >= SIMILAR;
        let (key, message) = if combined {
            messages.pop_first();
            (same_reason, ["(combined from similar events): ", &message].concat())
        } else {
            ([&same_reason, "\0", &message].concat(), message)
        };
        let time = object::timestamp(now);
        let known = self.known.of(&key).get_or_insert_with(|| Known {
            name: name(about.text("name"), self.numbers.next(now)),
            count: 0,
            first: time.clone(),
        });
        known.count += 1;
        if !self.buckets.of(&object).try_take(&RATE, now) {
            return None;
        }
        let Source { component, host } = &self.source;
        let mut source = json!({"component": *component});
        if !host.is_empty() {
            object::set(&mut source, "host", host.as_str().into());
        }
        Some(json!({
            "metadata": {"name": known.name.as_str(), "namespace": namespace_of(&about)},
            "involvedObject": about,
            "reason": reason,
            "message": message,
            "source": source,
            "firstTimestamp": known.first.as_str(),
            "lastTimestamp": time,
            "count": known.count,
            "type": kind,
            "eventTime": null,
            "reportingComponent": if combined { "" } else { *component },
            "reportingInstance": if combined { "" } else { host.as_str() }
        }))
    }
}

/// Returns the namespace of the events about an object: its own, or the default one.
fn namespace_of(about: &Value) -> &str {
    Some(about.text("namespace")).filter(|namespace| !namespace.is_empty()).unwrap_or("default")
}

/// Returns the change of an event that was there before.
fn patch(event: &Value) -> Option<Value> {
    let patch = || {
        json!({
            "count": event["count"].clone(),
            "lastTimestamp": event["lastTimestamp"].clone(),
            "message": event["message"].clone()
        })
    };
    (object::int(event, "/count") > 1).then(patch)
}

/// Writes an event: as a change of the one that is there, where it was before.
async fn write(client: &Client, resource: &Resource, event: &Value, patch: Option<&Value>) {
    let at = (object::namespace(event), object::name(event));
    if let Some(patch) = patch {
        match client.patch(resource, at, STRATEGIC_MERGE_PATCH, patch, View::Whole).await {
            // It has expired, or was never written.
            Err(error) if error.is_not_found() => {}
            _ => return,
        }
    }
    // A controller does its work whether or not somebody learns of it.
    let _ = client.post(resource, at.0, event).await;
}

/// Makes the name of an event about an object: a UUID, where the object's own cannot be part of it.
fn name(object: &str, number: u64) -> String {
    let name = format!("{object}.{number:x}");
    if field::name::subdomain(&name).is_empty() {
        return name;
    }
    let (high, middle, low) = (number >> 32, (number >> 16) & 0xffff, number & 0xffff_ffff_ffff);
    format!("{high:08x}-{middle:04x}-4000-8000-{low:012x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::from_secs(1_800_000_000);

    fn recorder(component: &'static str, numbers: Numbers) -> Recorder {
        Recorder::new(Source { component, host: String::new() }, numbers)
    }

    /// Reports an object's event, and returns it as it is to be written.
    fn report(recorder: &mut Recorder, message: &str, now: Duration) -> Option<Value> {
        let about = json!({"metadata": {"namespace": "default", "name": "web", "uid": "u"}});
        recorder.report(&EVENTS, &about, EventType::Normal, "Reason", message.to_owned());
        let Pending::Report(report) = recorder.pending.pop()? else { return None };
        recorder.correlate(report, now)
    }

    #[test]
    fn no_two_events_have_one_name() {
        let numbers = Numbers::default();
        let mut recorders = ["a", "b"].map(|component| recorder(component, numbers.clone()));
        let names = [(0, "x"), (1, "x"), (0, "y")].map(|(index, message): (usize, _)| {
            let event = report(&mut recorders[index], message, NOW).unwrap();
            object::name(&event).to_owned()
        });
        assert_eq!(names, ["web.18fae27693b40000", "web.18fae27693b40001", "web.18fae27693b40002"]);
        assert_ne!(numbers.next(Duration::MAX), numbers.next(Duration::MAX));
    }

    #[test]
    fn names_that_cannot_be_part_of_others_are_replaced() {
        assert_eq!(name("web", 255), "web.ff");
        assert_eq!(name("system:node", 0x1_0002_0003), "00000001-0002-4000-8000-000100020003");
    }

    #[test]
    fn dropped_events_count() {
        let mut recorder = recorder("a", Numbers::default());
        let counts =
            (0..30).map(|_| report(&mut recorder, "m", NOW).map(|event| object::int(&event, "/count")));
        assert_eq!(counts.flatten().collect::<Vec<_>>(), (1..=25).collect::<Vec<_>>());
        let later = report(&mut recorder, "m", NOW + RATE.refill).unwrap();
        assert_eq!(object::int(&later, "/count"), 31);
    }

    #[test]
    fn similar_events_are_combined() {
        let mut recorder = recorder("a", Numbers::default());
        let events: Vec<_> = (0..11).filter_map(|n| report(&mut recorder, &n.to_string(), NOW)).collect();
        let read =
            |event: &Value| (event.text("message").to_owned(), event.text("reportingComponent").to_owned());
        assert_eq!(read(&events[8]), ("8".to_owned(), "a".to_owned()));
        assert_eq!(read(&events[9]), ("(combined from similar events): 9".to_owned(), String::new()));
        assert_eq!(object::name(&events[9]), object::name(&events[10]));
        assert_eq!(object::int(&events[10], "/count"), 2);
    }
}
