//! The store does what a naive one does, whatever is done to both.

mod naive;

use naive::{Fields, Naive, Refusal, Step, Value, Watch, Written};
use proptest::prelude::*;
use store::{Cursor, Entry, Event, Guard, KeyRange, ReadError, Revision, Store, Txn, TxnError};

/// Prefixes of one another, neighbours in byte order, characters of every length, and the last one there is.
const KEYS: [&str; 9] = ["", "a", "a/1", "a/2", "a0", "b", "é", "\u{d7ff}", "\u{10ffff}x"];

/// A revision, from one below the first to one above the newest.
type AnyRevision = proptest::sample::Index;

#[derive(Clone, Debug)]
enum AnyGuard {
    None,
    Absent,
    /// Whatever the key was last written at.
    Current,
    Other(AnyRevision),
}

#[derive(Clone, Debug)]
enum AnyStep {
    Put(&'static str, AnyGuard),
    Delete(&'static str, AnyGuard),
    Check(&'static str, AnyGuard),
}

#[derive(Clone, Debug)]
enum Action {
    Put(&'static str, AnyGuard),
    Delete(&'static str, AnyGuard),
    Commit(Vec<AnyStep>),
    Read(&'static str, KeyRange, AnyRevision),
    Events(AnyRevision),
    Watch(KeyRange, AnyRevision),
    /// Takes some events from a watch.
    Next(proptest::sample::Index, usize),
    /// Opens a watch where another one stands, by its cursor or by its revision.
    Resume(proptest::sample::Index, bool),
    Compact(AnyRevision),
}

fn key() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(&KEYS[..])
}

fn guard() -> impl Strategy<Value = AnyGuard> {
    prop_oneof![
        4 => Just(AnyGuard::None),
        2 => Just(AnyGuard::Absent),
        4 => Just(AnyGuard::Current),
        1 => any::<AnyRevision>().prop_map(AnyGuard::Other),
    ]
}

fn range() -> impl Strategy<Value = KeyRange> {
    let all =
        prop_oneof![Just(KeyRange::all()), key().prop_map(KeyRange::prefix), key().prop_map(KeyRange::key)];
    (all, proptest::option::of((key(), any::<bool>()))).prop_map(|(range, start)| match start {
        Some((key, true)) => range.after(key),
        Some((key, false)) => range.at_or_after(key),
        None => range,
    })
}

fn step() -> impl Strategy<Value = AnyStep> {
    prop_oneof![
        3 => (key(), guard()).prop_map(|(key, guard)| AnyStep::Put(key, guard)),
        2 => (key(), guard()).prop_map(|(key, guard)| AnyStep::Delete(key, guard)),
        1 => (key(), guard()).prop_map(|(key, guard)| AnyStep::Check(key, guard)),
    ]
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        6 => (key(), guard()).prop_map(|(key, guard)| Action::Put(key, guard)),
        3 => (key(), guard()).prop_map(|(key, guard)| Action::Delete(key, guard)),
        3 => proptest::collection::vec(step(), 0..4).prop_map(Action::Commit),
        4 => (key(), range(), any::<AnyRevision>()).prop_map(|(key, range, at)| Action::Read(key, range, at)),
        1 => any::<AnyRevision>().prop_map(Action::Events),
        2 => (range(), any::<AnyRevision>()).prop_map(|(range, after)| Action::Watch(range, after)),
        4 => (any::<proptest::sample::Index>(), 1..5_usize).prop_map(|(watch, n)| Action::Next(watch, n)),
        1 => (any::<proptest::sample::Index>(), any::<bool>()).prop_map(|(watch, clone)| Action::Resume(watch, clone)),
        1 => any::<AnyRevision>().prop_map(Action::Compact),
    ]
}

fn fields(entry: &Entry<Value>) -> Fields {
    let key = KEYS.into_iter().find(|key| **key == *entry.key).expect("a key that was written");
    (key, entry.value, entry.create_revision, entry.mod_revision, entry.version)
}

fn written(event: Event<'_, Value>) -> Written {
    let key = KEYS.into_iter().find(|key| **key == **event.key).expect("a key that was written");
    (event.revision, key, event.value.map(fields), event.previous.map(fields))
}

/// The store, its model, and the watches of both.
struct Pair {
    first_revision: Revision,
    store: Store<Value>,
    naive: Naive,
    watches: Vec<(Cursor, Watch)>,
    values: u32,
}

impl Pair {
    fn new(first_revision: Revision) -> Self {
        let (store, naive) = (Store::new(first_revision), Naive::new(first_revision));
        Self { first_revision, store, naive, watches: Vec::new(), values: 0 }
    }

    fn revision(&self, index: AnyRevision) -> Revision {
        let oldest = self.first_revision.saturating_sub(2);
        oldest + index.index((self.naive.revision + 3 - oldest) as usize) as Revision
    }

    fn guard(&self, key: &str, guard: &AnyGuard) -> Guard {
        match guard {
            AnyGuard::None => Guard::None,
            AnyGuard::Absent => Guard::Absent,
            AnyGuard::Current => {
                let current = self.naive.held(key, self.naive.revision);
                current.map_or(Guard::Absent, |current| Guard::ModRevision(current.3))
            }
            AnyGuard::Other(index) => Guard::ModRevision(self.revision(*index)),
        }
    }

    fn value(&mut self) -> u32 {
        self.values += 1;
        self.values
    }

    fn act(&mut self, action: Action) {
        match action {
            Action::Put(key, guard) => self.put(key, &guard),
            Action::Delete(key, guard) => self.delete(key, &guard),
            Action::Commit(steps) => self.commit(&steps),
            Action::Read(key, range, at) => self.read(key, &range, at),
            Action::Events(after) => {
                let after = self.revision(after);
                let events = self.store.events(after).map(|events| events.map(written).collect());
                assert_eq!(events, self.naive.events(after));
            }
            Action::Watch(range, after) => self.watch(range, after),
            Action::Next(watch, count) => {
                if !self.watches.is_empty() {
                    self.next(watch.index(self.watches.len()), count);
                }
            }
            Action::Resume(watch, clone) => {
                if !self.watches.is_empty() {
                    self.resume(watch.index(self.watches.len()), clone);
                }
            }
            Action::Compact(at) => {
                let at = self.revision(at);
                assert_eq!(self.store.compact(at), self.naive.compact(at));
            }
        }
        assert_eq!(self.store.revision(), self.naive.revision);
        assert_eq!(self.store.compact_revision(), self.naive.compact_revision);
    }

    fn put(&mut self, key: &'static str, guard: &AnyGuard) {
        let (guard, value) = (self.guard(key, guard), self.value());
        let expected = self.naive.commit(&[Step::Put(key, guard, value)]);
        let put = self.store.put(key, guard, |revision| (revision, value));
        match put {
            Ok(entry) => {
                assert_eq!(expected, Ok(Some(entry.mod_revision)));
                assert_eq!(Some(fields(entry)), self.naive.held(key, self.naive.revision));
            }
            Err(conflict) => {
                assert_eq!((&*conflict.key, conflict.guard), (key, guard));
                assert_eq!(expected, Err(Refusal::Conflict(key, conflict.current.as_ref().map(fields))));
            }
        }
    }

    fn delete(&mut self, key: &'static str, guard: &AnyGuard) {
        let guard = self.guard(key, guard);
        let previous = self.naive.held(key, self.naive.revision);
        let expected = self.naive.commit(&[Step::Delete(key, guard)]);
        match self.store.delete(key, guard) {
            Ok(Some(deleted)) => {
                assert_eq!(expected, Ok(Some(deleted.revision)));
                assert_eq!(Some(fields(&deleted.previous)), previous);
            }
            Ok(None) => assert_eq!(expected, Ok(None)),
            Err(conflict) => {
                assert_eq!(expected, Err(Refusal::Conflict(key, conflict.current.as_ref().map(fields))));
            }
        }
    }

    fn commit(&mut self, steps: &[AnyStep]) {
        let mut txn = Txn::new();
        let mut naive = Vec::new();
        for step in steps {
            match step {
                AnyStep::Put(key, guard) => {
                    let (guard, value) = (self.guard(key, guard), self.value());
                    txn = txn.put(key, guard, move |revision| (revision, value));
                    naive.push(Step::Put(key, guard, value));
                }
                AnyStep::Delete(key, guard) => {
                    let guard = self.guard(key, guard);
                    txn = txn.delete(key, guard);
                    naive.push(Step::Delete(key, guard));
                }
                AnyStep::Check(key, guard) => {
                    let guard = self.guard(key, guard);
                    txn = txn.check(key, guard);
                    naive.push(Step::Check(key, guard));
                }
            }
        }
        let known =
            |key: &str| KEYS.into_iter().find(|known| *known == key).expect("a key of the transaction");
        let committed = self.store.commit(txn).map_err(|error| match error {
            TxnError::Conflict(conflict) => {
                Refusal::Conflict(known(&conflict.key), conflict.current.as_ref().map(fields))
            }
            TxnError::DuplicateKey(key) => Refusal::DuplicateKey(known(&key)),
        });
        assert_eq!(committed, self.naive.commit(&naive));
    }

    fn read(&self, key: &str, range: &KeyRange, at: AnyRevision) {
        let (at, head) = (self.revision(at), self.naive.revision);
        assert_eq!(self.store.get(key).map(fields), self.naive.held(key, head));
        assert_eq!(self.store.get_at(key, at).map(|entry| entry.map(fields)), self.naive.get(key, at));
        let entries: Vec<_> = self.store.range(range).map(fields).collect();
        assert_eq!(self.store.count(range), entries.len());
        assert_eq!(Ok(entries), self.naive.range(range, head));
        let entries: Result<Vec<_>, _> = self.store.range_at(range, at).map(|all| all.map(fields).collect());
        assert_eq!(self.store.count_at(range, at), entries.as_ref().map(Vec::len).map_err(|error| *error));
        assert_eq!(entries, self.naive.range(range, at));
    }

    fn watch(&mut self, range: KeyRange, after: AnyRevision) {
        let after = self.revision(after);
        match self.store.watch(range.clone(), after) {
            Ok(cursor) => {
                assert!(after >= self.naive.compact_revision);
                assert_eq!((cursor.range(), cursor.revision()), (&range, after));
                self.watches.push((cursor, Watch::new(range, after)));
            }
            Err(error) => assert_eq!(Err(error), self.naive.events(after)),
        }
    }

    fn next(&mut self, index: usize, count: usize) {
        let (cursor, watch) = &mut self.watches[index];
        for _ in 0..count {
            let before = cursor.revision();
            match self.store.next(cursor) {
                Ok(event) => assert_eq!(Ok(event.map(written)), watch.next(&self.naive)),
                Err(error) => {
                    let compact_revision = self.naive.compact_revision;
                    assert_eq!(error, ReadError::Compacted { requested: before, compact_revision });
                    assert_eq!(Err(()), watch.next(&self.naive));
                }
            }
            assert!(cursor.revision() >= before);
        }
    }

    fn resume(&mut self, index: usize, clone: bool) {
        let (cursor, watch) = self.watches[index].clone();
        if clone {
            self.watches.push((cursor, watch));
        } else if let Ok(again) = self.store.watch(watch.range.clone(), cursor.revision()) {
            // Nothing is outstanding from before the place where it resumes.
            assert!(watch.given.len() >= watch.due(&self.naive, cursor.revision()).len());
            self.watches.push((again, Watch::new(watch.range, cursor.revision())));
        }
    }

    /// Lets every watch run to the end: it has been given exactly what was due.
    fn finish(&mut self) {
        for index in 0..self.watches.len() {
            self.next(index, self.naive.log.len() + 1);
            let (cursor, watch) = &self.watches[index];
            let due = watch.due(&self.naive, self.naive.revision);
            if self.store.next(&mut cursor.clone()).is_ok() {
                assert_eq!(watch.given, due);
                assert_eq!(cursor.revision(), self.naive.revision.max(watch.after));
            } else {
                assert!(due.starts_with(&watch.given));
            }
        }
        for at in self.naive.compact_revision..=self.naive.revision {
            for key in KEYS {
                assert_eq!(
                    self.store.get_at(key, at).map(|entry| entry.map(fields)),
                    self.naive.get(key, at)
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn does_what_the_naive_one_does(
        first_revision in prop_oneof![1..4_u64, Just(10245)],
        actions in proptest::collection::vec(action(), 1..120),
    ) {
        let mut pair = Pair::new(first_revision);
        for action in actions {
            pair.act(action);
        }
        pair.finish();
    }
}
