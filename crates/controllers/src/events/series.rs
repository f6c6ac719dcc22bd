//! Events of `events.k8s.io`, as kube-scheduler reports them: the same one again continues a series.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/>.

use std::time::Duration;

use golang::time::Time;
use json_tree::{Value, json};

use super::{EventType, MOST, Numbers, Source, name, namespace_of};
use crate::object;
use crate::recent::Recent;
use crate::resource::Resource;

/// The longest text of an event, in bytes.
const LONGEST: usize = 1024;

/// The time after the last event of a series from which on the same one again is new.
const FINISH_TIME: Duration = Duration::from_secs(360);

/// The things that an event of `events.k8s.io` says.
pub(crate) struct Note {
    pub(crate) kind: EventType,
    pub(crate) reason: &'static str,
    pub(crate) action: &'static str,
    pub(crate) text: String,
    related: Value,
}

impl Note {
    /// Makes a note about one object alone.
    pub(crate) fn new(kind: EventType, reason: &'static str, action: &'static str, text: String) -> Self {
        Self { kind, reason, action, text, related: Value::Null }
    }

    /// Names another object that it has to do with.
    pub(crate) fn related(mut self, resource: &Resource, object: &Value) -> Self {
        self.related = object::reference(resource, object);
        self
    }
}

/// The events that there were, by what they have in common, whatever their texts.
pub(super) struct Series(Recent<Option<Known>>);

struct Known {
    name: String,
    count: u64,
    last: Duration,
}

impl Series {
    /// Makes a memory of none.
    pub(super) fn new() -> Self {
        Self(Recent::new(MOST))
    }

    /// Makes the event of a note: a new one, or one more of a series.
    pub(super) fn next(
        &mut self,
        source: &Source,
        about: &Value,
        note: Note,
        numbers: &Numbers,
        now: Duration,
    ) -> Value {
        let Note { kind, reason, action, mut text, related } = note;
        shorten(&mut text);
        let key = [&about.to_string(), "\0", &related.to_string(), "\0", reason, "\0", action].concat();
        let known = self.0.of(&key);
        *known = known.take().filter(|known| now.saturating_sub(known.last) <= FINISH_TIME);
        let known = known.get_or_insert_with(|| Known {
            name: name(about.text("name"), numbers.next(now)),
            count: 0,
            last: now,
        });
        known.count += 1;
        known.last = now;
        let time = micro_time(now);
        let mut event = json!({
            "metadata": {"name": known.name.as_str(), "namespace": namespace_of(about)},
            "eventTime": time.as_str(),
            "reportingController": source.component,
            "reportingInstance": [source.component, "-", &source.host].concat(),
            "action": action,
            "reason": reason,
            "regarding": about.clone(),
            "note": text,
            "type": kind.name()
        });
        if !related.is_null() {
            object::set(&mut event, "related", related);
        }
        if known.count > 1 {
            let series = json!({"count": known.count, "lastObservedTime": time});
            object::set(&mut event, "series", series);
        }
        event
    }
}

/// Returns the change of an event that continues a series.
pub(super) fn patch(event: &Value) -> Option<Value> {
    Some(json!({"series": event.get("series")?.clone()}))
}

/// Shortens a text that is too long, as kube-scheduler does.
fn shorten(text: &mut String) {
    const SUFFIX: &str = " ...";
    if text.len() > LONGEST {
        let mut end = LONGEST - SUFFIX.len();
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push_str(SUFFIX);
    }
}

/// Writes a time with six digits of a second.
fn micro_time(now: Duration) -> String {
    let seconds = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
    Time { nanos: now.subsec_nanos(), ..Time::unix(seconds) }.rfc3339_micro()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_event_again_continues_a_series() {
        let (numbers, mut series) = (Numbers::default(), Series::new());
        let source = Source { component: "default-scheduler", host: "host".to_owned() };
        let now = Duration::from_millis(1_800_000_000_250);
        let mut next = |version: &str, text: &str, now: Duration| {
            let about = json!({"kind": "Pod", "namespace": "n", "name": "p", "resourceVersion": version});
            let note = Note::new(EventType::Warning, "FailedScheduling", "Scheduling", text.to_owned());
            let event = series.next(&source, &about, note, &numbers, now);
            (patch(&event).is_none(), object::int(&event, "/series/count"), event)
        };
        let (is_new, count, event) = next("1", "a", now);
        assert_eq!((is_new, count, event.text("eventTime")), (true, 0, "2027-01-15T08:00:00.250000Z"));
        assert_eq!(event.text("reportingInstance"), "default-scheduler-host");
        let again = next("1", "b", now);
        assert_eq!((again.0, again.1), (false, 2));
        let other = next("2", "a", now);
        assert_eq!((other.0, other.1), (true, 0));
        let later = next("1", "a", now + FINISH_TIME);
        assert_eq!((later.0, later.1), (false, 3));
        let last = next("1", "a", now + FINISH_TIME * 3);
        assert_eq!((last.0, last.1), (true, 0));
        assert_ne!(object::name(&last.2), object::name(&later.2));
    }

    #[test]
    fn long_texts_are_cut() {
        let mut text = "ä".repeat(600);
        shorten(&mut text);
        assert!(text.len() <= LONGEST && text.ends_with("ä ..."), "{text}");
    }
}
