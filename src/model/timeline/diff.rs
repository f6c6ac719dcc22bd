//! The difference between two versions of an object.

use json_tree::{Map, Value};

/// Two versions of a value, laid over each other.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Delta {
    /// Nothing has changed.
    Same(Value),
    /// There was nothing before.
    Added(Value),
    /// There is nothing any more.
    Removed(Value),
    /// One thing is where another one was.
    Changed(Value, Value),
    /// A map, of whose fields some have changed: in the new order, those that are gone where they were.
    Map(Vec<(String, Self)>),
    /// A list, of whose items some have changed: in the new order, those that are gone about where they were.
    List(Vec<Self>),
}

/// The keys that tell the items of a list apart: the merge keys that Kubernetes' lists have, the most telling ones
/// first.
/// See <https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy>.
const KEYS: &[&[&str]] = &[
    &["uid"],
    &["name"],
    &["type"],
    &["containerPort", "protocol"],
    &["port", "protocol"],
    &["mountPath"],
    &["devicePath"],
    &["topologyKey", "whenUnsatisfiable"],
    &["ip"],
];

/// Returns the difference between `old` and `new`.
pub(crate) fn diff(old: &Value, new: &Value) -> Delta {
    match (old, new) {
        _ if old == new => Delta::Same(new.clone()),
        (Value::Object(old), Value::Object(new)) => Delta::Map(maps(old, new)),
        (Value::Array(old), Value::Array(new)) => Delta::List(lists(old, new)),
        _ => Delta::Changed(old.clone(), new.clone()),
    }
}

/// Returns the difference between two values, each of which may be missing; `None` if both are.
pub(crate) fn between(old: Option<Value>, new: Option<Value>) -> Option<Delta> {
    match (old, new) {
        (Some(old), Some(new)) => Some(diff(&old, &new)),
        (Some(old), None) => Some(Delta::Removed(old)),
        (None, Some(new)) => Some(Delta::Added(new)),
        (None, None) => None,
    }
}

fn maps(old: &Map<String, Value>, new: &Map<String, Value>) -> Vec<(String, Delta)> {
    let mut fields = Vec::new();
    let mut left = old.iter().peekable();
    let gone = |field: &(&String, &Value)| !new.contains_key(field.0);
    for (key, value) in new {
        let Some(before) = old.get(key) else {
            fields.push((key.clone(), Delta::Added(value.clone())));
            continue;
        };
        while let Some((key, value)) = left.next_if(gone) {
            fields.push((key.clone(), Delta::Removed(value.clone())));
        }
        left.next();
        fields.push((key.clone(), diff(before, value)));
    }
    for (key, value) in left.filter(gone) {
        fields.push((key.clone(), Delta::Removed(value.clone())));
    }
    fields
}

fn lists(old: &[Value], new: &[Value]) -> Vec<Delta> {
    let Some(keys) = KEYS.iter().find(|keys| tells_apart(keys, old) && tells_apart(keys, new)) else {
        return by_place(old, new);
    };
    let found = |item: &Value, among: &[Value]| among.iter().position(|other| alike(keys, item, other));
    let places: Vec<usize> = new.iter().filter_map(|item| found(item, old)).collect();
    if !places.is_sorted() {
        return by_place(old, new);
    }
    let mut items = Vec::new();
    let mut next = 0;
    for item in new {
        let Some(place) = found(item, old) else {
            items.push(Delta::Added(item.clone()));
            continue;
        };
        // Those that stood before it and are gone come before it.
        for gone in old.iter().take(place).skip(next).filter(|item| found(item, new).is_none()) {
            items.push(Delta::Removed(gone.clone()));
        }
        next = place + 1;
        items.push(diff(&old[place], item));
    }
    let gone = old.iter().skip(next).filter(|item| found(item, new).is_none());
    items.extend(gone.map(|item| Delta::Removed(item.clone())));
    items
}

/// Returns whether all items have these keys with plain values, and no two items have the same ones.
fn tells_apart(keys: &[&str], items: &[Value]) -> bool {
    items.iter().enumerate().all(|(at, item)| {
        keys.iter().all(|key| item.get(key).is_some_and(|value| !value.is_object() && !value.is_array()))
            && !items[..at].iter().any(|other| alike(keys, item, other))
    })
}

