//! `application/json`

use std::borrow::Cow;

use json_tree::Value;
use schema::decode::kind as kind_of;
use schema::{Node, TypeId, Types};

use super::{Configuration, Content, Format, StreamFormat};
use apimachinery::object::note_reset;

pub(super) const FORMAT: Format = Format {
    name: "application/json",
    stream: Some(StreamFormat { offered: "application/json;stream=watch", content_type: "application/json" }),
    everywhere: true,
    tables: true,
    floats: false,
    pretty: true,
    parse: |body| {
        let node = codec::json::parse(body).map_err(|error| unreadable(&error.to_string()))?;
        Ok(Box::new(Tree { node, strict: Vec::new(), converted: false }))
    },
    configuration: Some(|body| {
        let node = codec::json::parse(body).map_err(|error| error.to_string())?;
        Configuration::of(&node)
    }),
    encode: |document| Ok(Cow::Borrowed(&document.json)),
    event,
};

/// An event is a line.
fn event(kind: &str, object: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(object.len() + 40);
    out.extend_from_slice(b"{\"type\":\"");
    out.extend_from_slice(kind.as_bytes());
    out.extend_from_slice(b"\",\"object\":");
    out.extend_from_slice(object);
    out.extend_from_slice(b"}\n");
    out
}

/// A tree, of JSON or of what becomes JSON.
pub(super) struct Tree<'a> {
    pub(super) node: Node<'a>,
    /// The errors of strict decoding that are found before the type is known.
    pub(super) strict: Vec<String>,
    /// True if it was not JSON that was sent.
    pub(super) converted: bool,
}

impl Content for Tree<'_> {
    fn type_meta(&self) -> Result<(String, String), String> {
        type_meta(&self.node).map_err(|error| unreadable(&error))
    }

    fn typed(&self, types: &Types, ty: TypeId) -> Result<(Value, Vec<String>), String> {
        let mut decoded = schema::decode(types, ty, &self.node).map_err(|error| error.to_string())?;
        note_reset(&self.node, &mut decoded.value);
        let found = decoded.strict.iter().map(ToString::to_string);
        Ok((decoded.value, self.strict.iter().cloned().chain(found).collect()))
    }

    fn untyped(&self) -> Result<(Value, Vec<String>), String> {
        let decoded = schema::decode::decode_untyped(&self.node).map_err(|error| error.to_string())?;
        let found = decoded.strict.iter().map(ToString::to_string);
        Ok((decoded.value, self.strict.iter().cloned().chain(found).collect()))
    }

    fn shown(&self) -> Option<String> {
        if !self.converted {
            return None;
        }
        let mut value = codec::json::to_value(&self.node).unwrap_or_default();
        value.sort_all_objects();
        Some(String::from_utf8_lossy(&codec::json::to_vec(&value)).into_owned())
    }
}

fn unreadable(why: &str) -> String {
    format!("couldn't get version/kind; json parse error: {why}")
}

/// `apiVersion` and `kind`, read on their own before anything else is.
pub(crate) fn type_meta(node: &Node<'_>) -> Result<(String, String), String> {
    let entries = match node {
        Node::Map(entries) => entries,
        Node::Null => return Ok(Default::default()),
        other => {
            return Err(format!(
                "json: cannot unmarshal {} into Go value of type struct {{ APIVersion string \
                 \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}",
                kind_of(other)
            ));
        }
    };
    let (mut api_version, mut kind) = ("", "");
    for (key, value) in entries {
        let slot = match key.as_ref() {
            "apiVersion" => &mut api_version,
            "kind" => &mut kind,
            _ => continue,
        };
        match value {
            Node::String(text) => *slot = text,
            Node::Null => {}
            other => {
                return Err(format!(
                    "json: cannot unmarshal {} into Go struct field .{key} of type string",
                    kind_of(other)
                ));
            }
        }
    }
    Ok((api_version.to_owned(), kind.to_owned()))
}
