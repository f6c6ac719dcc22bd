//! `application/cbor`, and `application/cbor-seq` for watches.

use std::borrow::Cow;

use codec::cbor;
use json_tree::Value;
use schema::{TypeId, Types};

use super::{Configuration, Content, Format, StreamFormat};
use crate::document::{Document, Shape};

pub(super) const FORMAT: Format = Format {
    name: "application/cbor",
    stream: Some(StreamFormat { offered: "application/cbor-seq", content_type: "application/cbor-seq" }),
    everywhere: false,
    tables: false,
    floats: true,
    pretty: false,
    parse: |body| {
        let document = cbor::Document::parse(body).map_err(|error| unreadable(&error))?;
        Ok(Box::new(document))
    },
    configuration: Some(|body| {
        let node = match body {
            [] => return Err("EOF".to_owned()),
            body => cbor::parse(body).map_err(|error| error.to_string())?,
        };
        Configuration::of(&node)
    }),
    encode: |document| Ok(Cow::Owned(encode(document))),
    event: |kind, object| {
        let mut out = Vec::with_capacity(object.len() + 32);
        cbor::write_event(kind, object, &mut out);
        out
    },
};

fn encode(document: &Document) -> Vec<u8> {
    let types = Types::builtin();
    let mut out = Vec::with_capacity(document.json.len());
    match (document.shape, document.tree()) {
        (Shape::Object(ty), value) => cbor::write_typed(types, ty, &value, &mut out),
        (Shape::List(ty), Value::Object(list)) => cbor::write_typed_list(types, ty, &list, &mut out),
        (_, value) => cbor::write_self_described(&value, &mut out),
    }
    out
}

impl Content for cbor::Document<'_> {
    fn type_meta(&self) -> Result<(String, String), String> {
        Self::type_meta(self).map_err(|error| unreadable(&error))
    }

    fn typed(&self, types: &Types, ty: TypeId) -> Result<(Value, Vec<String>), String> {
        let typed = Self::typed(self, types, ty).map_err(|error| error.to_string())?;
        let decoded = schema::decode(types, ty, &typed.node).map_err(|error| error.to_string())?;
        Ok((decoded.value, typed.unknown.iter().map(ToString::to_string).collect()))
    }

    fn untyped(&self) -> Result<(Value, Vec<String>), String> {
        let node = Self::untyped(self).map_err(|error| error.to_string())?;
        let decoded = schema::decode::decode_untyped(&node).map_err(|error| error.to_string())?;
        Ok((decoded.value, Vec::new()))
    }

    fn shown(&self) -> Option<String> {
        Some(self.diagnose())
    }
}

fn unreadable(why: &cbor::Error) -> String {
    format!("unable to determine group/version/kind: {why}")
}
