//! The history of a cluster, by revision: as naive as can be, so that it is right.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use json_tree::Value;

use super::query::Query;

/// An object as a revision left it.
#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) namespace: String,
    pub(crate) name: String,
    /// The JSON of the object without `kind` and `apiVersion`, which lists leave out.
    pub(crate) value: Value,
}

impl Object {
    /// Out of an answer, an item of a list, or an event.
    pub(crate) fn new(mut value: Value) -> Self {
        if let Value::Object(map) = &mut value {
            map.shift_remove("kind");
            map.shift_remove("apiVersion");
        }
        let text = |key: &str| value["metadata"][key].as_str().unwrap_or_default().to_owned();
        Self { namespace: text("namespace"), name: text("name"), value }
    }

    /// The order of lists: namespaces end with a slash.
    pub(crate) fn key(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }

    pub(crate) fn version(&self) -> u64 {
        self.value["metadata"]["resourceVersion"].as_str().and_then(|text| text.parse().ok()).unwrap_or(0)
    }

    pub(crate) fn label(&self, key: &str) -> Option<&str> {
        self.value["metadata"]["labels"][key].as_str()
    }

    pub(crate) fn is_terminating(&self) -> bool {
        self.value["metadata"].get("deletionTimestamp").is_some()
    }

    pub(crate) fn has_finalizers(&self) -> bool {
        self.value["metadata"].get("finalizers").is_some()
    }

    /// The same with another version: what a DELETED event carries.
    fn at(&self, revision: u64) -> Value {
        let mut value = self.value.clone();
        value["metadata"]["resourceVersion"] = revision.to_string().into();
        value
    }
}

/// The objects of one revision, by their keys.
pub(crate) type State = BTreeMap<String, Rc<Object>>;

/// The change that a revision made to one object.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) revision: u64,
    /// When it was made.
    pub(crate) at: Duration,
    pub(crate) before: Option<Rc<Object>>,
    pub(crate) after: Option<Rc<Object>>,
}

impl Change {
    /// The event that a watch is sent of it: type and object.
    pub(crate) fn event(&self, query: &Query) -> Option<(&'static str, Value)> {
        let matches = |object: &Option<Rc<Object>>| object.clone().filter(|object| query.matches(object));
        match (matches(&self.before), matches(&self.after)) {
            (None, Some(after)) => Some(("ADDED", after.value.clone())),
            (Some(_), Some(after)) => Some(("MODIFIED", after.value.clone())),
            (Some(before), None) => Some(("DELETED", before.at(self.revision))),
            (None, None) => None,
        }
    }
}

/// Every state that there has been.
#[derive(Debug)]
pub(crate) struct History {
    /// The newest revision.
    pub(crate) head: u64,
    states: Vec<(u64, State)>,
    changes: Vec<Change>,
    /// When each revision was made.
    commits: Vec<(Duration, u64)>,
}

impl History {
    pub(crate) fn new(head: u64, now: Duration) -> Self {
        Self {
            head,
            states: vec![(0, State::new())],
            changes: Vec::new(),
            commits: vec![(Duration::ZERO, head), (now, head)],
        }
    }

    /// The state at a revision.
    pub(crate) fn at(&self, revision: u64) -> &State {
        let count = self.states.partition_point(|(known, _)| *known <= revision);
        &self.states[count - 1].1
    }

    /// The newest state.
    pub(crate) fn newest(&self) -> &State {
        self.at(self.head)
    }

    /// A revision that was about something else.
    pub(crate) fn skip(&mut self, now: Duration) {
        self.head += 1;
        self.commits.push((now, self.head));
    }

    /// The next revision writes `after` at `key`, or deletes what is there.
    pub(crate) fn write(&mut self, key: &str, after: Option<Object>, now: Duration) {
        self.skip(now);
        let mut state = self.at(self.head).clone();
        let after = after.map(Rc::new);
        let before = match &after {
            Some(object) => state.insert(key.to_owned(), Rc::clone(object)),
            None => state.remove(key),
        };
        self.states.push((self.head, state));
        self.changes.push(Change { revision: self.head, at: now, before, after });
    }

    /// The changes after a revision, up to another.
    pub(crate) fn changes(&self, after: u64, upto: u64) -> &[Change] {
        let from = self.changes.partition_point(|change| change.revision <= after);
        let to = self.changes.partition_point(|change| change.revision <= upto);
        &self.changes[from..to.max(from)]
    }

    /// The newest revision that was there at a time.
    pub(crate) fn revision_at(&self, time: Duration) -> u64 {
        let count = self.commits.partition_point(|(at, _)| *at <= time);
        self.commits[count - 1].1
    }

    /// The revision of the newest change that is not newer than a revision.
    pub(crate) fn last_change(&self, revision: u64) -> Option<u64> {
        self.changes(0, revision).last().map(|change| change.revision)
    }

    /// Returns whether a window that has seen everything up to `reached` may have dropped something newer than
    /// `revision`: events that are 75 seconds old and not among the newest hundred.
    pub(crate) fn may_have_dropped(&self, revision: u64, reached: u64, now: Duration) -> bool {
        let changes = self.changes(revision, reached);
        let old = |change: &Change| now.saturating_sub(change.at) >= Duration::from_secs(75);
        changes.len() > 100 && changes.first().is_some_and(old)
    }
}
