//! Fields of an object by the paths that conflicts name, such as `.spec.containers[name="web"].image`.
//!
//! <https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts>

use json_tree::Value;

/// The first step of a path.
enum Step {
    Key(String),
    Item(usize),
}

/// Takes the field at `path` out of `value`, and tells whether it was there.
pub(crate) fn take_out(value: &mut Value, path: &str) -> bool {
    let Some((step, rest)) = first(value, path) else { return false };
    if !rest.is_empty() {
        return into_mut(value, &step).is_some_and(|inner| take_out(inner, rest));
    }
    match (value, step) {
        (Value::Object(map), Step::Key(key)) => map.shift_remove(&key).is_some(),
        (Value::Array(items), Step::Item(at)) => {
            items.remove(at);
            true
        }
        _ => false,
    }
}

/// The value at `path`.
pub(crate) fn find<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    let (step, rest) = first(value, path)?;
    let inner = match step {
        Step::Key(key) => value.get(&key),
        Step::Item(at) => value.get(at),
    }?;
    if rest.is_empty() { Some(inner) } else { find(inner, rest) }
}

/// Puts `new` where something stands already at `path`, and tells whether it does.
pub(crate) fn put(value: &mut Value, path: &str, new: Value) -> bool {
    let Some((step, rest)) = first(value, path) else { return false };
    let Some(inner) = into_mut(value, &step) else { return false };
    if rest.is_empty() {
        *inner = new;
        return true;
    }
    put(inner, rest, new)
}

fn into_mut<'a>(value: &'a mut Value, step: &Step) -> Option<&'a mut Value> {
    match step {
        Step::Key(key) => value.get_mut(key),
        Step::Item(at) => value.get_mut(*at),
    }
}

/// The first step of `path` into `value`, and the rest of it; `None` if it leads nowhere.
fn first<'p>(value: &Value, path: &'p str) -> Option<(Step, &'p str)> {
    match value {
        Value::Object(map) => {
            let rest = path.strip_prefix('.')?;
            // A key may have dots in it: the longest one that fits is meant.
            let fits = |key: &&String| {
                rest.strip_prefix(key.as_str())
                    .is_some_and(|after| after.is_empty() || after.starts_with(['.', '[']))
            };
            let key = map.keys().filter(fits).max_by_key(|key| key.len())?;
            Some((Step::Key(key.clone()), &rest[key.len()..]))
        }
        Value::Array(items) => {
            let end = end_of(path)?;
            let (selector, after) = (&path[1..end], &path[end + 1..]);
            let at = items.iter().enumerate().position(|(at, item)| selects(selector, at, item))?;
            Some((Step::Item(at), after))
        }
        _ => None,
    }
}

/// Returns the position of the bracket that closes the one at the beginning of `path`.
fn end_of(path: &str) -> Option<usize> {
    let mut quoted = false;
    let closes = |(_, c): &(usize, char)| {
        quoted ^= *c == '"';
        !quoted && *c == ']'
    };
    path.starts_with('[').then(|| path.char_indices().find(closes).map(|(at, _)| at))?
}

/// Returns whether a selector like `name="web",protocol="TCP"`, `="value"` or `0` means the item at `at`.
fn selects(selector: &str, at: usize, item: &Value) -> bool {
    if let Some(value) = selector.strip_prefix('=') {
        return is(item, value);
    }
    if selector.parse() == Ok(at) {
        return true;
    }
    let keys = |pair: &str| {
        pair.split_once('=').is_some_and(|(key, value)| item.get(key).is_some_and(|known| is(known, value)))
    };
    selector.contains('=') && selector.split(',').all(keys)
}

/// Returns whether `value` is the JSON of `known`.
fn is(known: &Value, value: &str) -> bool {
    serde_json::from_str(value).is_ok_and(|value: Value| value == *known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expected: Option<&str>) {
        let mut value: Value = serde_json::from_str(
            r#"{"data":{"a":"1","b.c":"2"},"list":[{"name":"web","n":1},{"name":"db"}],"set":["x","y"]}"#,
        )
        .unwrap();
        let before = value.to_string();
        let taken = take_out(&mut value, path);
        assert_eq!(taken, expected.is_some(), "{path}");
        let after = value.to_string();
        let left = expected.map_or(before, str::to_owned);
        assert_eq!(after, left);
    }

    #[test]
    fn finds_fields_and_puts_values_there() {
        let object = || json_tree::json!({"data": {"b.c": "2"}, "list": [{"name": "web", "n": 1}]});
        for (path, old) in [(".data.b.c", "\"2\""), (".list[name=\"web\"].n", "1"), (".list[0].n", "1")] {
            let mut value = object();
            assert_eq!(find(&value, path).map(Value::to_string).as_deref(), Some(old), "{path}");
            assert!(put(&mut value, path, Value::Null), "{path}");
            assert_eq!(find(&value, path), Some(&Value::Null), "{path}");
        }
        for nothing in ["", ".", ".data.d", ".list[name=\"x\"].n", ".data.b.c.d"] {
            assert_eq!(find(&object(), nothing), None, "{nothing}");
            assert!(!put(&mut object(), nothing, Value::Null), "{nothing}");
        }
    }

    #[test]
    fn takes_fields_out() {
        check(
            ".data.a",
            Some(r#"{"data":{"b.c":"2"},"list":[{"name":"web","n":1},{"name":"db"}],"set":["x","y"]}"#),
        );
        check(
            ".data.b.c",
            Some(r#"{"data":{"a":"1"},"list":[{"name":"web","n":1},{"name":"db"}],"set":["x","y"]}"#),
        );
        check(
            r#".list[name="web"].n"#,
            Some(r#"{"data":{"a":"1","b.c":"2"},"list":[{"name":"web"},{"name":"db"}],"set":["x","y"]}"#),
        );
        check(
            r#".list[name="db"]"#,
            Some(r#"{"data":{"a":"1","b.c":"2"},"list":[{"name":"web","n":1}],"set":["x","y"]}"#),
        );
        check(
            r#".set[="y"]"#,
            Some(r#"{"data":{"a":"1","b.c":"2"},"list":[{"name":"web","n":1},{"name":"db"}],"set":["x"]}"#),
        );
        for nothing in ["", ".", ".data.d", ".list[name=\"x\"]", ".list[", ".data.a.b", "data", ".set[7]"] {
            check(nothing, None);
        }
    }
}
