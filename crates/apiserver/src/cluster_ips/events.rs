//! The events of the repair. One that comes again is counted in a series.
//!
//! <https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/>

use kinds::conversion;
use std::sync::Arc;
use std::time::Duration;

use golang::time::Time;
use json_tree::{Value, json};
use store::Guard;

use crate::resource;
use crate::storage::{Reported, Sources, Storage};
use crate::stored::{Stored, object_key};
use crate::{field_management, loopback};
use apimachinery::object::{Object, set_metadata, with_name};

/// The part of kube-apiserver that tells it.
const CONTROLLER: &str = "ipallocator-repair-controller";
/// The instance: there is no host that has a name.
const INSTANCE: &str = "ipallocator-repair-controller-kubeglass";
/// How long an event may be away and still come again, and how often that is looked at.
const FINISH: Duration = Duration::from_secs(6 * 60);
/// How often the series are written that have become longer.
const REFRESH: Duration = Duration::from_secs(30 * 60);

/// The object that an event is about.
pub(super) struct Regarding<'a> {
    pub(super) kind: &'static str,
    pub(super) api_version: &'static str,
    pub(super) stored: &'a Stored,
}

/// Reports something about an object, with a reason and an action: the first time as an event, the second time as a series; from then
/// on it is counted.
pub(super) fn report(
    storage: &mut Storage,
    sources: Sources<'_>,
    regarding: &Regarding<'_>,
    (reason, action): (&'static str, &'static str),
    note: String,
) {
    let now = sources.clock.now();
    let Regarding { kind, api_version, stored } = regarding;
    let mut reference = Object::new();
    reference.insert("kind".to_owned(), (*kind).into());
    if !stored.namespace.is_empty() {
        reference.insert("namespace".to_owned(), stored.namespace.as_str().into());
    }
    reference.insert("name".to_owned(), stored.name.as_str().into());
    reference.insert("uid".to_owned(), stored.uid.as_str().into());
    reference.insert("apiVersion".to_owned(), (*api_version).into());
    reference.insert("resourceVersion".to_owned(), stored.revision().to_string().into());
    let about = (Value::Object(reference), reason);
    if let Some(known) = storage.repairs.reported.iter_mut().find(|known| known.about == about) {
        let is_new = known.series.is_none();
        known.series = Some((known.series.map_or(1, |(count, _)| count) + 1, now));
        let (event, series) = (known.event.clone(), known.series);
        if is_new {
            write_series(storage, sources, event, series);
        }
        return;
    }
    let Some(row) = resource::find("events.k8s.io", "events") else { return };
    let namespace = if stored.namespace.is_empty() { "default" } else { stored.namespace.as_str() };
    // A clock that is handed in may stand still.
    let names = (now.as_nanos()..).map(|nanos| format!("{}.{nanos:x}", stored.name));
    let is_free = |name: &String| storage.store.get(&object_key(row, namespace, name)).is_none();
    let Some(name) = names.into_iter().find(is_free) else { return };
    let mut event = with_name(&[namespace, "/", &name].concat());
    set_metadata(&mut event, "creationTimestamp", Value::Null);
    for (field, value) in [
        ("eventTime", micro(now).into()),
        ("reportingController", CONTROLLER.into()),
        ("reportingInstance", INSTANCE.into()),
        ("action", action.into()),
        ("reason", reason.into()),
        ("regarding", about.0.clone()),
        ("note", note.into()),
        ("type", "Warning".into()),
    ] {
        event.insert(field.to_owned(), value);
    }
    conversion::to_storage(row, &mut event);
    let key = object_key(row, namespace, &name);
    loopback::create(storage, row, &key, event.clone(), sources);
    storage.repairs.reported.push(Reported { about, event: (key, event), first: now, series: None });
}

/// Writes how often an event has come; one that somebody has deleted is made again.
fn write_series(
    storage: &mut Storage,
    sources: Sources<'_>,
    (key, mut event): (String, Object),
    series: Option<(u64, Duration)>,
) {
    let (Some(row), Some((count, last))) = (resource::find("events.k8s.io", "events"), series) else {
        return;
    };
    let series = json!({ "count": count, "lastObservedTime": micro(last) });
    let Some(stored) = storage.store.get(&key).map(|entry| Arc::clone(&entry.value)) else {
        event.insert("series".to_owned(), series);
        return loopback::create(storage, row, &key, event, sources);
    };
    let old = stored.tree();
    let mut new = old.clone();
    new.insert("series".to_owned(), series);
    field_management::track_own_update(row, sources.clock, &old, &mut new);
    let guard = Guard::ModRevision(stored.revision());
    // The lock is held: nobody else has written it.
    let _ = storage.store.put(&key, guard, |revision| Arc::new(Stored::new(row, new, revision)));
}

/// Forgets the events that have not come again for a while, and writes how long series have become.
pub(super) fn finish(storage: &mut Storage, sources: Sources<'_>) {
    let now = sources.clock.now();
    let [finished, refreshed] = &mut storage.repairs.rounds;
    let is_due = |last: &mut Duration, every| {
        let due = now < *last || now - *last >= every;
        if due {
            *last = now;
        }
        due
    };
    let (finishes, refreshes) = (is_due(finished, FINISH), is_due(refreshed, REFRESH));
    let mut written = Vec::new();
    storage.repairs.reported.retain(|known| {
        let last = known.series.map_or(known.first, |(_, last)| last);
        let is_over = finishes && last + FINISH < now;
        if known.series.is_some() && (is_over || refreshes) {
            written.push((known.event.clone(), known.series));
        }
        !is_over
    });
    for (event, series) in written {
        write_series(storage, sources, event, series);
    }
}

fn micro(time: Duration) -> String {
    let seconds = i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
    Time { seconds, nanos: time.subsec_nanos() }.rfc3339_micro()
}
