//! `application/vnd.kubernetes.protobuf`

use std::borrow::Cow;

use codec::protobuf::{self, Envelope, Shape as Message};
use json_tree::Value;
use schema::{Node, TypeId, Types};

use super::{Content, Format, StreamFormat};
use crate::document::{Document, META, Shape};

pub(super) const FORMAT: Format = Format {
    name: "application/vnd.kubernetes.protobuf",
    stream: Some(StreamFormat {
        offered: "application/vnd.kubernetes.protobuf;stream=watch",
        content_type: "application/vnd.kubernetes.protobuf;stream=watch",
    }),
    everywhere: true,
    tables: false,
    floats: false,
    pretty: false,
    parse: |body| {
        let envelope = protobuf::open(body).map_err(|error| error.to_string())?;
        Ok(Box::new(envelope))
    },
    configuration: None,
    encode: |document| encode(document).map(Cow::Owned),
    event: |kind, object| {
        let mut out = Vec::with_capacity(object.len() + 32);
        protobuf::frame(kind, object, &mut out);
        out
    },
};

/// From the bytes of JSON, by no more of a tree than says where in them is what.
fn encode(document: &Document) -> Result<Vec<u8>, String> {
    let types = Types::builtin();
    // It was written by this server: what is not JSON would be a fault of its own.
    let tree = codec::json::parse(&document.json).unwrap_or(Node::Null);
    let text = |key: &str| match protobuf::entry(&tree, key) {
        Some(Node::String(text)) => text.as_ref(),
        _ => "",
    };
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    let mut out = Vec::with_capacity(document.json.len());
    let mut list = |message: Message| {
        let items = match protobuf::entry(&tree, "items") {
            Some(Node::List(items)) => items.as_slice(),
            _ => &[],
        };
        let metadata = protobuf::entry(&tree, "metadata").unwrap_or(&Node::Null);
        protobuf::write_list(types, message, (api_version, kind), metadata, items, &mut out);
    };
    match document.shape {
        Shape::List(ty) => list(Message::Object(ty)),
        Shape::MetadataList => list(Message::Metadata),
        Shape::Object(ty) => protobuf::write(types, Message::Object(ty), api_version, kind, &tree, &mut out),
        Shape::Metadata => protobuf::write(types, Message::Metadata, api_version, kind, &tree, &mut out),
        Shape::Untyped => {
            let ty = types.find(META, kind);
            let ty = ty.ok_or_else(|| {
                format!("object {kind} does not implement the protobuf marshalling interface")
            })?;
            protobuf::write(types, Message::Object(ty), api_version, kind, &tree, &mut out);
        }
    }
    Ok(out)
}

impl Content for Envelope<'_> {
    fn type_meta(&self) -> Result<(String, String), String> {
        Ok((self.api_version.to_string(), self.kind.to_string()))
    }

    fn typed(&self, types: &Types, ty: TypeId) -> Result<(Value, Vec<String>), String> {
        let value =
            protobuf::decode(types, Message::Object(ty), self.raw).map_err(|error| error.to_string())?;
        // What is unknown is skipped, as Protobuf has it.
        Ok((value, Vec::new()))
    }

    fn untyped(&self) -> Result<(Value, Vec<String>), String> {
        Err("what has no type has no fields with numbers".to_owned())
    }

    fn shown(&self) -> Option<String> {
        None
    }
}