fn alike(keys: &[&str], one: &Value, other: &Value) -> bool {
    keys.iter().all(|key| one.get(key) == other.get(key))
}

/// Items that nothing but their place tells apart: what both begin and end with is the same.
fn by_place(old: &[Value], new: &[Value]) -> Vec<Delta> {
    let head = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(old, new)| old == new).count();
    let (old_middle, new_middle) = (&old_rest[..old_rest.len() - tail], &new_rest[..new_rest.len() - tail]);
    let same = |item: &Value| Delta::Same(item.clone());
    let mut items: Vec<Delta> = new[..head].iter().map(same).collect();
    for at in 0..old_middle.len().max(new_middle.len()) {
        items.extend(between(old_middle.get(at).cloned(), new_middle.get(at).cloned()));
    }
    items.extend(new[new.len() - tail..].iter().map(same));
    items
}

#[cfg(test)]
mod tests {
    use json_tree::json;
    use proptest::prelude::*;

    use super::*;

    /// Returns what `old` becomes by `delta`, which must fit it. Unchanged parts come from `old`, never from `delta`.
    fn apply(old: &Value, delta: &Delta) -> Option<Value> {
        match delta {
            Delta::Same(_) => Some(old.clone()),
            Delta::Added(_) => panic!("added where something is: {old}"),
            Delta::Removed(gone) => {
                assert_eq!(gone, old);
                None
            }
            Delta::Changed(before, after) => {
                assert_eq!(before, old);
                Some(after.clone())
            }
            Delta::Map(fields) => {
                let mut new = old.as_object().unwrap().clone();
                assert!(new.keys().all(|key| fields.iter().any(|(known, _)| known == key)));
                for (key, delta) in fields {
                    let value = match (delta, old.get(key)) {
                        (Delta::Added(value), None) => Some(value.clone()),
                        (delta, Some(value)) => apply(value, delta),
                        (delta, None) => panic!("{key} is not there: {delta:?}"),
                    };
                    new.shift_remove(key);
                    value.into_iter().for_each(|value| drop(new.insert(key.clone(), value)));
                }
                Some(new.into())
            }
            Delta::List(items) => {
                let mut left = old.as_array().unwrap().clone();
                let mut new = Vec::new();
                for delta in items {
                    if let Delta::Added(value) = delta {
                        new.push(value.clone());
                        continue;
                    }
                    let before = before(delta);
                    let at = left.iter().position(|item| *item == before).unwrap();
                    new.extend(apply(&left.remove(at), delta));
                }
                assert!(left.is_empty(), "{left:?}");
                Some(new.into())
            }
        }
    }

    fn before(delta: &Delta) -> Value {
        match delta {
            Delta::Same(value) | Delta::Removed(value) | Delta::Changed(value, _) => value.clone(),
            Delta::Added(_) => Value::Null,
            Delta::Map(fields) => {
                let there = fields.iter().filter(|(_, delta)| !matches!(delta, Delta::Added(_)));
                Value::Object(there.map(|(key, delta)| (key.clone(), before(delta))).collect())
            }
            Delta::List(items) => {
                items.iter().filter(|delta| !matches!(delta, Delta::Added(_))).map(before).collect()
            }
        }
    }

