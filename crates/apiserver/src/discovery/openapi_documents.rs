//! `/openapi/v2`, `/openapi/v3`, and the documents below that.
//!
//! <https://kubernetes.io/docs/concepts/overview/kubernetes-api/#openapi-v3>

use std::sync::OnceLock;
use std::time::Duration;

use http::header::{CACHE_CONTROL, ETAG, EXPIRES, LOCATION, VARY};
use json_tree::{Map, Value, json};

use crate::answer::{Answer, Outcome};
use crate::context::NonResourceRequest;
use crate::openapi::{Custom, customs_of, documents, root};
use crate::status::Status;
use crate::version::GIT_VERSION;
use crate::{negotiate, time};

/// The media types of OpenAPI v2; the first name of Protobuf is no media type, but was sent for long.
const V2_TYPES: &[&str] = &[
    "application/json",
    "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
];

/// How long a document that is asked for by its hash may be kept.
const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Handles a path below `/openapi/`.
pub(super) fn answer(question: &NonResourceRequest<'_>) -> Outcome {
    let Some(build) = question.shared.config.formats.openapi else { return Ok(Answer::page_not_found()) };
    let customs = customs_of(question.resources.iter().map(AsRef::as_ref), question.custom);
    let made = |what: &str, customs: &[Custom]| build(what, customs).map_err(Status::unclassified);
    match question.path {
        "/openapi/v2" => {
            let Some(format) = negotiate::one_of(question.headers, V2_TYPES) else {
                return Ok(Answer::empty(406).with(VARY, "Accept"));
            };
            let tag = ["\"", &hash("v2", &customs), "\""].concat();
            let tagged = |answer: Answer| answer.with(ETAG, tag.as_str()).with(VARY, "Accept");
            if question.has(&tag) {
                return Ok(tagged(Answer::empty(304)));
            }
            let (what, media_type) =
                if format == 0 { ("v2", V2_TYPES[0]) } else { ("v2-protobuf", V2_TYPES[1]) };
            Ok(tagged(Answer::bytes(media_type, made(what, &customs)?)))
        }
        // Nobody says of what media type the index is, so it is what it looks like.
        "/openapi/v3" => Ok(Answer::bytes("text/plain; charset=utf-8", index(question, &customs))),
        path => match path.strip_prefix("/openapi/v3/") {
            Some(name) => document(question, name, &customs, made),
            None => Ok(Answer::page_not_found()),
        },
    }
}

/// Returns the index of the documents: the location of each, by a hash of what is in it.
fn index(question: &NonResourceRequest<'_>, customs: &[Custom]) -> Vec<u8> {
    let mut paths = Map::new();
    for name in documents(question.resources.iter().map(AsRef::as_ref)) {
        let url = location(&name, &hash(&name, &of(&name, customs)));
        paths.insert(name, json!({ "serverRelativeURL": url }));
    }
    codec::json::to_vec(&json!({ "paths": paths }))
}

fn location(name: &str, hash: &str) -> String {
    ["/openapi/v3/", name, "?hash=", hash].concat()
}

fn document(
    question: &NonResourceRequest<'_>,
    name: &str,
    customs: &[Custom],
    made: impl Fn(&str, &[Custom]) -> Result<Vec<u8>, Box<Status>>,
) -> Outcome {
    if !documents(question.resources.iter().map(AsRef::as_ref)).iter().any(|known| known == name) {
        return Ok(Answer::empty(404));
    }
    if negotiate::one_of(question.headers, &V2_TYPES[..1]).is_none() {
        return Ok(Answer::empty(406).with(VARY, "Accept"));
    }
    let customs = of(name, customs);
    let hash = hash(name, &customs);
    let tag = ["\"", &hash, "\""].concat();
    let mut headers = vec![(ETAG, tag.clone()), (VARY, "Accept".to_owned())];
    match question.query.text("hash") {
        "" => {}
        asked if asked == hash => {
            headers.push((CACHE_CONTROL, "public, immutable".to_owned()));
            headers.push((EXPIRES, time::rfc1123(question.shared.config.clock.now() + YEAR)));
        }
        _ => headers.push((LOCATION, location(name, &hash))),
    }
    let moved = headers.iter().any(|(name, _)| *name == LOCATION);
    let answer = if moved {
        Answer::empty(301)
    } else if question.has(&tag) {
        Answer::empty(304)
    } else {
        Answer::bytes(V2_TYPES[0], made(&["v3 ", name].concat(), &customs)?)
    };
    Ok(headers.into_iter().fold(answer, |answer, (name, value)| answer.with(name, value)))
}

/// The custom resources that a document is about.
fn of(name: &str, customs: &[Custom]) -> Vec<Custom> {
    let own = |custom: &&Custom| {
        let row = &custom.resource;
        root(&row.group, &row.version).strip_prefix('/') == Some(name)
    };
    customs.iter().filter(own).cloned().collect()
}

/// A hash of all that a document is made of.
fn hash(name: &str, customs: &[Custom]) -> String {
    static TABLES: OnceLock<String> = OnceLock::new();
    let tables =
        TABLES.get_or_init(|| super::hash(&[GIT_VERSION.as_bytes(), schema::types::TABLE.as_bytes()]));
    let customs: Vec<Value> = customs.iter().map(Custom::to_value).collect();
    super::hash(&[tables.as_bytes(), name.as_bytes(), &codec::json::to_vec(&Value::Array(customs))])
}
