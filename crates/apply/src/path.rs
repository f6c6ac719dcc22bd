//! One step from a value to one inside of it.
//!
//! <https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/#System> says how they are
//! written in `fieldsV1`.

use std::cmp::Ordering;
use std::fmt;

use json_tree::{Map, Value};
use smol_str::SmolStr;

use crate::value;

/// A step from a value to one inside of it. Their order is the order in `fieldsV1`.
#[derive(Clone, Debug)]
pub enum PathElement {
    /// A field of a struct, or a key of a map: `f:name`. Most names are short enough to need no memory of their own.
    Field(SmolStr),
    /// An item of a list by its key fields, which are sorted by name: `k:{"name":"nginx"}`.
    Key(Vec<(String, Value)>),
    /// An item of a set by its value: `v:"example.com/finalizer"`.
    Value(Value),
    /// An item of a list by where it stands: `i:0`.
    Index(i64),
}

impl PathElement {
    /// The field of this name.
    pub fn field(name: &str) -> Self {
        Self::Field(SmolStr::new(name))
    }

    /// Reads it from a key of `fieldsV1`. `None` if it is not in that form.
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_once(':')?;
        match kind {
            "f" => Some(Self::field(rest)),
            "v" => rest.parse().ok().map(Self::Value),
            "i" => rest.parse().ok().map(Self::Index),
            "k" => {
                let Ok(Value::Object(map)) = rest.parse() else { return None };
                let mut key: Vec<(String, Value)> = map.into_iter().collect();
                schema::sort_by(&mut key, |a, b| a.0.cmp(&b.0));
                (!key.is_empty()).then_some(Self::Key(key))
            }
            _ => None,
        }
    }

    /// The key of `fieldsV1` that it is.
    pub fn to_json_key(&self) -> String {
        let mut out = String::new();
        match self {
            Self::Field(name) => return ["f:", name].concat(),
            Self::Value(value) => {
                out.push_str("v:");
                value::write_json(value, &mut out);
            }
            Self::Index(index) => {
                out.push_str("i:");
                out.push_str(&index.to_string());
            }
            Self::Key(key) => {
                out.push_str("k:");
                let map: Map<String, Value> = key.iter().cloned().collect();
                value::write_json(&Value::Object(map), &mut out);
            }
        }
        out
    }

    /// Appends it as errors show it: `.spec`, `[name="nginx"]`, `[="a"]`, `[0]`.
    pub fn write(&self, out: &mut String) {
        match self {
            Self::Field(name) => {
                out.push('.');
                out.push_str(name);
                return;
            }
            Self::Key(key) => {
                for (index, (name, value)) in key.iter().enumerate() {
                    out.push(if index == 0 { '[' } else { ',' });
                    out.push_str(name);
                    out.push('=');
                    value::write_text(value, out);
                }
            }
            Self::Value(value) => {
                out.push_str("[=");
                value::write_text(value, out);
            }
            Self::Index(index) => {
                out.push('[');
                out.push_str(&index.to_string());
            }
        }
        out.push(']');
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Field(_) => 0,
            Self::Key(_) => 1,
            Self::Value(_) => 2,
            Self::Index(_) => 3,
        }
    }
}

impl fmt::Display for PathElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        self.write(&mut out);
        f.write_str(&out)
    }
}

impl Ord for PathElement {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Field(a), Self::Field(b)) => a.cmp(b),
            (Self::Key(a), Self::Key(b)) => {
                let first =
                    a.iter().zip(b).map(|(a, b)| a.0.cmp(&b.0).then_with(|| value::compare(&a.1, &b.1)));
                first.into_iter().find(|order| order.is_ne()).unwrap_or_else(|| a.len().cmp(&b.len()))
            }
            (Self::Value(a), Self::Value(b)) => value::compare(a, b),
            (Self::Index(a), Self::Index(b)) => a.cmp(b),
            (a, b) => a.rank().cmp(&b.rank()),
        }
    }
}

impl PartialOrd for PathElement {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for PathElement {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for PathElement {}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, shown: &str) {
        let element = PathElement::parse(json).expect("a path element");
        assert_eq!(element.to_string(), shown);
        assert_eq!(element.to_json_key(), json);
    }

    #[test]
    fn elements_are_read_and_shown() {
        check("f:spec", ".spec");
        check("f:", ".");
        check("f:a.b:c", ".a.b:c");
        check(r#"k:{"port":53,"protocol":"TCP"}"#, r#"[port=53,protocol="TCP"]"#);
        check(r#"v:"a\"b""#, r#"[="a\"b"]"#);
        check("v:1", "[=1]");
        check("i:3", "[3]");
    }

    #[test]
    fn other_text_is_no_element() {
        for text in ["", ".", "x:a", "i:a", "v:", "k:1", "k:{}", "spec"] {
            assert_eq!(PathElement::parse(text), None, "{text}");
        }
    }

    #[test]
    fn elements_have_an_order() {
        let sorted =
            ["f:a", "f:b", r#"k:{"a":1}"#, r#"k:{"a":1,"b":1}"#, r#"k:{"a":2}"#, "v:2", "v:\"a\"", "i:0"];
        let elements: Vec<PathElement> = sorted.iter().filter_map(|text| PathElement::parse(text)).collect();
        assert_eq!(elements.len(), sorted.len());
        assert!(elements.is_sorted());
    }
}
