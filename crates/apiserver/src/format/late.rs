//! Media types and tables by code that is loaded when it is first needed: see [`code`](crate::code).

use json_tree::Value;

use super::{
    Configuration, Encode, Format, MediaTypes, Parse, ReadConfiguration, Tables, cbor, json, protobuf,
    strategic, yaml,
};
use crate::chunk::{self, Chunk, Late};

impl MediaTypes {
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

impl Tables {
    /// The tables, for code that is looked for where it was put.
    pub(crate) fn provided() -> Self {
        let Self { of_object, of_list, of_custom, of_custom_scale } = Self::HERE;
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
