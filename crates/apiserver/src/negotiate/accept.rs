//! The clauses of an `Accept` header.

use super::View;
use crate::partial::MetaVersion;

/// The group that `as`, `g` and `v` may name.
const META: &str = "meta.k8s.io";

/// One clause of an `Accept` header.
pub(super) struct Clause<'a> {
    media_type: &'a str,
    parameters: Vec<(&'a str, &'a str)>,
    quality: f64,
}

/// The clauses of a header, the ones to be preferred first: those of higher quality (which may be beyond what it
/// should be, and is 0 if it is no number), then those that name their type.
pub(super) fn clauses(accept: &str) -> Vec<Clause<'_>> {
    let mut clauses: Vec<Clause<'_>> = accept.split(',').filter_map(Clause::parse).collect();
    schema::sort_by(&mut clauses, |a, b| {
        b.quality
            .total_cmp(&a.quality)
            .then_with(|| a.media_type.matches('*').count().cmp(&b.media_type.matches('*').count()))
    });
    clauses
}

impl<'a> Clause<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let mut parts = text.split(';').map(str::trim);
        let media_type = parts.next().filter(|media_type| !media_type.is_empty())?;
        let parameters: Vec<_> = parts
            .filter_map(|part| part.split_once('='))
            .map(|(key, value)| (key.trim(), value.trim()))
            .collect();
        let mut clause = Self { media_type, parameters, quality: 1.0 };
        clause.quality =
            clause.parameter("q").map_or(1.0, |q| golang::strconv::parse_float(q).unwrap_or(0.0));
        Some(clause)
    }

    pub(super) fn parameter(&self, name: &str) -> Option<&'a str> {
        self.parameters.iter().find(|(key, _)| *key == name).map(|(_, value)| *value)
    }

    /// Reports whether the clause names this media type, literally or by a wildcard.
    pub(super) fn matches(&self, media_type: &str) -> bool {
        let (own, other) = (self.media_type.split_once('/'), media_type.split_once('/'));
        match (own, other) {
            (Some(("*", "*")), _) => true,
            (Some((group, "*")), Some((other, _))) => group == other,
            _ => self.media_type == media_type,
        }
    }

    /// Returns whether the clause names this media type, and not by a wildcard.
    pub(super) fn is_about(&self, media_type: &str) -> bool {
        self.media_type == media_type
    }

    /// Reports whether the `stream` parameter can be served: it is absent or empty, or `watch` and the media type has
    /// streams.
    pub(super) fn streams(&self, has_streams: bool) -> bool {
        self.parameter("stream").is_none_or(|text| text.is_empty() || has_streams && text == "watch")
    }

    /// Reports whether the clause asks for something other than the object as it is.
    pub(super) fn converts(&self) -> bool {
        ["as", "g", "v"].iter().any(|name| self.parameter(name).is_some())
    }

    /// The view that the clause asks for, if there is such.
    pub(super) fn view(&self, tables: bool) -> Option<View> {
        if !self.converts() {
            return Some(View::Whole);
        }
        let version = match (self.parameter("g"), self.parameter("v")) {
            (Some(META), Some(version)) => MetaVersion::parse(version)?,
            _ => return None,
        };
        match self.parameter("as")? {
            "Table" if tables => Some(View::Table(version)),
            "PartialObjectMetadata" => Some(View::Metadata(version)),
            "PartialObjectMetadataList" => Some(View::MetadataList(version)),
            _ => None,
        }
    }
}