    fn told(path: &str, delta: &Delta, lines: &mut Vec<String>) {
        match delta {
            Delta::Same(_) => {}
            Delta::Added(value) => lines.push(format!("+{path} {value}")),
            Delta::Removed(value) => lines.push(format!("-{path} {value}")),
            Delta::Changed(old, new) => lines.push(format!("~{path} {old} {new}")),
            Delta::Map(fields) => {
                fields.iter().for_each(|(key, delta)| told(&format!("{path}.{key}"), delta, lines));
            }
            Delta::List(items) => {
                for (at, delta) in items.iter().enumerate() {
                    told(&format!("{path}[{at}]"), delta, lines);
                }
            }
        }
    }

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "for the sake of json!")]
    fn check(old: Value, new: Value, expected: &[&str]) {
        let delta = diff(&old, &new);
        let mut lines = Vec::new();
        told("", &delta, &mut lines);
        assert_eq!(lines, expected);
        assert_eq!(apply(&old, &delta), Some(new));
    }

    #[test]
    fn fields_come_go_and_change() {
        check(json!({"a": 1}), json!({"a": 1}), &[]);
        check(json!({"a": 1, "b": 2}), json!({"a": 1, "b": 3}), &["~.b 2 3"]);
        check(json!({"a": 1, "b": 2, "c": 3}), json!({"c": 3, "d": 4}), &["-.a 1", "-.b 2", "+.d 4"]);
        check(json!({"a": {"b": {"c": 1}}}), json!({"a": {"b": {"c": "1"}}}), &["~.a.b.c 1 \"1\""]);
        check(json!({"a": {}}), json!({"a": []}), &["~.a {} []"]);
    }

    #[test]
    fn what_is_gone_stands_where_it_was() {
        let delta = diff(&json!({"a": 1, "b": 2, "c": 3}), &json!({"a": 1, "c": 3, "d": 4}));
        let Delta::Map(fields) = delta else { panic!("{delta:?}") };
        let keys: Vec<&str> = fields.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys, ["a", "b", "c", "d"]);
    }

    #[test]
    fn items_are_known_by_their_keys() {
        check(
            json!([{"name": "a", "image": "1"}, {"name": "b", "image": "1"}]),
            json!([{"name": "c", "image": "1"}, {"name": "b", "image": "2"}]),
            &[
                "+[0] {\"name\":\"c\",\"image\":\"1\"}",
                "-[1] {\"name\":\"a\",\"image\":\"1\"}",
                "~[2].image \"1\" \"2\"",
            ],
        );
        check(
            json!([{"type": "Ready", "status": "False"}]),
            json!([{"type": "Synced", "status": "True"}, {"type": "Ready", "status": "True"}]),
            &["+[0] {\"type\":\"Synced\",\"status\":\"True\"}", "~[1].status \"False\" \"True\""],
        );
        check(
            json!([{"port": 80, "protocol": "TCP"}, {"port": 80, "protocol": "UDP"}]),
            json!([{"port": 80, "protocol": "UDP", "name": "dns"}]),
            &["-[0] {\"port\":80,\"protocol\":\"TCP\"}", "+[1].name \"dns\""],
        );
        // The order of a list may mean something.
        check(
            json!([{"name": "a"}, {"name": "b"}]),
            json!([{"name": "b"}, {"name": "a"}]),
            &["~[0].name \"a\" \"b\"", "~[1].name \"b\" \"a\""],
        );
    }

    #[test]
    fn other_items_are_known_by_their_places() {
        check(json!(["a", "b"]), json!(["x", "a", "b"]), &["+[0] \"x\""]);
        check(json!(["a", "b", "c"]), json!(["a", "c"]), &["-[1] \"b\""]);
        check(json!([1, 2, 3]), json!([1, 5, 6, 3]), &["~[1] 2 5", "+[2] 6"]);
        check(json!([{"name": "a"}, {"name": "a"}]), json!([{"name": "a"}]), &["-[1] {\"name\":\"a\"}"]);
        check(json!([]), json!([1]), &["+[0] 1"]);
    }

    #[test]
    fn nothing_came_from_nothing() {
        assert_eq!(between(None, None), None);
        assert_eq!(between(None, Some(json!(1))), Some(Delta::Added(json!(1))));
        assert_eq!(between(Some(json!(1)), None), Some(Delta::Removed(json!(1))));
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (0..4_u8).prop_map(Value::from),
            "[ab]{0,2}".prop_map(Value::from),
        ];
        let key = || prop_oneof!["name", "type", "port", "protocol", "[a-d]"];
        leaf.prop_recursive(4, 40, 5, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec((key(), inner.clone()), 0..5)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
                prop::collection::vec(("[a-e]", inner), 0..5).prop_map(|items| {
                    items.into_iter().map(|(name, value)| json!({"name": name, "value": value})).collect()
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_old_and_what_has_changed_give_the_new(old in value(), new in value()) {
            let delta = diff(&old, &new);
            prop_assert_eq!(apply(&old, &delta), Some(new));
            prop_assert_eq!(before(&delta), old);
        }
    }
}
