//! The media types that a server speaks: one row each.
//!
//! They are handed in, as time and randomness are. Who wants JSON alone, because it has to be small, gets a server
//! without the code of the others.
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#alternate-representations-of-resources>

mod cbor;
mod json;
mod protobuf;
pub(crate) mod strategic;
mod yaml;

use std::borrow::Cow;
use std::fmt;

use json_tree::Value;
use schema::{Node, Resource, TypeId, Types};

use crate::chunk::{self, Chunk, Late};
use crate::document::{Document, Shape};
use crate::object::Object;
use crate::table;

pub(crate) use json::type_meta;

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
        tables: Some(Tables::here()),
        strategic: strategic::here,
        gzip: None,
        late: false,
    };

    /// The same, with the code of JSON alone: that of the others is looked for where it was put.
    pub(crate) const LATE: Self = Self {
        all: &[Format::JSON_LATE, Format::YAML_LATE, Format::PROTOBUF_LATE, Format::CBOR_LATE],
        tables: Some(Tables::LATE),
        strategic: |ty, original, patch| match MEDIA_TYPES.get() {
            Ok(code) => (code.strategic)(ty, original, patch),
            Err(why) => strategic::Merged::failed(why),
        },
        gzip: None,
        late: true,
    };
}

/// The code of [`Chunk::MediaTypes`].
pub(crate) struct LateMediaTypes {
    yaml: Codec,
    protobuf: Codec,
    cbor: Codec,
    strategic: strategic::Merge,
}

/// The slot for the code of [`Chunk::MediaTypes`].
pub(crate) static MEDIA_TYPES: Late<LateMediaTypes> = Late::new(Chunk::MediaTypes);
/// The slot for the code of tables.
pub(crate) static TABLES: Late<Tables> = Late::new(Chunk::Tables);
/// The slot for the code that reads JSON.
pub(crate) static JSON: Late<Codec> = Late::new(Chunk::Writes);

impl Tables {
    /// The tables, by themselves.
    pub(crate) const fn here() -> Self {
        Self {
            of_object: table::of_object,
            of_list: table::of_list,
            of_custom: table::custom::table,
            of_custom_scale: table::custom::scale_table,
        }
    }

    /// The tables, for code that is looked for where it was put.
    pub(crate) fn provided() -> Self {
        let Self { of_object, of_list, of_custom, of_custom_scale } = Self::here();
        Self {
            of_object: chunk::address(of_object),
            of_list: chunk::address(of_list),
            of_custom: chunk::address(of_custom),
            of_custom_scale: chunk::address(of_custom_scale),
        }
    }

    /// The tables, by code that is looked for where it was put.
    pub(crate) const LATE: Self = Self {
        of_object: |resource, object, options| {
            TABLES.get().map_or(Value::Null, |tables| (tables.of_object)(resource, object, options))
        },
        of_list: |resource, items, metadata, options| {
            TABLES.get().map_or(Value::Null, |tables| (tables.of_list)(resource, items, metadata, options))
        },
        of_custom: |columns, items, metadata, options| {
            TABLES.get().map_or(Value::Null, |tables| (tables.of_custom)(columns, items, metadata, options))
        },
        of_custom_scale: |scale, options| {
            TABLES.get().map_or(Value::Null, |tables| (tables.of_custom_scale)(scale, options))
        },
    };
}

/// The code of a media type.
pub(crate) struct Codec {
    parse: Parse,
    configuration: Option<ReadConfiguration>,
    encode: Encode,
}

impl Codec {
    #[inline(always)]
    fn provided(parse: Parse, configuration: Option<ReadConfiguration>, encode: Encode) -> Self {
        Self {
            parse: chunk::address(parse),
            configuration: configuration.map(chunk::address),
            encode: chunk::address(encode),
        }
    }

    /// JSON, for code that is looked for where it was put.
    pub(crate) fn json() -> Self {
        Self::provided(json::FORMAT.parse, json::FORMAT.configuration, json::FORMAT.encode)
    }

    /// Reads a configuration to apply.
    fn configuration(&self, body: &[u8]) -> Result<Configuration, String> {
        self.configuration.map_or_else(|| Err(chunk::not_loaded(Chunk::MediaTypes)), |read| read(body))
    }
}

impl LateMediaTypes {
    /// The media types besides JSON, for code that is looked for where it was put.
    pub(crate) fn provided() -> Self {
        Self {
            yaml: Codec::provided(yaml::FORMAT.parse, yaml::FORMAT.configuration, yaml::FORMAT.encode),
            protobuf: Codec::provided(protobuf::FORMAT.parse, None, protobuf::FORMAT.encode),
            cbor: Codec::provided(cbor::FORMAT.parse, cbor::FORMAT.configuration, cbor::FORMAT.encode),
            strategic: chunk::address(strategic::here as strategic::Merge),
        }
    }
}

impl Format {
    /// JSON, of which writing is always there; reading, by code that is looked for where it was put.
    pub(crate) const JSON_LATE: Self = Self {
        parse: |body| (JSON.get()?.parse)(body),
        configuration: Some(|body| JSON.get()?.configuration(body)),
        ..json::FORMAT
    };

    /// YAML, by code that is looked for where it was put.
    pub(crate) const YAML_LATE: Self = Self {
        parse: |body| (MEDIA_TYPES.get()?.yaml.parse)(body),
        // JSON is YAML too, and needs no other code.
        configuration: Some(|body| match JSON.get()?.configuration(body) {
            Ok(configuration) => Ok(configuration),
            _ => MEDIA_TYPES.get()?.yaml.configuration(body),
        }),
        encode: |document| (MEDIA_TYPES.get()?.yaml.encode)(document),
        ..yaml::FORMAT
    };

    /// Protobuf, by code that is looked for where it was put.
    pub(crate) const PROTOBUF_LATE: Self = Self {
        parse: |body| (MEDIA_TYPES.get()?.protobuf.parse)(body),
        encode: |document| (MEDIA_TYPES.get()?.protobuf.encode)(document),
        ..protobuf::FORMAT
    };

    /// CBOR, by code that is looked for where it was put.
    pub(crate) const CBOR_LATE: Self = Self {
        parse: |body| (MEDIA_TYPES.get()?.cbor.parse)(body),
        configuration: Some(|body| MEDIA_TYPES.get()?.cbor.configuration(body)),
        encode: |document| (MEDIA_TYPES.get()?.cbor.encode)(document),
        ..cbor::FORMAT
    };
}

impl MediaTypes {
    /// The row of a media type.
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
    pub(crate) of_object: fn(&Resource, Object, &table::Options) -> Value,
    pub(crate) of_list: fn(&Resource, Vec<Object>, Value, &table::Options) -> Value,
    /// Of custom objects in these columns.
    pub(crate) of_custom: fn(&[Value], Vec<Object>, &Value, &table::Options) -> Value,
    pub(crate) of_custom_scale: fn(&Value, &table::Options) -> Value,
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
