//! JSON Merge Patch.
//!
//! <https://www.rfc-editor.org/rfc/rfc7386>

use schema::Node;

use crate::Error;
use crate::tree::Tree;

/// The error for a patch that is not one.
const INVALID: &str = "Invalid JSON Patch";

/// Puts the members of `patch` over those of `original`: what is `null` goes, objects merge, everything else is
/// replaced.
///
/// A list replaces the document, as Go has it; whether to allow one is for the caller to decide.
///
/// # Errors
/// A patch that is neither an object nor a list.
///
/// ```
/// # use codec::json::{parse, to_value};
/// let original = parse(br#"{"a": 1, "b": {"c": 2, "d": 3}}"#).unwrap();
/// let patch = parse(br#"{"a": null, "b": {"c": [4]}}"#).unwrap();
/// let patched = patch::merge::apply(original, patch).unwrap();
/// assert_eq!(to_value(&patched).unwrap().to_string(), r#"{"b":{"c":[4],"d":3}}"#);
/// ```
pub fn apply<'a>(original: Node<'a>, patch: Node<'a>) -> Result<Node<'a>, Error> {
    let mut patched = Tree::Raw(original);
    let mut patch = Tree::Raw(patch);
    if patch.map().is_none() && patch.list().is_none() {
        return Err(Error::bad_request(INVALID));
    }
    if patch.is_list() {
        prune(&mut patch);
        return Ok(patch.into_node());
    }
    merge(&mut patched, patch);
    Ok(patched.into_node())
}

/// Returns the error that kube-apiserver reports for a merge patch that is not even JSON, if it was not to look for
/// unknown fields.
pub fn not_json() -> Error {
    Error::bad_request(INVALID)
}

fn merge<'a>(current: &mut Tree<'a>, mut patch: Tree<'a>) {
    let Some(entries) = current.map() else {
        prune(&mut patch);
        *current = patch;
        return;
    };
    let Some(changes) = patch.map() else {
        *current = patch;
        return;
    };
    entries.merge(std::mem::take(changes), |present, mut value| match present {
        _ if value.is_null() => None,
        Some(mut present) => {
            merge(&mut present, value);
            Some(present)
        }
        None => {
            prune(&mut value);
            Some(value)
        }
    });
}

/// Takes out what is to be removed, where there is nothing to remove it from.
fn prune(value: &mut Tree<'_>) {
    if let Some(entries) = value.map() {
        entries.retain(|value| !value.is_null());
        entries.as_mut_slice().iter_mut().for_each(|(_, value)| prune(value));
    } else if let Some(items) = value.list() {
        items.iter_mut().for_each(prune);
    }
}

#[cfg(test)]
mod tests {
    use codec::json::{parse, to_value};

    use super::*;

    #[track_caller]
    fn check(original: &str, patch: &str, expected: &str) {
        let nodes = (parse(original.as_bytes()).expect("JSON"), parse(patch.as_bytes()).expect("JSON"));
        let patched = match apply(nodes.0, nodes.1) {
            Ok(node) => to_value(&node).expect("numbers in range").to_string(),
            Err(error) => error.to_string(),
        };
        assert_eq!(patched, expected);
    }

    #[test]
    fn members() {
        check(r#"{"a":"b"}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#);
        check(r#"{"a":"b"}"#, r#"{"b":"c"}"#, r#"{"a":"b","b":"c"}"#);
        check(r#"{"a":"b"}"#, r#"{"a":null}"#, "{}");
        check(r#"{"a":"b","b":"c"}"#, r#"{"a":null,"x":null}"#, r#"{"b":"c"}"#);
        check(r#"{"a":{"b":"c"}}"#, r#"{"a":{"b":"d","c":null}}"#, r#"{"a":{"b":"d"}}"#);
        check(r#"{"a":["b"]}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#);
        check(r#"{"a":{"b":"c"}}"#, r#"{"a":[1]}"#, r#"{"a":[1]}"#);
        check(r#"{"a":[{"b":"c"}]}"#, r#"{"a":[1]}"#, r#"{"a":[1]}"#);
        check(r#"{"e":null}"#, r#"{"a":1}"#, r#"{"a":1,"e":null}"#);
        check("{}", r#"{"a":{"bb":{"ccc":null}}}"#, r#"{"a":{"bb":{}}}"#);
        check(r#"{"a":1}"#, "{}", r#"{"a":1}"#);
    }

    #[test]
    fn what_is_touched_is_in_the_order_of_its_keys() {
        check(
            r#"{"z":{"y":1,"x":1},"b":{"y":1,"x":1}}"#,
            r#"{"b":{"c":1}}"#,
            r#"{"b":{"c":1,"x":1,"y":1},"z":{"y":1,"x":1}}"#,
        );
    }

    #[test]
    fn the_last_of_duplicates_counts() {
        check(r#"{"a":1}"#, r#"{"a":2,"a":3}"#, r#"{"a":3}"#);
    }

    #[test]
    fn nulls_in_lists() {
        check(r#"{"a":[1]}"#, r#"{"a":[null,{"b":null,"c":1}]}"#, r#"{"a":[null,{"c":1}]}"#);
        check(r#"{"a":{}}"#, r#"{"a":[{"b":null}]}"#, r#"{"a":[{"b":null}]}"#);
    }

    #[test]
    fn what_is_no_object() {
        check(r#"{"a":1}"#, "[1]", "[1]");
        for patch in ["null", "1", "\"x\"", "true"] {
            check(r#"{"a":1}"#, patch, INVALID);
        }
    }
}
