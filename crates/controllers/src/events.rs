//! Events that controllers report about objects, similar ones combined, and no more than their readers can bear.
//!
//! The rules are those of client-go's recorder: see <https://pkg.go.dev/k8s.io/client-go/tools/record>.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use json_tree::{Value, json};

use crate::client::{Client, STRATEGIC_MERGE_PATCH, View};
use crate::object;
use crate::resource::{EVENTS, Resource};

/// The number of different messages from which on they are combined, and how long each counts.
const SIMILAR: usize = 10;
const SIMILAR_FOR: Duration = Duration::from_secs(600);

/// The number of events about an object that may come at once, and the time after which one more may.
const BURST: u32 = 25;
const REFILL: Duration = Duration::from_secs(300);

/// The number of things that are remembered at most.
const MOST: usize = 4096;

/// The type of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventType {
    Normal,
    Warning,
}

/// A recorder of one controller.
pub(crate) struct Recorder {
    component: &'static str,
    pending: Vec<Report>,
    /// The messages that were told lately, by what they have in common.
    similar: HashMap<String, (BTreeSet<String>, Duration)>,
    /// The events that were written, by all that they say.
    written: HashMap<String, Written>,
    /// The times at which the buckets of objects are full again.
    buckets: HashMap<String, Duration>,
    /// The time in the last name, in nanoseconds.
    last_name: u128,
}

struct Report {
    about: Value,
    kind: EventType,
    reason: &'static str,
    message: String,
}

/// An event that was written: its name, how often it was, and since when.
#[derive(Clone)]
struct Written {
    name: String,
    count: u64,
    first: String,
}

impl Recorder {
    /// Makes the recorder of a component, which events have as their source.
    pub(crate) fn new(component: &'static str) -> Self {
        Self {
            component,
            pending: Vec::new(),
            similar: HashMap::new(),
            written: HashMap::new(),
            buckets: HashMap::new(),
            last_name: 0,
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
        let about = json!({
            "kind": &*resource.kind,
            "namespace": object::namespace(about),
            "name": object::name(about),
            "uid": object::uid(about),
            "apiVersion": resource.api_version(),
            "resourceVersion": object::version(about)
        });
        self.pending.push(Report { about, kind, reason, message });
    }

    /// Writes what was reported. What the server refuses is lost.
    pub(crate) async fn flush(&mut self, client: &Client, now: Duration) {
        for report in std::mem::take(&mut self.pending) {
            if let Some((key, event, known)) = self.correlate(report, now) {
                self.write(client, key, &event, known).await;
            }
        }
    }

    /// Combines a report with others. Returns the event, the key that it is known by, and the event that it repeats. `None` if there
    /// were too many.
    fn correlate(&mut self, report: Report, now: Duration) -> Option<(String, Value, Option<Written>)> {
        let Report { about, kind, reason, message } = report;
        let kind = if kind == EventType::Normal { "Normal" } else { "Warning" };
        let fields =
            ["kind", "namespace", "name", "uid", "apiVersion"].map(|field| about.text(field).to_owned());
        let object = [&fields.join("\0"), "\0", kind].concat();
        let same_reason = [&object, "\0", reason].concat();
        let (messages, last) = self.similar.entry(same_reason.clone()).or_default();
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
        let known = self.written.get(&key).cloned();
        let full_at = self.buckets.entry(object).or_default();
        let next = (*full_at).max(now) + REFILL;
        if next - now > REFILL * BURST {
            return None;
        }
        *full_at = next;
        self.last_name = now.as_nanos().max(self.last_name + 1);
        let time = object::timestamp(now);
        let fresh = || Written {
            name: format!("{}.{:x}", about.text("name"), self.last_name),
            count: 0,
            first: time.clone(),
        };
        let Written { name, count, first } = known.clone().unwrap_or_else(fresh);
        let namespace = Some(about.text("namespace")).filter(|namespace| !namespace.is_empty());
        let event = json!({
            "metadata": {"name": name, "namespace": namespace.unwrap_or("default")},
            "involvedObject": about,
            "reason": reason,
            "message": message,
            "source": {"component": self.component},
            "firstTimestamp": first,
            "lastTimestamp": time,
            "count": count + 1,
            "type": kind,
            "eventTime": null,
            "reportingComponent": self.component,
            "reportingInstance": ""
        });
        Some((key, event, known))
    }

    async fn write(&mut self, client: &Client, key: String, event: &Value, known: Option<Written>) {
        let at = (object::namespace(event), object::name(event));
        if known.is_some() {
            let patch = json!({
                "count": event["count"].clone(),
                "lastTimestamp": event["lastTimestamp"].clone(),
                "message": event["message"].clone()
            });
            match client.patch(&EVENTS, at, STRATEGIC_MERGE_PATCH, &patch, View::Whole).await {
                // It has expired.
                Err(error) if error.is_not_found() => {}
                _ => return self.remember(key, event),
            }
        }
        if client.create(&EVENTS, at.0, event).await.is_ok() {
            self.remember(key, event);
        }
    }

    fn remember(&mut self, key: String, event: &Value) {
        for forgets in [self.written.len(), self.similar.len(), self.buckets.len()] {
            if forgets > MOST {
                self.written.clear();
                self.similar.clear();
                self.buckets.clear();
            }
        }
        let written = Written {
            name: object::name(event).to_owned(),
            count: event.get("count").and_then(Value::as_u64).unwrap_or_default(),
            first: event.text("firstTimestamp").to_owned(),
        };
        self.written.insert(key, written);
    }
}
