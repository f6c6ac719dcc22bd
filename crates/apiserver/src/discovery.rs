//! Discovery and health: what the server serves, and that it is well. It has every path that is not an object's.
//!
//! Each module has the documents of one sort; this one knows which path leads to which. What is served is a list of
//! resources that is handed in, for custom resources come and go.
//!
//! <https://kubernetes.io/docs/concepts/overview/kubernetes-api/#discovery-api>

mod aggregated;
mod content;
mod documents;
mod health;
mod issuer;
mod metrics;
mod openapi_documents;
mod root;
#[cfg(test)]
pub(crate) mod tests;
mod version;

use http::header::{CACHE_CONTROL, ETAG, IF_NONE_MATCH, VARY};
use http::{HeaderMap, Method};
use json_tree::Value;
use sha2::{Digest, Sha256};

use crate::aggregator::unavailable;
use crate::answer::{Answer, Outcome};
use crate::context::{Formats, NonResourceRequest};
use crate::document::Document;
use crate::format::MediaTypes;
use crate::negotiate::{self, Offered, Output};
use crate::route::{ISSUER_CONFIGURATION, ISSUER_KEYS, Route};
use crate::{groups, openapi};
use apimachinery::query::Query;
use apimachinery::status::Status;

/// The beginning of the paths of tables about requests that wait.
const FAIRNESS: &str = "/debug/api_priority_and_fairness/";

/// Handles a path that is not an object's.
pub(crate) fn answer(question: &NonResourceRequest<'_>) -> Outcome {
    let resources = question.resources;
    if resources.aggregated(question.path).is_some() {
        // Nobody passes requests on, or this one would not have come here.
        return Ok(unavailable());
    }
    match question.route {
        Route::Root => Ok(root::paths(resources)),
        Route::Health => Ok(health::answer(question.path, question.query)),
        Route::Version => {
            question.routed(Some("application/json"))?;
            Ok(version::answer())
        }
        Route::CoreVersions => {
            question.routed(None)?;
            question.aggregated(true).unwrap_or_else(|| question.document(&documents::core_versions()))
        }
        Route::Groups => question
            .aggregated(false)
            .unwrap_or_else(|| question.document(&documents::groups(&resources.services))),
        Route::Group(name) => match documents::group(resources, name) {
            Some(group) => question.document(&group),
            None => Ok(Answer::page_not_found()),
        },
        Route::GroupVersion(group, version) => {
            if !groups::is_custom(group) {
                question.routed(None)?;
            }
            question.document(&documents::group_version(resources, group, version))
        }
        Route::Unknown => elsewhere(question),
        Route::NotServed | Route::Resource(_) => Err(Status::path_not_found()),
    }
}

impl Formats {
    /// JSON, and of views the metadata.
    pub const JSON: Self = Self { media_types: MediaTypes::JSON, discovery: answer, openapi: None };

    /// JSON, YAML, Protobuf, CBOR, tables and OpenAPI: all that kube-apiserver speaks.
    pub const ALL: Self =
        Self { media_types: MediaTypes::ALL, discovery: answer, openapi: Some(openapi::build) };
}

/// Returns the output format of a document that is there as JSON: the one that [`answer`] would have chosen.
pub(crate) fn output(
    route: &Route,
    formats: MediaTypes,
    headers: &HeaderMap,
    query: &Query,
) -> Result<Output, Box<Status>> {
    match route {
        Route::Root => return Ok(negotiate::raw(formats)),
        Route::Version => {
            negotiate::accepts(headers, &["application/json"])?;
            return Ok(negotiate::raw(formats));
        }
        Route::CoreVersions => negotiate::route_plain(formats, headers)?,
        route if lists_resources(route) => {
            negotiate::route(formats, headers, Offered::Object)?;
            return negotiate::resources(formats, headers, query);
        }
        _ => {}
    }
    negotiate::plain(formats, headers, query)
}

/// Reports whether the resources of a built-in group are listed there, which is possible in all media types.
fn lists_resources(route: &Route) -> bool {
    matches!(route, Route::GroupVersion(group, _) if !groups::is_custom(group))
}

