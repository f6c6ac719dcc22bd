//! Taking fields out of an object, by the paths that conflicts name.

use serde_json::Value;

/// Takes the field at `path`, such as `.spec.containers[name="web"].image`, out of `value`, and tells whether it was
/// there.
///
/// <https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts>
pub(crate) fn take_out(value: &mut Value, path: &str) -> bool {
    match value {
        Value::Object(map) => {
            let Some(rest) = path.strip_prefix('.') else { return false };
            // A key may have dots in it: the longest one that fits is meant.
            let fits = |key: &&String| {
                rest.strip_prefix(key.as_str())
                    .is_some_and(|after| after.is_empty() || after.starts_with(['.', '[']))
            };
            let Some(key) = map.keys().filter(fits).max_by_key(|key| key.len()).cloned() else {
                return false;
            };
            match &rest[key.len()..] {
                "" => map.shift_remove(&key).is_some(),
                after => map.get_mut(&key).is_some_and(|inner| take_out(inner, after)),
            }
        }
        Value::Array(items) => {
            let Some(end) = end_of(path) else { return false };
            let (selector, after) = (&path[1..end], &path[end + 1..]);
            let Some(at) = items.iter().enumerate().position(|(at, item)| selects(selector, at, item)) else {
                return false;
            };
            match after {
                "" => {
                    items.remove(at);
                    true
                }
                after => take_out(&mut items[at], after),
            }
        }
        _ => false,
    }
}

/// Where the bracket closes that `path` opens.
fn end_of(path: &str) -> Option<usize> {
    let mut quoted = false;
    let closes = |(_, c): &(usize, char)| {
        quoted ^= *c == '"';
        !quoted && *c == ']'
    };
    path.starts_with('[').then(|| path.char_indices().find(closes).map(|(at, _)| at))?
}

/// Whether the item at `at` is meant by `name="web",protocol="TCP"`, `="value"` or `0`.
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

/// Whether `value` is the JSON of `known`.
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
