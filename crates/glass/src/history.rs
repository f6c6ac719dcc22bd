//! The writes of a cluster, from its store's log or from what its watches tell: what every view of the timeline is
//! drawn from.

use std::collections::{HashMap, VecDeque};

use protocol::trace::{EventType, ObjectKey};

use crate::lod::{self, Pyramid};

/// The most writes that are kept.
pub const KEPT: usize = 120_000;

/// A write. Small, for there are many: what is long stands once, and here only its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// The revision that it made.
    pub revision: u64,
    /// The number of the request that made it, as [`protocol::trace::RequestRecord`] has it; 0 if nobody knows.
    pub request: u64,
    /// The number of its object in [`History::objects`].
    pub object: u32,
    /// The number in `History::managers` of who made it, see [`actor`](crate::actor); 0 if nobody knows.
    pub manager: u16,
    /// The event that it made: [`EventType::Added`], [`EventType::Modified`] or [`EventType::Deleted`].
    pub change: EventType,
}

/// An object that has been heard of.
#[derive(Clone, Debug)]
pub struct Object {
    /// The group, resource, namespace and name.
    pub known: ObjectKey,
    /// The name for people: `configmaps/settings`, with the namespace before it where it is not `default`.
    pub label: String,
    /// The revisions of its writes, as far as they are kept, oldest first.
    pub writes: VecDeque<u64>,
    /// The generations: from the revision that created it (0 if that is not known) to the one that deleted it
    /// ([`u64::MAX`] if none has).
    pub generations: VecDeque<(u64, u64)>,
    /// `true` while the object exists.
    pub lives: bool,
    /// The writes at every level of detail.
    pub line: Pyramid,
}

impl Object {
    /// Takes note of a write that is newer than all others.
    fn extend(&mut self, revision: u64, change: u8) {
        let open = self.generations.back_mut().filter(|(_, to)| *to == u64::MAX);
        match (change, open) {
            (DELETED, Some((_, to))) => *to = revision,
            (DELETED, None) => self.generations.push_back((0, revision)),
            (ADDED, None) => self.generations.push_back((revision, u64::MAX)),
            (_, None) => self.generations.push_back((0, u64::MAX)),
            (_, Some(_)) => {}
        }
    }

    /// The newest revision at which it was written; 0 if none is known.
    pub fn last(&self) -> u64 {
        self.writes.back().copied().unwrap_or_default()
    }
}

const ADDED: u8 = 0;
const DELETED: u8 = 2;

/// The newest writes of a cluster, in the order of their revisions, and the objects that they are about.
#[derive(Debug)]
pub struct History {
    writes: VecDeque<Write>,
    objects: Vec<Object>,
    numbers: HashMap<ObjectKey, u32>,
    /// The numbers of the objects, in the order of what they are called.
    by_name: Vec<u32>,
    managers: Vec<String>,
    line: Pyramid,
}

impl Default for History {
    fn default() -> Self {
        let managers = vec![String::new()];
        Self {
            writes: VecDeque::new(),
            objects: Vec::new(),
            numbers: HashMap::new(),
            by_name: Vec::new(),
            managers,
            line: Pyramid::default(),
        }
    }
}

impl History {
    /// The newest revision in it; 0 if there is none.
    pub fn head(&self) -> u64 {
        self.writes.back().map_or(0, |write| write.revision)
    }

    /// Takes a write. One that is known already changes nothing, and one that comes late finds its place.
    pub fn push(&mut self, revision: u64, change: EventType, object: ObjectKey) {
        let at = self.place(revision);
        if self.writes.get(at).is_some_and(|known| known.revision == revision) {
            return;
        }
        let newest = at == self.writes.len();
        let number = self.number(object);
        let Some(object) = self.objects.get_mut(number as usize) else { return };
        if newest {
            object.lives = change != EventType::Deleted;
        }
        let kind = lod::kind(Some(change));
        let place = object.writes.partition_point(|known| *known < revision);
        object.line.add(revision, kind);
        if place == object.writes.len() {
            object.extend(revision, kind);
        } else {
            object.generations.clear();
            let marks: Vec<(u64, u8)> = object.line.marks(0, u64::MAX).collect();
            marks.into_iter().for_each(|(revision, kind)| object.extend(revision, kind));
        }
        object.writes.insert(place, revision);
        self.line.add(revision, kind);
        self.writes.insert(at, Write { revision, change, object: number, manager: 0, request: 0 });
        if self.writes.len() > KEPT
            && let Some(oldest) = self.writes.pop_front()
            && let Some(object) = self.objects.get_mut(oldest.object as usize)
        {
            object.writes.pop_front();
            object.line.forget_oldest();
            if object.generations.front().is_some_and(|(_, to)| *to <= oldest.revision) {
                object.generations.pop_front();
            }
            self.line.forget_oldest();
        }
    }

