//! Maps beside a list of entries, which says what they should have.

use kubeglass_json_tree::map::same;
use kubeglass_json_tree::{Map, Value};
use proptest::prelude::*;

/// An operation on a map.
#[derive(Clone, Debug)]
enum Action {
    Insert(u8, u32),
    ShiftInsert(u8, u8),
    SwapRemove(u8),
    ShiftRemove(u8),
    Entry(u8, u32),
    Sort,
    RetainBelow(u8),
}

fn action() -> impl Strategy<Value = Action> {
    // Mostly insertions, so that it grows beyond what is looked through.
    prop_oneof![
        6 => (0..90_u8, any::<u32>()).prop_map(|(key, value)| Action::Insert(key, value)),
        2 => (0..90_u8, any::<u32>()).prop_map(|(key, value)| Action::Entry(key, value)),
        1 => (0..90_u8, any::<u8>()).prop_map(|(key, at)| Action::ShiftInsert(key, at)),
        1 => (0..90_u8).prop_map(Action::SwapRemove),
        1 => (0..90_u8).prop_map(Action::ShiftRemove),
        1 => Just(Action::Sort),
        1 => (60..90_u8).prop_map(Action::RetainBelow),
    ]
}

fn name(key: u8) -> String {
    format!("key-{key}")
}

/// The same to a list of entries; what was removed or replaced.
fn on_list(list: &mut Vec<(String, Value)>, action: &Action) -> Option<Value> {
    let place = |list: &[(String, Value)], key: u8| list.iter().position(|(own, _)| *own == name(key));
    match action {
        Action::Insert(key, value) => match place(list, *key) {
            Some(at) => Some(std::mem::replace(&mut list[at].1, (*value).into())),
            None => {
                list.push((name(*key), (*value).into()));
                None
            }
        },
        Action::Entry(key, value) => {
            if place(list, *key).is_none() {
                list.push((name(*key), (*value).into()));
            }
            None
        }
        Action::ShiftInsert(key, at) => {
            let before = place(list, *key).map(|at| list.remove(at).1);
            list.insert(usize::from(*at) % (list.len() + 1), (name(*key), true.into()));
            before
        }
        Action::SwapRemove(key) => place(list, *key).map(|at| list.swap_remove(at).1),
        Action::ShiftRemove(key) => place(list, *key).map(|at| list.remove(at).1),
        Action::Sort => {
            list.sort_by(|a, b| a.0.cmp(&b.0));
            None
        }
        Action::RetainBelow(limit) => {
            list.retain(|(key, _)| key < &name(*limit));
            None
        }
    }
}

fn on_map(map: &mut Map<String, Value>, action: &Action) -> Option<Value> {
    match action {
        Action::Insert(key, value) => map.insert(name(*key), (*value).into()),
        Action::Entry(key, value) => {
            map.entry(name(*key)).or_insert((*value).into());
            None
        }
        Action::ShiftInsert(key, at) => {
            let others = map.len() - usize::from(map.contains_key(&name(*key)));
            map.shift_insert(usize::from(*at) % (others + 1), name(*key), true.into())
        }
        Action::SwapRemove(key) => map.swap_remove(&name(*key)),
        Action::ShiftRemove(key) => map.shift_remove(&name(*key)),
        Action::Sort => {
            map.sort_keys();
            None
        }
        Action::RetainBelow(limit) => {
            map.retain(|key, _| key < &name(*limit));
            None
        }
    }
}

proptest! {
    #[test]
    fn a_map_is_a_list_of_entries_with_keys(actions in prop::collection::vec(action(), 0..120)) {
        let (mut map, mut list) = (Map::new(), Vec::new());
        for action in &actions {
            prop_assert_eq!(on_map(&mut map, action), on_list(&mut list, action), "{:?}", action);
            prop_assert_eq!(map.len(), list.len());
            for key in 0..90 {
                let expected = list.iter().find(|(own, _)| *own == name(key)).map(|(_, value)| value);
                prop_assert_eq!(map.get(&name(key)), expected, "{} after {:?}", key, action);
            }
        }
        let mut other: Map<String, Value> = list.iter().rev().cloned().collect();
        prop_assert_eq!(&map, &other);
        prop_assert!(map.clone().into_iter().eq(list));
        other.insert("more".to_owned(), Value::Null);
        prop_assert_ne!(map, other);
    }
}

#[test]
fn keys_are_the_same_if_all_their_bytes_are() {
    let key = "abcdefghijklmnopqrstuvwxyz";
    for length in 0..key.len() {
        let own = &key[..length];
        assert!(same(own, &own.to_uppercase().to_lowercase()));
        assert!(!same(own, &key[..=length]));
        for at in 0..length {
            let mut other = own.to_owned();
            other.replace_range(at..=at, "-");
            assert!(!same(own, &other), "{own} {other}");
        }
    }
}
