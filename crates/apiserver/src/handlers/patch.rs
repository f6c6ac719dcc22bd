//! PATCH of an object, or of a part of it.

mod apply;
mod configuration;
mod escapes;

use http::HeaderMap;
use http::header::CONTENT_TYPE;

use crate::answer::Outcome;
use crate::context::RequestContext;
use crate::decode::BODY_LIMIT;
use crate::format::MediaTypes;
use crate::options::WriteOptions;
use crate::{convert, present};
use apimachinery::status::Status;

/// How a patch is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// RFC 6902
    Json,
    /// RFC 7386
    Merge,
    /// As the schema says.
    Strategic,
}

/// The use of a request body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// It is a patch.
    Patch(Kind),
    /// It is a configuration to apply, in this media type.
    Configuration(&'static str),
}

/// The media types of patches.
///
/// <https://kubernetes.io/docs/reference/using-api/api-concepts/#patch-and-update>
const KINDS: &[(&str, Use)] = &[
    ("application/json-patch+json", Use::Patch(Kind::Json)),
    ("application/merge-patch+json", Use::Patch(Kind::Merge)),
    ("application/strategic-merge-patch+json", Use::Patch(Kind::Strategic)),
    ("application/apply-patch+yaml", Use::Configuration("application/yaml")),
    ("application/apply-patch+cbor", Use::Configuration("application/cbor")),
];

impl RequestContext<'_> {
    /// Changes the object as the patch in the body says. Where somebody else writes the object meanwhile, that is done
    /// again, so there is no conflict but with a version in the patch.
    ///
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#patch-and-update>
    pub(crate) async fn patch(&self) -> Outcome {
        let custom = self.target.resource.is_custom();
        let kind = kind(self.formats(), content_type(self.headers), custom)?;
        if self.body.len() > BODY_LIMIT {
            return Err(Status::too_large(BODY_LIMIT));
        }
        let kind = match kind {
            Use::Patch(kind) => kind,
            Use::Configuration(media_type) => return self.apply(media_type).await,
        };
        let options = WriteOptions::parse(self.query, "PatchOptions")?;
        self.audit_patch();
        let Some(current) = self.current_shown().await? else { return Err(self.missing()) };
        let strategic = self.formats().strategic;
        let patch = apply::Patch { kind, body: self.body, validation: options.field_validation, strategic };
        let (mut object, mut warnings) = match self.view() {
            None => patch.apply(&self.target.resource, &self.typed(&current.shown.json))?,
            Some(view) => {
                let shown = view.show_managed(
                    &self.target.resource,
                    &convert::tree_of(&self.target.resource, &current.shown),
                );
                let kind = &view.resource;
                patch.apply(kind, &present::typed(&kind.kind, &kind.api_version(), &shown))?
            }
        };
        let adopted = self
            .check_name(&object)
            .and_then(|()| self.adopt_namespace(&mut object))
            .and_then(|()| self.adopt(&current.shown, object));
        let stored = match adopted {
            Ok(object) => self.store(Some(&current), object, options, &mut warnings).await,
            Err(status) => Err(status),
        };
        match stored {
            Ok((code, json)) => Ok(self.answer_view(code, &json)?.warn(warnings)),
            Err(status) => Err(status.warned(warnings)),
        }
    }
}

impl RequestContext<'_> {
    /// Notes the patch that was sent, for the audit log.
    fn audit_patch(&self) {
        if let Some(audit) = self.notes.audit() {
            audit.requested_patch(self.body);
        }
    }
}

/// Checks a patch's media type as kube-apiserver's router does: it lets through a header that lists several, if at
/// least one of them is a patch's.
pub(super) fn route(formats: MediaTypes, headers: &HeaderMap) -> Result<(), Box<Status>> {
    if content_type(headers).split(',').any(|part| find(formats, part).is_some()) {
        Ok(())
    } else {
        Err(Status::unsupported_patch_type())
    }
}

/// Finds out how a patch is meant. Custom resources have no Strategic Merge Patch.
fn kind(formats: MediaTypes, header: &str, custom: bool) -> Result<Use, Box<Status>> {
    let offered = |kind: &Use| !custom || *kind != Use::Patch(Kind::Strategic);
    match find(formats, header).filter(|(_, kind)| offered(kind)) {
        Some((_, kind)) => Ok(kind),
        None => {
            let known = spoken(formats).filter(|(_, kind)| offered(kind));
            let known: Vec<&str> = known.map(|(known, _)| known).collect();
            Err(Status::unsupported_media_type(&known.join(", ")))
        }
    }
}

fn find(formats: MediaTypes, text: &str) -> Option<(&'static str, Use)> {
    let media_type = text.split(';').next().unwrap_or_default().trim();
    spoken(formats).find(|(known, _)| *known == media_type)
}

/// The media types of patches in a server that speaks these: configurations are read as objects are.
fn spoken(formats: MediaTypes) -> impl Iterator<Item = (&'static str, Use)> {
    let reads = move |kind: &Use| match kind {
        Use::Configuration(media_type) => formats.find(media_type).is_some(),
        Use::Patch(_) => true,
    };
    KINDS.iter().copied().filter(move |(_, kind)| reads(kind))
}

fn content_type(headers: &HeaderMap) -> &str {
    headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(header: &str, expected: Result<Use, &str>) {
        check_with(MediaTypes::ALL, header, expected);
    }

    #[track_caller]
    fn check_with(formats: MediaTypes, header: &str, expected: Result<Use, &str>) {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, header.parse().expect("a header value"));
        let found = route(formats, &headers)
            .and_then(|()| kind(formats, content_type(&headers), false))
            .map_err(|status| status.message);
        assert_eq!(found, expected.map_err(str::to_owned), "{header}");
    }

    #[test]
    fn kinds() {
        const UNSUPPORTED: Result<Use, &str> = Err("415: Unsupported Media Type");
        check("application/json-patch+json", Ok(Use::Patch(Kind::Json)));
        check("application/merge-patch+json; charset=utf-8", Ok(Use::Patch(Kind::Merge)));
        check("application/strategic-merge-patch+json ", Ok(Use::Patch(Kind::Strategic)));
        check("Application/Merge-Patch+JSON", UNSUPPORTED);
        check("application/json", UNSUPPORTED);
        check("*/*", UNSUPPORTED);
        check("", UNSUPPORTED);
        check(
            "application/merge-patch+json, application/json",
            Err("the body of the request was in an unknown format - accepted media types include: \
                 application/json-patch+json, application/merge-patch+json, \
                 application/strategic-merge-patch+json, application/apply-patch+yaml, \
                 application/apply-patch+cbor"),
        );
        check("application/apply-patch+cbor", Ok(Use::Configuration("application/cbor")));
        check_with(MediaTypes::ALL.without_cbor(), "application/apply-patch+cbor", UNSUPPORTED);
        check_with(
            MediaTypes::ALL.without_cbor(),
            "application/merge-patch+json, application/json",
            Err("the body of the request was in an unknown format - accepted media types include: \
                 application/json-patch+json, application/merge-patch+json, \
                 application/strategic-merge-patch+json, application/apply-patch+yaml"),
        );
    }
}