    /// Takes note of which request made a write, and of whom.
    pub fn attribute(&mut self, revision: u64, request: u64, manager: &str) {
        let known = self.managers.iter().position(|known| known == manager);
        let manager = known.unwrap_or_else(|| {
            self.managers.push(manager.to_owned());
            self.managers.len() - 1
        });
        let at = self.place(revision);
        if let Some(write) = self.writes.get_mut(at).filter(|write| write.revision == revision) {
            write.request = request;
            write.manager = u16::try_from(manager).unwrap_or_default();
        }
    }

    /// The writes, oldest first.
    pub fn writes(&self) -> &VecDeque<Write> {
        &self.writes
    }

    /// The writes at every level of detail.
    pub fn line(&self) -> &Pyramid {
        &self.line
    }

    /// The numbers of all objects, in the order of what they are called.
    pub fn by_name(&self) -> &[u32] {
        &self.by_name
    }

    /// The place in [`Self::writes`] of the first one that is not older than `revision`.
    pub fn place(&self, revision: u64) -> usize {
        self.writes.partition_point(|known| known.revision < revision)
    }

    /// The write of a revision.
    pub fn write(&self, revision: u64) -> Option<Write> {
        self.writes.get(self.place(revision)).filter(|write| write.revision == revision).copied()
    }

    /// All objects that have been heard of, by their numbers.
    pub fn objects(&self) -> &[Object] {
        &self.objects
    }

    /// The object of a number.
    pub fn object(&self, number: u32) -> Option<&Object> {
        self.objects.get(number as usize)
    }

    /// The name of who made a write, by its number; empty if nobody knows.
    pub fn manager(&self, number: u16) -> &str {
        self.managers.get(usize::from(number)).map_or("", String::as_str)
    }

    /// The revision of an object's write before `revision`; `None` if it is the first that is kept.
    pub fn previous(&self, object: u32, revision: u64) -> Option<u64> {
        let writes = &self.object(object)?.writes;
        let at = writes.partition_point(|known| *known < revision);
        writes.get(at.checked_sub(1)?).copied()
    }

    /// Takes note of objects that a list names, each with the revision of its last write.
    pub fn listed(&mut self, objects: Vec<(ObjectKey, u64)>) {
        for (object, revision) in objects {
            let number = self.number(object);
            if let Some(object) = self.objects.get_mut(number as usize) {
                // What was written since is known better.
                object.lives |= object.last() <= revision;
            }
        }
    }

    /// The objects that exist, as far as is known, by name.
    pub fn living(&self) -> impl Iterator<Item = &ObjectKey> {
        let all = self.by_name.iter().filter_map(|number| self.object(*number));
        all.filter(|object| object.lives).map(|object| &object.known)
    }

    fn number(&mut self, known: ObjectKey) -> u32 {
        if let Some(number) = self.numbers.get(&known) {
            return *number;
        }
        let number = u32::try_from(self.objects.len()).unwrap_or(u32::MAX);
        let label = label(&known);
        let place = self.by_name.partition_point(|other| {
            self.objects.get(*other as usize).is_some_and(|other| *other.label < *label)
        });
        self.by_name.insert(place, number);
        self.objects.push(Object {
            known: known.clone(),
            label,
            writes: VecDeque::new(),
            generations: VecDeque::new(),
            lives: false,
            line: Pyramid::default(),
        });
        self.numbers.insert(known, number);
        number
    }
}

