//! `application/yaml`

use std::borrow::Cow;

use super::json::Tree;
use super::{Configuration, Format, json};

pub(super) const FORMAT: Format = Format {
    name: "application/yaml",
    stream: None,
    everywhere: true,
    tables: true,
    floats: false,
    pretty: false,
    parse: |body| {
        let document = codec::yaml::parse_document(body).map_err(|error| error.to_string())?;
        let strict = document.strict_error().into_iter().collect();
        Ok(Box::new(Tree { node: document.node, strict, converted: true }))
    },
    configuration: Some(|body| {
        let unreadable = |why: String| ["error converting YAML to JSON: ", &why].concat();
        let document = codec::yaml::parse_document(body).map_err(|error| unreadable(error.to_string()))?;
        let configuration = Configuration::of(&document.node)
            .map_err(|why| ["error unmarshaling JSON: while decoding JSON: ", &why].concat())?;
        Ok(Configuration {
            duplicates: document.duplicates.iter().map(ToString::to_string).collect(),
            strict: document.strict_error().map(unreadable),
            ..configuration
        })
    }),
    encode: |document| {
        let text = codec::yaml::write(&document.tree()).map_err(|error| error.to_string())?;
        Ok(Cow::Owned(text))
    },
    event: json::FORMAT.event,
};
