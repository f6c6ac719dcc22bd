//! Watches, as the trace tells of them: why each was sent what it was sent, and what it would be sent if it began anew.

use apimachinery::{FieldSelector, LabelSelector};
use protocol::trace::{Change, Delivery, EventType, ObjectKey, Stored, WatchEnd, WatchInfo};
use protocol::watch::{Explanation, Matched, Replay};

use crate::Glass;
use crate::versions::resource_of;

/// The most deliveries that are kept of a watch that has no lane.
const KEPT: usize = 4_096;

/// A watch.
#[derive(Debug)]
pub struct Watch {
    /// The watch as it was when it was opened.
    pub info: WatchInfo,
    /// The revision up to which it has looked at what happened.
    pub revision: u64,
    /// Why it has ended, if it has.
    pub end: Option<WatchEnd>,
    /// The number of the lane that takes its deliveries.
    pub(crate) lane: Option<u64>,
    /// The deliveries that no lane has taken yet.
    pub(crate) deliveries: Vec<Delivery>,
    labels: LabelSelector,
    fields: FieldSelector,
}

impl Watch {
    pub(crate) fn new(info: WatchInfo) -> Self {
        let scope = &info.scope;
        // They come from the server, which has read them.
        let labels = LabelSelector::parse(&scope.label_selector).unwrap_or_default();
        let fields = FieldSelector::parse(&scope.field_selector).unwrap_or_default();
        let revision = info.revision;
        Self { info, revision, end: None, lane: None, deliveries: Vec::new(), labels, fields }
    }

    /// Keeps deliveries until a lane takes them.
    pub(crate) fn keep(&mut self, deliveries: Vec<Delivery>) {
        self.deliveries.extend(deliveries);
        let surplus = self.deliveries.len().saturating_sub(KEPT);
        self.deliveries.drain(..surplus);
    }

    fn concerns(&self, key: &ObjectKey) -> bool {
        let scope = &self.info.scope;
        scope.resource == key.resource
            && scope.group == key.group
            && (scope.namespace.is_empty() || scope.namespace == key.namespace)
    }

    fn selects(&self, key: &ObjectKey, object: &Stored) -> bool {
        fn find<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
            pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
        }
        self.labels.matches(|label| find(&object.labels, label))
            && self.fields.matches(|field| match field {
                "metadata.name" => Some(&key.name),
                "metadata.namespace" => Some(&key.namespace),
                field => find(&object.fields, field),
            })
    }

    fn matched(&self, key: &ObjectKey, object: &Stored) -> Matched {
        let own = [("metadata.name", &key.name), ("metadata.namespace", &key.namespace)];
        let own = own.into_iter().filter(|(_, value)| !value.is_empty());
        let mut fields: Vec<_> = own.map(|(field, value)| (field.to_owned(), value.clone())).collect();
        fields.extend(object.fields.iter().filter(|(field, _)| !field.starts_with("metadata.name")).cloned());
        Matched { matches: self.selects(key, object), labels: object.labels.clone(), fields }
    }
}

impl Glass {
    /// Counts the writes after a revision that a watch has to look at: those of objects that it is about. `None` if there is
    /// no such watch.
    pub fn concerning(&self, watch: u64, after: u64) -> Option<u64> {
        let watch = self.watch(watch)?;
        let newest = self.history().writes().iter().rev().take_while(|write| write.revision > after);
        let concerns =
            |object: u32| self.history().object(object).is_some_and(|object| watch.concerns(&object.known));
        Some(newest.filter(|write| concerns(write.object)).count() as u64)
    }

    /// Returns why a watch was or was not sent the event of `revision`: whether its selectors match the object before and
    /// after it. Where the watch began does not matter here. `None` if there is no such watch, or if what there was
    /// before the event is not kept.
    ///
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes>
    pub fn explain(&self, watch: u64, revision: u64) -> Option<Explanation> {
        let watch = self.watch(watch)?;
        let write = self.history().write(revision)?;
        let key = &self.history().object(write.object)?.known;
        let concerned = watch.concerns(key);
        let (before, after) =
            if concerned { self.versions().around(key, revision)? } else { (Some(None), None) };
        let matched = |object: &Stored| watch.matched(key, object);
        let (before, after) = (before?.map(matched), after.map(matched));
        Some(Explanation {
            concerned,
            sent: judge(before.as_ref(), after.as_ref()),
            before,
            after,
            label_selector: watch.info.scope.label_selector.clone(),
            field_selector: watch.info.scope.field_selector.clone(),
        })
    }

    /// Returns what a watch would have to go through if it were opened again after revision `after`, at an API server and
    /// now. All is zero if there is no such watch.
    ///
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#410-gone-responses>
    pub fn replay(&self, watch: u64, server: usize, after: u64) -> Replay {
        let Some(watch) = self.watch(watch) else { return Replay::default() };
        let scope = &watch.info.scope;
        let resource = resource_of(&ObjectKey {
            group: scope.group.clone(),
            resource: scope.resource.clone(),
            ..ObjectKey::default()
        });
        let (oldest, reached) = self.window(server, &resource);
        let own = |key: &ObjectKey, object: &Stored| watch.concerns(key) && watch.selects(key, object);
        let state = self.versions().state_at(&resource, reached);
        let objects = state.filter(|(key, object)| own(key, object)).count();
        if after < oldest {
            return Replay { gone: true, objects, ..Replay::default() };
        }
        let mut replay = Replay { objects, ..Replay::default() };
        let history = self.history();
        let newer = history.writes().range(history.place(after + 1)..);
        for write in newer.take_while(|write| write.revision <= reached) {
            let Some(object) = history.object(write.object) else { continue };
            if (&object.known.group, &object.known.resource) != (&scope.group, &scope.resource) {
                continue;
            }
            replay.events += 1;
            let sent = if watch.labels.is_empty() && watch.fields.is_empty() {
                watch.concerns(&object.known)
            } else {
                self.explain(watch.info.id, write.revision).is_some_and(|why| why.sent.is_some())
            };
            replay.sent += usize::from(sent);
        }
        replay
    }

    /// Returns the oldest revision after which a watch of a resource can begin at an API server, and the one that its
    /// cache has reached.
    fn window(&self, server: usize, resource: &str) -> (u64, u64) {
        let Some(info) = self.servers().get(server) else { return (0, self.revision()) };
        let of = |list: &[(String, u64)]| list.iter().find(|(name, _)| name == resource).map(|(_, at)| *at);
        (of(&info.forgot).unwrap_or(info.oldest), of(&info.behind).unwrap_or(self.revision()))
    }
}

/// Returns what a watch is sent of an event, by the object before and after it: one that comes to match the selectors is
/// ADDED to it, one that no longer does is DELETED from it.
fn judge(before: Option<&Matched>, after: Option<&Matched>) -> Option<EventType> {
    let matches = |object: Option<&Matched>| object.is_some_and(|object| object.matches);
    match (matches(before), matches(after)) {
        (false, true) => Some(EventType::Added),
        (true, true) => Some(EventType::Modified),
        (true, false) => Some(EventType::Deleted),
        (false, false) => None,
    }
}

/// Returns the type of the event that a watch without selectors is sent of a write.
pub fn event_of(change: Change) -> EventType {
    match change {
        Change::Created => EventType::Added,
        Change::Updated => EventType::Modified,
        Change::Deleted => EventType::Deleted,
    }
}