/// `configmaps/settings`, with the namespace before it where it is not `default`.
pub fn label(object: &ObjectKey) -> String {
    let ObjectKey { resource, namespace, name, .. } = object;
    match namespace.as_str() {
        "" | "default" => [resource, "/", name].concat(),
        _ => [namespace, "/", resource, "/", name].concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ConfigMap to test with.
    fn configmap(name: &str) -> ObjectKey {
        ObjectKey {
            group: String::new(),
            resource: "configmaps".to_owned(),
            namespace: "default".to_owned(),
            name: name.to_owned(),
        }
    }

    /// A history of these writes to ConfigMaps.
    fn history(writes: &[(u64, EventType, &str)]) -> History {
        let mut history = History::default();
        for (revision, change, name) in writes {
            history.push(*revision, *change, configmap(name));
        }
        history
    }

    fn revisions(history: &History) -> Vec<u64> {
        history.writes().iter().map(|write| write.revision).collect()
    }

    #[test]
    fn puts_writes_in_order_and_keeps_one_of_each() {
        let history = history(&[5, 9, 7, 9, 5, 6].map(|revision| (revision, EventType::Modified, "a")));
        assert_eq!(revisions(&history), [5, 6, 7, 9]);
        assert_eq!(history.objects()[0].writes, [5, 6, 7, 9]);
        assert_eq!((history.head(), history.previous(0, 7), history.previous(0, 5)), (9, Some(6), None));
    }

    #[test]
    fn keeps_the_newest() {
        let mut kept = History::default();
        for revision in 1..=(KEPT as u64 + 3) {
            kept.push(revision, EventType::Modified, configmap("a"));
        }
        assert_eq!((kept.writes().len(), kept.objects()[0].writes[0]), (KEPT, 4));
        assert_eq!(kept.write(4).map(|write| write.revision), Some(4));
        assert_eq!(kept.write(3), None);
    }

    #[test]
    fn knows_what_lives() {
        let (added, deleted) = (EventType::Added, EventType::Deleted);
        let mut history = history(&[(1, added, "b"), (2, added, "a"), (3, deleted, "b")]);
        let names = |history: &History| -> Vec<String> {
            history.living().map(|object| object.name.clone()).collect()
        };
        assert_eq!(names(&history), ["a"]);
        history.listed(vec![(configmap("b"), 1), (configmap("c"), 4)]);
        assert_eq!(names(&history), ["a", "c"], "b was deleted since");
    }

    #[test]
    fn a_generation_goes_from_creation_to_deletion() {
        let (added, modified, deleted) = (EventType::Added, EventType::Modified, EventType::Deleted);
        let generations = |history: &History| -> Vec<(u64, u64)> {
            history.objects()[0].generations.iter().copied().collect()
        };
        let mut known =
            history(&[(3, modified, "a"), (5, deleted, "a"), (8, added, "a"), (9, modified, "a")]);
        assert_eq!(generations(&known), [(0, 5), (8, u64::MAX)]);
        known.push(2, added, configmap("a"));
        assert_eq!(generations(&known), [(2, 5), (8, u64::MAX)], "one that comes late");
    }

    #[test]
    fn objects_stand_in_the_order_of_their_names() {
        let history =
            history(&[(1, EventType::Added, "b"), (2, EventType::Added, "c"), (3, EventType::Added, "a")]);
        assert_eq!(history.by_name(), [2, 0, 1]);
    }

    #[test]
    fn knows_who_wrote() {
        let mut history = history(&[(1, EventType::Added, "a"), (2, EventType::Modified, "a")]);
        history.attribute(2, 7, "alice");
        history.attribute(9, 8, "bob");
        let write = history.write(2).unwrap();
        assert_eq!((write.request, history.manager(write.manager)), (7, "alice"));
        assert_eq!(history.manager(history.write(1).unwrap().manager), "");
    }

    #[test]
    fn labels_leave_out_the_default_namespace() {
        assert_eq!(label(&configmap("a")), "configmaps/a");
        let other = ObjectKey { namespace: "kube-system".to_owned(), ..configmap("a") };
        assert_eq!(label(&other), "kube-system/configmaps/a");
    }
}
