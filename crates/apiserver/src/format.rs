//! The media types that a server speaks: one row each.
//!
//! They are handed in, as time and randomness are. Who wants JSON alone, because it has to be small, gets a server
//! without the code of the others.
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#alternate-representations-of-resources>

mod cbor;
mod json;
mod late;
mod protobuf;
pub(crate) mod strategic;
mod yaml;

use std::borrow::Cow;
use std::fmt;

use json_tree::Value;
use schema::{Node, TypeId, Types};

use crate::document::{Document, Shape};
use crate::printing;
use crate::resource::Resource;
use apimachinery::object::Object;

pub(crate) use json::type_meta;
pub(crate) use late::{Codec, JSON, LateMediaTypes, MEDIA_TYPES, TABLES};

/// The media types that a server speaks.
#[derive(Clone, Copy)]
pub(crate) struct MediaTypes {
    /// The media types, in the order in which kube-apiserver offers them; JSON is the first.
    pub(crate) all: &'static [Format],
    /// How tables are made, if they are.
    pub(crate) tables: Option<Tables>,
    /// How strategic merge patches are applied.
    pub(crate) strategic: strategic::Merge,
    /// How answers are compressed, if they are.
    pub(crate) gzip: Option<Gzip>,
    /// The code of validation and of all media types but JSON is loaded when it is first needed: see
    /// [`code`](crate::code).
    pub(crate) late: bool,
}

/// Compresses bytes into a file of [RFC 1952](https://www.rfc-editor.org/rfc/rfc1952).
pub type Gzip = fn(&[u8]) -> Vec<u8>;

impl MediaTypes {
    /// JSON, and of views the metadata.
    pub(crate) const JSON: Self =
        Self { all: &[json::FORMAT], tables: None, strategic: strategic::here, gzip: None, late: false };

    /// JSON, YAML, Protobuf, CBOR and tables: all that kube-apiserver speaks.
    pub(crate) const ALL: Self = Self {
        all: &[json::FORMAT, yaml::FORMAT, protobuf::FORMAT, cbor::FORMAT],
        tables: Some(Tables::HERE),
        strategic: strategic::here,
        gzip: None,
        late: false,
    };

    /// The same without CBOR, which is the last of all.
    pub(crate) fn without_cbor(self) -> Self {
        match self.all {
            [others @ .., last] if last.name == "application/cbor" => Self { all: others, ..self },
            _ => self,
        }
    }

    /// Returns the row of a media type.
    pub(crate) fn find(self, name: &str) -> Option<&'static Format> {
        self.all.iter().find(|format| format.name == name)
    }
}

impl fmt::Debug for MediaTypes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.all.iter().map(|format| format.name)).finish()
    }
}

/// How tables are made.
#[derive(Clone, Copy)]
pub(crate) struct Tables {
    pub(crate) of_object: fn(&Resource, Object, &printing::Options) -> Value,
    pub(crate) of_list: fn(&Resource, Vec<Object>, Value, &printing::Options) -> Value,
    /// Of custom objects in these columns.
    pub(crate) of_custom: fn(&[Value], Vec<Object>, &Value, &printing::Options) -> Value,
    pub(crate) of_custom_scale: fn(&Value, &printing::Options) -> Value,
}

/// Reads bytes that stay where they are.
type Parse = for<'a> fn(&'a [u8]) -> Result<Box<dyn Content + 'a>, String>;

/// Writes a document.
type Encode = fn(&Document) -> Result<Cow<'_, [u8]>, String>;

/// Reads a configuration to apply.
type ReadConfiguration = fn(&[u8]) -> Result<Configuration, String>;

/// A media type.
pub(crate) struct Format {
    /// As headers spell it.
    pub(crate) name: &'static str,
    /// The streams of the media type, if there are watches in it.
    pub(crate) stream: Option<StreamFormat>,
    /// True if it is spoken beyond objects: in discovery, and by the router.
    pub(crate) everywhere: bool,
    /// True if there are tables in it.
    pub(crate) tables: bool,
    /// True if it tells floats from integers, as the JSON of custom objects does.
    pub(crate) floats: bool,
    /// True if it is printed for people, where they ask for that.
    pub(crate) pretty: bool,
    /// Reads a body. The error is kube-apiserver's text.
    pub(crate) parse: Parse,
    /// Reads a configuration to apply, if there are any in it. The error is kube-apiserver's text.
    pub(crate) configuration: Option<ReadConfiguration>,
    /// Writes a document; JSON is there already. The error is kube-apiserver's text.
    pub(crate) encode: Encode,
    /// Puts an event of a watch around an encoded document.
    pub(crate) event: fn(&str, &[u8]) -> Vec<u8>,
}

impl Format {
    /// Writes a document in this media type.
    ///
    /// # Errors
    /// A text in it that the media type cannot hold.
    pub(crate) fn write<'a>(&self, document: &'a Document) -> Result<Cow<'a, [u8]>, String> {
        if document.shape == Shape::Untyped
            && !self.floats
            && let Cow::Owned(json) = codec::json::plain(&document.json)
        {
            let plain = Document { json, shape: document.shape };
            return (self.encode)(&plain).map(|bytes| Cow::Owned(bytes.into_owned()));
        }
        (self.encode)(document)
    }
}

/// A configuration to apply: an object without a type.
pub(crate) struct Configuration {
    /// The object.
    pub(crate) object: Object,
    /// The keys that stand twice, one by one.
    pub(crate) duplicates: Vec<String>,
    /// The same, as a strict reader says it.
    pub(crate) strict: Option<String>,
}

impl Configuration {
    /// Decodes a document without a type.
    fn of(node: &Node<'_>) -> Result<Self, String> {
        let decoded = schema::decode::decode_untyped(node).map_err(|error| error.to_string())?;
        let object = match decoded.value {
            Value::Object(object) => object,
            _ => Object::new(),
        };
        Ok(Self { object, duplicates: Vec::new(), strict: None })
    }
}

/// The streams of a media type.
pub(crate) struct StreamFormat {
    /// As a list of media types offers it.
    pub(crate) offered: &'static str,
    /// The `Content-Type` of the stream.
    pub(crate) content_type: &'static str,
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A body that is a well-formed document, of which it is not known yet what it is about. Errors are
/// kube-apiserver's texts.
pub(crate) trait Content {
    /// `apiVersion` and `kind`; empty where they are not said.
    fn type_meta(&self) -> Result<(String, String), String>;

    /// The object of a built-in type that it is, and what a strict reader has against it.
    fn typed(&self, types: &Types, ty: TypeId) -> Result<(Value, Vec<String>), String>;

    /// Decodes the document without any type. The strings are the errors of strict decoding.
    fn untyped(&self) -> Result<(Value, Vec<String>), String>;

    /// The document as errors show it, if that is not its text.
    fn shown(&self) -> Option<String>;
}
