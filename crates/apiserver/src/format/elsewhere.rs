//! Media types whose code is elsewhere: it is asked when one of them is read or written.
//!
//! A program that has to be small does not want the code of all of them from the beginning. Everything that decides is in
//! the server all the same; what is asked elsewhere are pure functions of bytes. [`crate::represent::answer`] answers.

use std::borrow::Cow;
use std::marker::PhantomData;

use json_tree::{Value, json};
use schema::{Resource, TypeId, Types};

use super::{Configuration, Content, Format, Formats, Tables, cbor, json, protobuf, strategic, yaml};
use crate::document::{Document, Shape};
use crate::openapi::{Build, Custom};
use crate::partial::MetaVersion;
use crate::storage::Object;
use crate::table::{self, IncludeObject};

/// Where the code is.
pub trait Elsewhere: 'static {
    /// Passes a question, and the bytes that it is about, on to [`crate::represent::answer`], and its answer back.
    ///
    /// # Errors
    /// What the answer is if it is an error, or why there is none.
    fn ask(question: &str, bytes: &[u8]) -> Result<Vec<u8>, String>;
}

/// All that kube-apiserver speaks, for a server that has JSON alone.
pub(super) const fn formats<E: Elsewhere>() -> Formats {
    Formats {
        all: Rows::<E>::ALL,
        tables: Some(Rows::<E>::TABLES),
        openapi: Some(Rows::<E>::OPENAPI),
        strategic: strategic::ask::<E>,
        gzip: None,
    }
}

struct Rows<E>(PhantomData<E>);

impl<E: Elsewhere> Rows<E> {
    const ALL: &'static [Format] = &[json::FORMAT, Self::YAML, Self::PROTOBUF, Self::CBOR];

    const YAML: Format = Format {
        parse: |body| unread::<E>(yaml::FORMAT.name, body),
        // JSON is YAML too, and needs nobody else.
        configuration: Some(|body| match json::FORMAT.configuration.map(|read| read(body)) {
            Some(Ok(configuration)) => Ok(configuration),
            _ => configuration::<E>(yaml::FORMAT.name, body),
        }),
        encode: |document| encode::<E>(yaml::FORMAT.name, document),
        ..yaml::FORMAT
    };

    const PROTOBUF: Format = Format {
        parse: |body| unread::<E>(protobuf::FORMAT.name, body),
        encode: |document| encode::<E>(protobuf::FORMAT.name, document),
        ..protobuf::FORMAT
    };

    const CBOR: Format = Format {
        parse: |body| unread::<E>(cbor::FORMAT.name, body),
        configuration: Some(|body| configuration::<E>(cbor::FORMAT.name, body)),
        encode: |document| encode::<E>(cbor::FORMAT.name, document),
        ..cbor::FORMAT
    };

    const OPENAPI: Build = |what, customs| {
        let customs: Vec<Value> = customs.iter().map(Custom::to_value).collect();
        E::ask(&["openapi ", what].concat(), &codec::json::to_vec(&Value::Array(customs)))
    };

    const TABLES: Tables = Tables {
        of_object: |resource, object, options| {
            table::<E>("table", Some(resource), options, &Value::Object(object))
        },
        of_list: |resource, items, metadata, options| {
            table::<E>("table-of-list", Some(resource), options, &json!([metadata, items]))
        },
        of_custom: |columns, items, metadata, options| {
            table::<E>("table-of-custom", None, options, &json!([columns, items, metadata]))
        },
        of_custom_scale: |scale, options| table::<E>("table-of-custom-scale", None, options, scale),
    };
}

/// A body that was read elsewhere, and is to be read there again once its type is known.
struct Unread<'a, E> {
    media_type: &'static str,
    body: &'a [u8],
    /// `apiVersion` and `kind`.
    meta: (String, String),
    elsewhere: PhantomData<E>,
}

fn unread<'a, E: Elsewhere>(
    media_type: &'static str,
    body: &'a [u8],
) -> Result<Box<dyn Content + 'a>, String> {
    let meta = E::ask(&["type-meta ", media_type].concat(), body).and_then(|answer| value(&answer))?;
    let text = |index: usize| meta[index].as_str().unwrap_or_default().to_owned();
    Ok(Box::new(Unread::<E> { media_type, body, meta: (text(0), text(1)), elsewhere: PhantomData }))
}

impl<E: Elsewhere> Content for Unread<'_, E> {
    fn type_meta(&self) -> Result<(String, String), String> {
        Ok(self.meta.clone())
    }

    fn typed(&self, types: &Types, ty: TypeId) -> Result<(Value, Vec<String>), String> {
        let question = ["typed ", self.media_type, &type_name(types, ty)].concat();
        let mut typed = value(&E::ask(&question, self.body)?)?;
        Ok((typed[0].take(), texts(&typed[1])))
    }

    fn untyped(&self) -> Result<(Value, Vec<String>), String> {
        let mut untyped = value(&E::ask(&["untyped ", self.media_type].concat(), self.body)?)?;
        Ok((untyped[0].take(), texts(&untyped[1])))
    }

    fn shown(&self) -> Option<String> {
        let shown = E::ask(&["shown ", self.media_type].concat(), self.body).ok()?;
        value(&shown).ok()?.as_str().map(str::to_owned)
    }
}

fn configuration<E: Elsewhere>(media_type: &str, body: &[u8]) -> Result<Configuration, String> {
    let mut read = value(&E::ask(&["configuration ", media_type].concat(), body)?)?;
    let object = match read[0].take() {
        Value::Object(object) => object,
        _ => Object::new(),
    };
    let strict = read[2].as_str().map(str::to_owned);
    Ok(Configuration { object, duplicates: texts(&read[1]), strict })
}

fn encode<'a, E: Elsewhere>(media_type: &str, document: &'a Document) -> Result<Cow<'a, [u8]>, String> {
    let types = Types::builtin();
    let shape = match document.shape {
        Shape::Object(ty) => [" object", &type_name(types, ty)].concat(),
        Shape::List(ty) => [" list", &type_name(types, ty)].concat(),
        Shape::Metadata => " metadata".to_owned(),
        Shape::MetadataList => " metadata-list".to_owned(),
        Shape::Untyped => String::new(),
    };
    E::ask(&["encode ", media_type, &shape].concat(), &document.json).map(Cow::Owned)
}

fn table<E: Elsewhere>(
    what: &str,
    resource: Option<&Resource>,
    options: &table::Options,
    objects: &Value,
) -> Value {
    let version = match options.version {
        MetaVersion::V1 => "v1",
        MetaVersion::V1beta1 => "v1beta1",
    };
    let include = match options.include_object {
        IncludeObject::Metadata => "Metadata",
        IncludeObject::Object => "Object",
        IncludeObject::None => "None",
    };
    let headers = if options.no_headers { "no-headers" } else { "headers" };
    let now = (options.now.as_nanos() as u64).to_string();
    let mut words = [what, version, include, headers, &now].join(" ");
    if let Some(resource) = resource {
        words.push_str(&[" ", &resource.api_version(), " ", &resource.name, " ", &resource.kind].concat());
    }
    let answer = E::ask(&words, &codec::json::to_vec(objects));
    answer.and_then(|answer| value(&answer)).unwrap_or_default()
}

/// Package and name of a type, each after a space.
pub(super) fn type_name(types: &Types, ty: TypeId) -> String {
    let ty = types.get(ty);
    [" ", &ty.package, " ", ty.short_name()].concat()
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn value(json: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(json).map_err(|error| error.to_string())
}
