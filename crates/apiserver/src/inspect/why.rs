//! Why a watch is sent what it is sent, and what it would be sent if it began anew.

use std::sync::Arc;

use super::{Explanation, Inspect, Matched, Replay};
use crate::handlers::{Scope, event_type, options_of, selects};
use crate::options::ListOptions;
use crate::resources::Resources;
use crate::route::{Route, Target};
use crate::stored;
use crate::stored::Stored;
use apimachinery::query::Query;

impl Inspect {
    /// Why a watch that was opened by `uri` (path and query) was or was not sent the event of `revision`: whether its
    /// selectors match the object before and after it. Where the watch began does not matter here.
    ///
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes>
    ///
    /// `None` if no watch can be opened by `uri`, or if the event of that revision is not kept.
    pub fn explain(&self, uri: &str, revision: u64) -> Option<Explanation> {
        let storage = self.shared().storage();
        let (target, options) = watch_of(uri, &storage.resources)?;
        let mut events = storage.store.events(revision.checked_sub(1)?).ok()?;
        let event = events.next().filter(|event| event.revision == revision)?;
        let concerned = event.key.starts_with(&stored::collection_key(&target.resource, &target.namespace));
        let object = |entry: Option<&store::Entry<Arc<Stored>>>| {
            entry.filter(|_| concerned).map(|entry| Arc::clone(&entry.value))
        };
        let (before, after) = (object(event.previous), object(event.value));
        let matched = |stored: &Arc<Stored>| Matched {
            matches: selects(&options, stored),
            labels: stored.labels.clone(),
            fields: stored.fields.iter().map(|(label, value)| (label.to_string(), value.clone())).collect(),
        };
        Some(Explanation {
            concerned,
            sent: event_type(&before, &after, |stored| selects(&options, stored)),
            before: before.as_ref().map(matched),
            after: after.as_ref().map(matched),
            label_selector: options.labels.to_string(),
            field_selector: options.fields.to_string(),
        })
    }

    /// Returns what a watch that was opened by `uri` would have to go through if it were opened again after version
    /// `after`, at this API server and now; all zero for a `uri` that opens no watch. The version in `uri` does not
    /// matter.
    ///
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#410-gone-responses>
    pub fn replay(&self, uri: &str, after: u64) -> Replay {
        self.tick();
        let storage = self.shared().storage();
        let found = watch_of(uri, &storage.resources).and_then(|(target, options)| {
            let caches = &storage.servers.get(self.server())?.caches;
            Some((caches.get(caches.find(&target.resource)?)?, target, options))
        });
        let Some((cache, target, options)) = found else { return Replay::default() };
        let range = Scope::of(&target, &options).range();
        let objects = cache.range(&range).filter(|(_, stored)| selects(&options, stored)).count();
        let Ok(position) = cache.position_after(after) else {
            return Replay { gone: true, objects, ..Replay::default() };
        };
        let mut replay = Replay { objects, ..Replay::default() };
        for event in cache.window.from(position) {
            let sent = event_type(&event.previous, &event.object, |stored| selects(&options, stored));
            replay.events += 1;
            replay.sent += usize::from(range.contains(&event.key) && sent.is_some());
        }
        replay
    }
}

/// Returns the target and the options of a watch that is opened by `uri`.
fn watch_of(uri: &str, resources: &Resources) -> Option<(Target, ListOptions)> {
    let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
    let Route::Resource(target) = Route::of(path, resources) else { return None };
    let options = options_of(&target, &Query::parse(query)).ok().filter(|options| options.watch)?;
    Some((target, options))
}
