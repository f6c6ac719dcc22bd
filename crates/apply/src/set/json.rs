//! `fieldsV1`: the JSON of a set.
//!
//! <https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/#System>

use json_tree::{Map, Value};

use super::{Node, Set};
use crate::path::PathElement;

/// The key for the field itself, in the JSON of what is inside of it.
const SELF: &str = ".";

/// The JSON is not that of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotFields;

impl Set {
    /// Reads the set from its JSON. Elements of a kind that is not known are passed over.
    ///
    /// # Errors
    /// The JSON has something other than maps in it, or an element that is not in its form.
    pub fn from_json(json: &Value) -> Result<Self, NotFields> {
        let Value::Object(entries) = json else { return Err(NotFields) };
        let mut set = Self::default();
        for (key, inside) in entries.iter().filter(|(key, _)| *key != SELF) {
            let Some(element) = PathElement::parse(key) else {
                match key.split_once(':') {
                    Some(("f" | "k" | "v" | "i", _)) | None => return Err(NotFields),
                    Some(_) => continue,
                }
            };
            let children = Self::from_json(inside)?;
            let member = inside.get(SELF).is_some() || children.is_empty();
            set.insert(element, Node { member, children });
        }
        Ok(set)
    }

    /// The set's JSON.
    pub fn to_json(&self) -> Value {
        self.json_inside(false)
    }

    fn json_inside(&self, member: bool) -> Value {
        // Most fields have nothing inside, and nothing is to be made for them.
        let room = if self.is_empty() { 0 } else { self.0.len() + 1 };
        let mut map = Map::with_capacity(room);
        if member && !self.is_empty() {
            map.insert(SELF.to_owned(), Value::Object(Map::new()));
        }
        for (element, node) in self.iter() {
            map.insert(element.to_json_key(), node.children.json_inside(node.member));
        }
        Value::Object(map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, expected: Option<&str>) {
        let parsed = Set::from_json(&serde_json::from_str(json).expect("JSON"));
        assert_eq!(parsed.ok().map(|set| set.to_json().to_string()).as_deref(), expected, "{json}");
    }

    #[test]
    fn sets_are_read_and_written() {
        check("{}", Some("{}"));
        check(r#"{"f:b":{},"f:a":{"f:x":{},".":{}}}"#, Some(r#"{"f:a":{".":{},"f:x":{}},"f:b":{}}"#));
        check(r#"{"f:l":{"k:{\"b\":2,\"a\":1}":{}}}"#, Some(r#"{"f:l":{"k:{\"a\":1,\"b\":2}":{}}}"#));
        check(r#"{"x:new":{},"f:a":{}}"#, Some(r#"{"f:a":{}}"#));
        check(r#"{".":{}}"#, Some("{}"));
    }

    #[test]
    fn other_json_is_no_set() {
        check("[]", None);
        check(r#"{"f:a":1}"#, None);
        check(r#"{"k:1":{}}"#, None);
        check(r#"{"spec":{}}"#, None);
    }
}
