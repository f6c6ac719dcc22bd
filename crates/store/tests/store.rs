//! The guarantees of each operation, one by one.

use std::panic::{AssertUnwindSafe, catch_unwind};

use store::{CompactError, Cursor, Guard, KeyRange, ReadError, Revision, Store, Txn, TxnError};

type Names = Store<&'static str>;

/// `a` put at 5 and 6; `b` put at 7 and deleted at 8.
fn example() -> Names {
    let mut store = Store::new(5);
    for (key, value) in [("a", "ant"), ("a", "ape"), ("b", "bat")] {
        store.put(key, Guard::None, |_| value).expect("unconditional");
    }
    store.delete("b", Guard::None).expect("unconditional");
    store
}

/// The events that a watch has at hand.
fn drain(store: &Names, cursor: &mut Cursor) -> Vec<(Revision, String, Option<&'static str>)> {
    let mut events = Vec::new();
    while let Some(event) = store.next(cursor).expect("kept") {
        events.push((event.revision, event.key.to_string(), event.value.map(|entry| entry.value)));
    }
    events
}

#[test]
fn a_new_store_has_compacted_what_is_before_its_first_revision() {
    let mut store = Names::new(10245);
    assert_eq!((store.revision(), store.compact_revision()), (10244, 10244));
    assert_eq!(store.get_at("a", 10244), Ok(None));
    assert_eq!(store.get_at("a", 1), Err(ReadError::Compacted { requested: 1, compact_revision: 10244 }));
    assert_eq!(store.put("a", Guard::Absent, |_| "ant").map(|entry| entry.mod_revision), Ok(10245));
    let mut store = Names::new(0);
    assert_eq!(store.put("a", Guard::Absent, |_| "ant").map(|entry| entry.mod_revision), Ok(1));
}