/// Handles a path that has neither groups nor objects below it.
fn elsewhere(question: &NonResourceRequest<'_>) -> Outcome {
    let path = question.path;
    // The router takes a slash at the end, others do not.
    let routed = path.strip_suffix('/').unwrap_or(path);
    match routed {
        "/index.html" if routed == path => Ok(root::paths(question.resources)),
        "/metrics" if routed == path => Ok(metrics::answer(question)),
        ISSUER_CONFIGURATION => {
            question.routed(Some(issuer::CONFIGURATION_TYPE))?;
            Ok(issuer::configuration(question.shared.issuer().as_ref()))
        }
        ISSUER_KEYS => {
            question.routed(Some(issuer::KEYS_TYPE))?;
            Ok(issuer::keys(question.shared.issuer().as_ref()))
        }
        _ if path.starts_with("/openapi/") => openapi_documents::answer(question),
        _ if path.starts_with(FAIRNESS) => Ok(dump(question).unwrap_or_else(Answer::page_not_found)),
        _ if path.starts_with("/version/") => Err(Status::path_not_found()),
        _ if health::is_check(path) => Ok(health::answer(path, question.query)),
        _ => Ok(Answer::page_not_found()),
    }
}

/// Returns a table about requests that wait, if the path is that of one.
///
/// <https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#debug-endpoints>
fn dump(question: &NonResourceRequest<'_>) -> Option<Answer> {
    let name = question.path.strip_prefix(FAIRNESS)?;
    let text = question.shared.instruments.get()?.dump(name)?;
    Some(Answer::text(200, text))
}

impl NonResourceRequest<'_> {
    /// Checks what the router in front of a handler asks: that the method is GET, and that the media type is
    /// acceptable, which is the given one or one of those of documents.
    fn routed(&self, offered: Option<&str>) -> Result<(), Box<Status>> {
        if self.method != Method::GET {
            return Err(Status::method_not_allowed());
        }
        let formats = self.shared.config.formats.media_types;
        match offered {
            Some(offered) => negotiate::accepts(self.headers, &[offered]),
            None if lists_resources(self.route) => negotiate::route(formats, self.headers, Offered::Object),
            None => negotiate::route_plain(formats, self.headers),
        }
    }

    /// A document of discovery.
    fn document(&self, body: &Value) -> Outcome {
        let choose = if lists_resources(self.route) { negotiate::resources } else { negotiate::plain };
        let output = choose(self.shared.config.formats.media_types, self.headers, self.query)?;
        Answer::document(200, Document::untyped(body), output)
    }

    /// The groups with all that is in them, if that is asked for; the core group alone, or all others.
    fn aggregated(&self, core: bool) -> Option<Outcome> {
        let output = negotiate::aggregated(self.shared.config.formats.media_types, self.headers, self.query)?;
        let document = {
            let aggregator = self.shared.aggregator.get().map(AsRef::as_ref);
            aggregated::document(self.resources, &self.resources.services, aggregator, core)
        };
        let tag = tag(&document.json);
        let known = |answer: Answer| {
            answer.with(ETAG, tag.as_str()).with(VARY, "Accept").with(CACHE_CONTROL, "public")
        };
        if self.has(&tag) {
            return Some(Ok(known(Answer::empty(304))));
        }
        let mut media_type = output.format.name.to_owned();
        for (name, value) in negotiate::AGGREGATED {
            media_type.push_str(&[";", name, "=", value].concat());
        }
        Some(Answer::document(200, document, output).map(|answer| known(answer).called(media_type)))
    }

    /// Reports whether the client already has the document with this tag.
    pub(crate) fn has(&self, tag: &str) -> bool {
        self.headers.get(IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes())
    }
}

/// The tag of a document, by which a client asks whether it has changed.
fn tag(document: &[u8]) -> String {
    ["\"", &hash(&[document]), "\""].concat()
}

/// A hash of texts, in capital hexadecimal digits.
pub(crate) fn hash(texts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update(text);
    }
    hexadecimal(&hash.finalize())
}

/// Returns bytes in capital hexadecimal digits.
fn hexadecimal(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let digit = |half: u8| char::from(DIGITS[usize::from(half & 15)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]).collect()
}
