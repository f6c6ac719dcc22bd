//! `/openapi/v2`, `/openapi/v3`, and the documents below that.
//!
//! <https://kubernetes.io/docs/concepts/overview/kubernetes-api/#openapi-v3>

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use http::header::{CONTENT_TYPE, ETAG, LOCATION, VARY};
use json_tree::{Map, Value, json};
use sha2::{Digest, Sha512};

use super::content::Content;
use crate::answer::{Answer, Outcome};
use crate::context::NonResourceRequest;
use crate::negotiate;
use crate::openapi::{Asked, Build, Custom, customs_of, documents, root};
use apimachinery::status::Status;
use apimachinery::time;

/// The media types of OpenAPI v2; the last name of Protobuf is no media type, but was sent for long.
const V2_TYPES: &[&str] = &[
    "application/json",
    "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
];

/// The media types of OpenAPI v3.
const V3_TYPES: &[&str] = &[
    "application/json",
    "application/com.github.proto-openapi.spec.v3.v1.0+protobuf",
    "application/com.github.proto-openapi.spec.v3@v1.0+protobuf",
];

/// How long a document that is asked for by its hash may be kept.
const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// A document: its name for [`Build`], the custom resources in it, and what it is made with.
struct Named<'a> {
    name: &'a str,
    customs: Vec<Custom>,
    host: Host,
}

/// The host's part in documents.
#[derive(Clone, Copy)]
struct Host {
    build: Build,
    /// True if CBOR is among the media types of objects.
    cbor: bool,
}

/// Handles a path below `/openapi/`.
pub(super) fn answer(question: &NonResourceRequest<'_>) -> Outcome {
    let formats = &question.shared.config.formats;
    let Some(build) = formats.openapi else { return Ok(Answer::page_not_found()) };
    let host = Host { build, cbor: formats.media_types.find("application/cbor").is_some() };
    let customs = customs_of(question.resources.iter().map(AsRef::as_ref), question.published);
    match question.path {
        "/openapi/v2" => {
            let answer = serve(question, &Named { host, name: "v2", customs }, V2_TYPES, String::new())?;
            Ok(answer.with(VARY, "Accept-Encoding").with(VARY, "Accept"))
        }
        "/openapi/v3" => index(question, host, &customs),
        path => match path.strip_prefix("/openapi/v3/") {
            Some(name) => document(question, name, host, &customs),
            None => Ok(Answer::page_not_found()),
        },
    }
}

/// Serves the index of the documents: the location of each, by a hash of what is in it.
fn index(question: &NonResourceRequest<'_>, host: Host, customs: &[Custom]) -> Outcome {
    let mut paths = Map::new();
    for name in documents(question.resources.iter().map(AsRef::as_ref)) {
        let document = Named { host, name: &["v3 ", &name].concat(), customs: of(&name, customs) };
        let url = location(&name, &document.hash()?);
        paths.insert(name, json!({ "serverRelativeURL": url }));
    }
    if let Some(aggregator) = question.shared.aggregator.get() {
        for (name, url) in aggregator.documents() {
            paths.insert(name, json!({ "serverRelativeURL": url }));
        }
        paths.sort_keys();
    }
    let bytes = codec::json::to_vec(&json!({ "paths": paths }));
    // It has no tag: were this the time of its last change, a client that has asked for it in the same second before would never hear of
    // that.
    let modified = question.shared.config.clock.now();
    // Nobody says of what media type the index is, so it is what it looks like.
    let (media_type, expires) = ("text/plain; charset=utf-8", String::new());
    let content = Content { media_type, tag: "", modified, expires };
    content.serve(question.headers, || Ok(bytes))
}

fn location(name: &str, hash: &str) -> String {
    ["/openapi/v3/", name, "?hash=", hash].concat()
}

fn document(question: &NonResourceRequest<'_>, name: &str, host: Host, customs: &[Custom]) -> Outcome {
    if !documents(question.resources.iter().map(AsRef::as_ref)).iter().any(|known| known == name) {
        return Ok(Answer::empty(404));
    }
    let document = Named { host, name: &["v3 ", name].concat(), customs: of(name, customs) };
    let asked = question.query.text("hash");
    if !asked.is_empty() && negotiate::one_of(question.headers, V3_TYPES).is_some() {
        let hash = document.hash()?;
        if asked != hash {
            let answer = Answer::empty(301).with(LOCATION, location(name, &hash)).with(VARY, "Accept");
            return Ok(answer.with(ETAG, quoted(&hash)).with(CONTENT_TYPE, V3_TYPES[0]));
        }
    }
    let expires = match asked {
        "" => String::new(),
        _ => time::rfc1123(question.shared.config.clock.now() + YEAR),
    };
    Ok(serve(question, &document, V3_TYPES, expires)?.with(VARY, "Accept"))
}

/// Serves a document in one of these media types, the first of which is JSON, and the others Protobuf.
fn serve(
    question: &NonResourceRequest<'_>,
    document: &Named<'_>,
    types: &[&'static str],
    expires: String,
) -> Outcome {
    let Some(format) = negotiate::one_of(question.headers, types) else { return Ok(Answer::empty(406)) };
    let hash = document.hash()?;
    let modified = question.shared.modified(document.name, &hash);
    let content = Content { media_type: types[format.min(1)], tag: &quoted(&hash), modified, expires };
    content.serve(question.headers, || document.build(format > 0))
}

fn quoted(hash: &str) -> String {
    ["\"", hash, "\""].concat()
}

/// The custom resources that a document is about.
fn of(name: &str, customs: &[Custom]) -> Vec<Custom> {
    let own = |custom: &&Custom| {
        let row = &custom.resource;
        root(&row.group, &row.version).strip_prefix('/') == Some(name)
    };
    customs.iter().filter(own).cloned().collect()
}

impl Named<'_> {
    fn build(&self, protobuf: bool) -> Result<Vec<u8>, Box<Status>> {
        let Self { name, customs, host } = self;
        (host.build)(&Asked { name, customs, cbor: host.cbor, protobuf }).map_err(Status::unclassified)
    }

    /// Returns the hash of the document. It is kept for what the document is made of, so that an index needs no documents.
    fn hash(&self) -> Result<String, Box<Status>> {
        static KNOWN: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());
        const KEPT: usize = 4096;
        let customs: Vec<Value> = self.customs.iter().map(Custom::to_value).collect();
        let of = super::hash(&[&codec::json::to_vec(&json!([self.name, customs, self.host.cbor]))]);
        let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(hash) = known().get(&of) {
            return Ok(hash.clone());
        }
        let hash = sha512(&self.build(false)?);
        let mut known = known();
        if known.len() == KEPT {
            known.clear();
        }
        known.insert(of, hash.clone());
        Ok(hash)
    }
}

fn sha512(bytes: &[u8]) -> String {
    super::hexadecimal(&Sha512::digest(bytes))
}