#[test]
fn guards() {
    #[track_caller]
    fn check(key: &str, guard: Guard, expected: Result<(), &str>) {
        let conflict =
            |result: Result<(), store::Conflict<_>>| result.map_err(|conflict| conflict.to_string());
        let expected = expected.map_err(str::to_owned);
        let mut store = example();
        assert_eq!(conflict(store.put(key, guard, |_| "new").map(drop)), expected);
        assert_eq!(store.revision(), if expected.is_ok() { 9 } else { 8 });
        let mut store = example();
        assert_eq!(conflict(store.delete(key, guard).map(drop)), expected);
        assert_eq!(store.revision(), if expected.is_ok() && key == "a" { 9 } else { 8 });
        let commit = |txn: Txn<'_, _>| match example().commit(txn) {
            Ok(_) => Ok(()),
            Err(TxnError::Conflict(error)) => Err(error.to_string()),
            Err(TxnError::DuplicateKey(key)) => panic!("{key} twice"),
        };
        assert_eq!(commit(Txn::new().put(key, guard, |_| "new")), expected);
        assert_eq!(commit(Txn::new().delete(key, guard)), expected);
        assert_eq!(commit(Txn::new().put("z", Guard::Absent, |_| "new").check(key, guard)), expected);
    }
    check("a", Guard::None, Ok(()));
    check("a", Guard::ModRevision(6), Ok(()));
    check("a", Guard::ModRevision(5), Err(r#"key "a": wanted mod revision 5, found mod revision 6"#));
    check("a", Guard::ModRevision(0), Err(r#"key "a": wanted mod revision 0, found mod revision 6"#));
    check("a", Guard::Absent, Err(r#"key "a": wanted no such key, found mod revision 6"#));
    check("b", Guard::None, Ok(()));
    check("b", Guard::Absent, Ok(()));
    check("b", Guard::ModRevision(7), Err(r#"key "b": wanted mod revision 7, found no such key"#));
    check("c", Guard::ModRevision(0), Err(r#"key "c": wanted mod revision 0, found no such key"#));
}

#[test]
fn a_value_may_hold_its_own_revision() {
    let mut store = Store::new(7);
    let entry =
        store.put("a", Guard::None, |revision| format!("written at {revision}")).expect("unconditional");
    assert_eq!((entry.value.as_str(), entry.mod_revision), ("written at 7", 7));
}

#[test]
fn deleting_what_is_absent_writes_nothing() {
    let mut store = example();
    assert_eq!(store.delete("b", Guard::None), Ok(None));
    assert_eq!(store.delete("never", Guard::None), Ok(None));
    assert_eq!(store.commit(Txn::new().delete("b", Guard::None).check("a", Guard::None)), Ok(None));
    assert_eq!(store.commit(Txn::new()), Ok(None));
    assert_eq!(store.revision(), 8);
    let deleted = store.delete("a", Guard::None).expect("unconditional").expect("it exists");
    assert_eq!((deleted.revision, deleted.previous.value, deleted.previous.mod_revision), (9, "ape", 6));
}

#[test]
fn a_transaction_is_written_whole_or_not_at_all() {
    let mut store = example();
    let txn = || Txn::new().put("c", Guard::Absent, |_| "cat").delete("a", Guard::ModRevision(6));
    let error = store.commit(txn().put("b", Guard::ModRevision(7), |_| "bee")).expect_err("deleted at 8");
    assert_eq!(error.to_string(), r#"key "b": wanted mod revision 7, found no such key"#);
    let error = store.commit(txn().put("c", Guard::Absent, |_| "cow")).expect_err("the same key");
    assert_eq!(error.to_string(), r#"key "c" is written twice in one transaction"#);
    assert_eq!((store.revision(), store.count(&KeyRange::prefix(""))), (8, 1));

    let mut cursor = store.watch(KeyRange::all(), 8).expect("the newest revision");
    assert_eq!(store.commit(txn().put("b", Guard::Absent, |_| "bee")), Ok(Some(9)));
    let events = [(9, "c".into(), Some("cat")), (9, "a".into(), None), (9, "b".into(), Some("bee"))];
    assert_eq!(drain(&store, &mut cursor), events);
    assert_eq!(store.count_at(&KeyRange::all(), 8), Ok(1));
    assert_eq!(store.count_at(&KeyRange::all(), 9), Ok(2));
}

#[test]
fn a_value_that_panics_is_not_written() {
    let mut store = example();
    let put = AssertUnwindSafe(|| store.put("a", Guard::None, |_| panic!("no value")).is_ok());
    assert!(catch_unwind(put).is_err());
    let txn = Txn::new().put("c", Guard::None, |_| "cat").put("a", Guard::None, |_| panic!("no value"));
    assert!(catch_unwind(AssertUnwindSafe(|| store.commit(txn).is_ok())).is_err());
    assert_eq!(store.revision(), 8);
    assert_eq!(store.get("a").map(|entry| entry.value), Some("ape"));
    assert_eq!(store.get("c"), None);
    assert_eq!(store.events(8).map(Iterator::count), Ok(0));
}

#[test]
fn ranges_that_hold_nothing() {
    let store = example();
    for range in [KeyRange::prefix("a").after("b"), KeyRange::key("a").after("a"), KeyRange::prefix("b")] {
        assert_eq!(store.range(&range).count(), 0, "{range:?}");
    }
    assert_eq!(store.count_at(&KeyRange::prefix("b"), 7), Ok(1));
}

#[test]
fn reads_and_events_go_both_ways() {
    let store = example();
    let values: Vec<_> =
        store.range_at(&KeyRange::all(), 7).expect("kept").rev().map(|entry| entry.value).collect();
    assert_eq!(values, ["bat", "ape"]);
    let revisions: Vec<_> = store.events(5).expect("kept").rev().map(|event| event.revision).collect();
    assert_eq!(revisions, [8, 7, 6]);
}

#[test]
fn a_watch_of_the_future_is_silent_until_then() {
    let mut store = example();
    let mut cursor = store.watch(KeyRange::all(), 10).expect("the future");
    for revision in 9..=11 {
        assert_eq!((store.next(&mut cursor), cursor.revision()), (Ok(None), 10));
        store.put("a", Guard::None, |_| "asp").expect("unconditional");
        assert_eq!(store.revision(), revision);
        // What it does not wait for may be compacted.
        store.compact(revision - 1).expect("newer than before");
    }
    assert_eq!(drain(&store, &mut cursor), [(11, "a".into(), Some("asp"))]);
    assert_eq!(cursor.revision(), 11);
}

#[test]
fn a_watch_goes_on_after_compaction_if_it_has_seen_what_is_gone() {
    let mut store = example();
    let mut behind = store.watch(KeyRange::all(), 4).expect("kept");
    let mut ahead = behind.clone();
    for revision in 5..=6 {
        let event = store.next(&mut ahead).expect("kept").expect("due");
        assert_eq!(event.revision, revision);
    }
    store.compact(6).expect("newer than 4");
    let error = ReadError::Compacted { requested: 4, compact_revision: 6 };
    assert_eq!(store.next(&mut behind), Err(error));
    assert_eq!(store.next(&mut behind), Err(error));
    assert_eq!(store.watch(KeyRange::all(), 4), Err(error));
    assert_eq!(drain(&store, &mut ahead), [(7, "b".into(), Some("bat")), (8, "b".into(), None)]);
}

#[test]
fn a_watch_knows_which_revisions_it_has_seen_whole() {
    let mut store = example();
    let mut cursor = store.watch(KeyRange::all(), 8).expect("the newest revision");
    let txn = Txn::new().put("c", Guard::None, |_| "cat").put("d", Guard::None, |_| "dog");
    assert_eq!(store.commit(txn), Ok(Some(9)));
    assert_eq!(store.next(&mut cursor).map(|event| event.map(|event| event.revision)), Ok(Some(9)));
    assert_eq!(cursor.revision(), 8);

    // The rest of the transaction goes with its revision.
    let mut compacted = store.clone();
    compacted.compact(9).expect("newer than 4");
    let error = ReadError::Compacted { requested: 8, compact_revision: 9 };
    assert_eq!(compacted.next(&mut cursor.clone()), Err(error));

    assert_eq!(drain(&store, &mut cursor), [(9, "d".into(), Some("dog"))]);
    assert_eq!(cursor.revision(), 9);
    // Writes outside of its range count as seen.
    let mut cursor = store.watch(KeyRange::key("b"), 8).expect("kept");
    assert_eq!((store.next(&mut cursor), cursor.revision()), (Ok(None), 9));
}

#[test]
fn refusals_in_words() {
    #[track_caller]
    fn check<T: std::fmt::Debug>(result: Result<T, impl std::error::Error>, expected: &str) {
        assert_eq!(result.expect_err(expected).to_string(), expected);
    }
    let mut store = example();
    store.compact(6).expect("newer than 4");
    check(store.get_at("a", 5), "revision 5 has been compacted: the oldest one kept is 6");
    check(store.get_at("a", 9), "revision 9 is in the future: the newest one is 8");
    check(store.watch(KeyRange::all(), 5), "revision 5 has been compacted: the oldest one kept is 6");
    check(store.compact(6), "revision 6 has been compacted already: the compact revision is 6");
    check(store.compact(9), "revision 9 is in the future: the newest one is 8");
    assert_eq!(store.compact(9), Err(CompactError::Future { requested: 9, revision: 8 }));
}

#[test]
fn a_fork_has_what_there_was_and_goes_its_own_way() {
    let mut store = Store::new(1);
    let put = |store: &mut Store<u32>, key: &str, value: u32| {
        store.put(key, Guard::None, |_| value).expect("unconditional").mod_revision
    };
    put(&mut store, "a", 1);
    let at = put(&mut store, "b", 2);
    store.delete("a", Guard::None).expect("unconditional");
    put(&mut store, "b", 3);
    let mut fork = store.fork(at).expect("a revision that is kept");
    let all = |store: &Store<u32>| {
        let entries = store.range(&KeyRange::all());
        entries
            .map(|entry| (entry.key.to_string(), entry.value, entry.mod_revision, entry.version))
            .collect::<Vec<_>>()
    };
    assert_eq!((fork.revision(), fork.compact_revision()), (at, at));
    assert_eq!(all(&fork), [("a".to_owned(), 1, 1, 1), ("b".to_owned(), 2, 2, 1)]);
    assert_eq!(put(&mut fork, "b", 4), at + 1);
    assert_eq!(fork.events(at).expect("kept").count(), 1);
    assert_eq!(fork.get_at("b", at).map(|entry| entry.map(|entry| entry.value)), Ok(Some(2)));
    assert_eq!(all(&store), [("b".to_owned(), 3, 4, 2)]);
    assert!(store.fork(store.revision() + 1).is_err());
    store.compact(at + 1).expect("a revision that is kept");
    assert!(store.fork(at).is_err());
}

/// A store that begins with what another one held when it was compacted, and is written to as that one was, is the same.
#[test]
fn what_was_restored_is_read_and_watched_as_it_was() {
    let mut store = Store::new(8);
    store.restore("a", 3, "apple").unwrap();
    store.restore("b", 7, "banana").unwrap();
    assert_eq!((store.revision(), store.compact_revision()), (7, 7));
    store.put("a", Guard::ModRevision(3), |_| "avocado").unwrap();
    store.delete("b", Guard::ModRevision(7)).unwrap();
    let at = |revision| -> Vec<_> {
        store
            .range_at(&KeyRange::all(), revision)
            .unwrap()
            .map(|entry| (entry.value, entry.mod_revision))
            .collect()
    };
    assert_eq!(at(7), [("apple", 3), ("banana", 7)]);
    assert_eq!(at(8), [("avocado", 8), ("banana", 7)]);
    assert_eq!(at(9), [("avocado", 8)]);
    let before: Vec<_> =
        store.events(7).unwrap().map(|event| event.previous.map(|entry| entry.value)).collect();
    assert_eq!(before, [Some("apple"), Some("banana")]);
    assert!(store.get_at("a", 6).is_err());
}

#[test]
fn nothing_is_restored_into_what_goes_on_already() {
    let mut store = Store::new(8);
    assert!(store.restore("a", 8, "newer than the compact revision").is_err());
    store.restore("a", 3, "apple").unwrap();
    assert!(store.restore("a", 4, "there already").is_err());
    store.put("b", Guard::None, |_| "banana").unwrap();
    assert_eq!(
        store.restore("c", 3, "cherry").unwrap_err().to_string(),
        r#"key "c" can't be restored at revision 3: the store has been written to, or is compacted to 7 only"#
    );
    assert_eq!((store.count(&KeyRange::all()), store.revision()), (2, 8));
}
