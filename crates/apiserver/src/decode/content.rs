//! A body as its media type reads it.

use codec::cbor;
use schema::{Node, TypeId, Types};
use serde_json::Value;

use crate::negotiate::MediaType;

/// A body that is a well-formed document, of which it is not known yet what it is about.
pub(super) enum Content<'a> {
    /// A tree, and what a strict reader has against it besides.
    Tree(Node<'a>, Vec<String>),
    /// CBOR, which has rules of its own for what a field can hold.
    Cbor(cbor::Document<'a>),
}

impl<'a> Content<'a> {
    /// Reads a body.
    ///
    /// # Errors
    /// Why it is none of that media type, as kube-apiserver says it.
    pub(super) fn parse(media: MediaType, body: &'a [u8]) -> Result<Self, String> {
        match media {
            MediaType::Json => {
                let node = codec::json::parse(body).map_err(|error| json_error(&error.to_string()))?;
                Ok(Self::Tree(node, Vec::new()))
            }
            MediaType::Yaml => {
                let document = codec::yaml::parse_document(body).map_err(|error| error.to_string())?;
                let duplicates = document.duplicates.iter().map(ToString::to_string).collect();
                Ok(Self::Tree(document.node, duplicates))
            }
            MediaType::Cbor => {
                cbor::Document::parse(body).map(Self::Cbor).map_err(|error| cbor_error(&error))
            }
        }
    }

    /// `apiVersion` and `kind`; empty where they are not said.
    ///
    /// # Errors
    /// Why they cannot be told, as kube-apiserver says it.
    pub(super) fn type_meta(&self) -> Result<(String, String), String> {
        match self {
            Self::Tree(node, _) => type_meta(node).map_err(|error| json_error(&error)),
            Self::Cbor(document) => document.type_meta().map_err(|error| cbor_error(&error)),
        }
    }

    /// The object of a built-in type that it is, and what a strict reader has against it.
    ///
    /// # Errors
    /// Why it is no such object, as kube-apiserver says it.
    pub(super) fn typed(&self, types: &Types, ty: TypeId) -> Result<(Value, Vec<String>), String> {
        let (decoded, mut strict) = match self {
            Self::Tree(node, duplicates) => (schema::decode(types, ty, node), duplicates.clone()),
            Self::Cbor(document) => {
                let typed = document.typed(types, ty).map_err(|error| error.to_string())?;
                let decoded = schema::decode(types, ty, &typed.node).map_err(|error| error.to_string())?;
                return Ok((decoded.value, typed.unknown.iter().map(ToString::to_string).collect()));
            }
        };
        let decoded = decoded.map_err(|error| error.to_string())?;
        strict.extend(decoded.strict.iter().map(ToString::to_string));
        Ok((decoded.value, strict))
    }
}

fn json_error(why: &str) -> String {
    format!("couldn't get version/kind; json parse error: {why}")
}

fn cbor_error(why: &cbor::Error) -> String {
    format!("unable to determine group/version/kind: {why}")
}

/// `apiVersion` and `kind`, read on their own before anything else is.
pub(super) fn type_meta(node: &Node<'_>) -> Result<(String, String), String> {
    let entries = match node {
        Node::Map(entries) => entries,
        Node::Null => return Ok(Default::default()),
        other => {
            return Err(format!(
                "json: cannot unmarshal {} into Go value of type struct {{ APIVersion string \
                 \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}",
                word(other)
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
                    word(other)
                ));
            }
        }
    }
    Ok((api_version.to_owned(), kind.to_owned()))
}

/// What Go's JSON decoder calls a value.
pub(crate) fn word(node: &Node<'_>) -> &'static str {
    match node {
        Node::Null => "null",
        Node::Bool(_) => "bool",
        Node::Number(_) => "number",
        Node::String(_) => "string",
        Node::List(_) => "array",
        Node::Map(_) => "object",
    }
}
