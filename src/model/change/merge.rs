//! Making a change once more that was made to an older version: what was different there is made so here.
//! See <https://www.rfc-editor.org/rfc/rfc7386>.

use json_tree::{Map, Value};

/// The fields that the server sets in `metadata`, which no change is about.
const SET: &[&str] = &[
    "managedFields",
    "resourceVersion",
    "uid",
    "creationTimestamp",
    "generation",
    "selfLink",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
];

/// `now` with what makes `mine` of `base`, at the version of `now`.
pub(crate) fn reapply(base: &Value, mine: &Value, now: &Value) -> Value {
    let bare = |object: &Value| {
        let mut object = object.clone();
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            SET.iter().for_each(|key| drop(metadata.shift_remove(*key)));
        }
        object
    };
    let mut result = now.clone();
    if let Some(metadata) = result.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.shift_remove("managedFields");
    }
    // The kind of an object is no part of how it is stored.
    let mut base = bare(base);
    if let (Some(base), Some(now)) = (base.as_object_mut(), now.as_object()) {
        for key in ["kind", "apiVersion"] {
            now.get(key).into_iter().for_each(|value| drop(base.insert(key.to_owned(), value.clone())));
        }
    }
    make(&mut result, &base, &bare(mine));
    result
}

/// Changes `value` by what makes `new` of `old`. A list is a value like any other.
fn make(value: &mut Value, old: &Value, new: &Value) {
    if old == new {
        return;
    }
    let (Value::Object(before), Value::Object(after)) = (old, new) else {
        *value = new.clone();
        return;
    };
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    let Some(map) = value.as_object_mut() else { return };
    for key in before.keys().filter(|key| !after.contains_key(*key)) {
        map.shift_remove(key);
    }
    for (key, new) in after {
        match (before.get(key), map.get_mut(key)) {
            (Some(old), Some(value)) => make(value, old, new),
            (Some(old), None) if old == new => {}
            _ => drop(map.insert(key.clone(), new.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "for the sake of json!")]
    fn check(base: Value, mine: Value, now: Value, expected: Value) {
        assert_eq!(reapply(&base, &mine, &now), expected);
    }

    #[test]
    fn keeps_what_others_have_changed() {
        check(
            json!({"metadata": {"resourceVersion": "1", "uid": "u"}, "data": {"a": "1", "b": "1", "c": "1"}}),
            json!({"kind": "K", "metadata": {"resourceVersion": "1"}, "data": {"a": "2", "b": "1", "e": "2"}}),
            json!({"kind": "K", "metadata": {"resourceVersion": "2", "uid": "u", "managedFields": []}, "data": {"a": "1", "b": "3", "c": "1", "d": "3"}}),
            json!({"kind": "K", "metadata": {"resourceVersion": "2", "uid": "u"}, "data": {"a": "2", "b": "3", "d": "3", "e": "2"}}),
        );
    }

    #[test]
    fn one_s_own_change_wins() {
        check(
            json!({"spec": {"n": 1, "list": [1], "gone": {"x": 1}}}),
            json!({"spec": {"n": 2, "list": [1, 2], "gone": {"x": 2}}}),
            json!({"spec": {"n": 3, "list": [3]}}),
            json!({"spec": {"n": 2, "list": [1, 2], "gone": {"x": 2}}}),
        );
        check(json!({"a": {"b": 1}}), json!({"a": {"b": 2}}), json!({"a": 5}), json!({"a": {"b": 2}}));
        check(json!({"a": 1}), json!({"a": 1}), json!({}), json!({}));
    }
}
