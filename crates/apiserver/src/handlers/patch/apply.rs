//! Applying a patch to an object.

use bytes::Bytes;
use json_tree::Value;
use patch::{Error, json_patch, merge};
use schema::Node;

use super::{Kind, escapes};
use crate::decode::{self, Patched, Unusable};
use crate::format::strategic::{Merge, Merged, Unmerged};
use crate::options::FieldValidation;
use crate::resource::Resource;
use apimachinery::object::Object;
use apimachinery::status::Status;
use field::Path;

/// A patch as it was sent.
pub(super) struct Patch<'a> {
    pub(super) kind: Kind,
    pub(super) body: &'a Bytes,
    pub(super) validation: FieldValidation,
    /// How strategic merge patches are applied.
    pub(super) strategic: Merge,
}

/// The patched object in its storage version, and the warnings that the patch earns.
type Applied = Result<(Object, Vec<String>), Box<Status>>;

/// Returns the text of a document.
fn written(document: &Node<'_>) -> String {
    let mut text = Vec::new();
    codec::json::write_node(document, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

impl Patch<'_> {
    /// Applies it to an object of `resource`, given as the JSON that the client would read.
    pub(super) fn apply(&self, resource: &Resource, versioned: &[u8]) -> Applied {
        let original = codec::json::parse(versioned)
            .map_err(|error| Status::unclassified(format!("error decoding the stored object: {error}")))?;
        match self.kind {
            Kind::Strategic => self.strategic(resource, &original),
            Kind::Json | Kind::Merge => self.untyped(resource, versioned, original),
        }
    }

    /// Reports whether anybody wants to know of unknown and duplicate fields.
    fn looks_closely(&self) -> bool {
        self.validation != FieldValidation::Ignore
    }

    /// JSON Patch and JSON Merge Patch change the document, whatever it means.
    fn untyped(&self, resource: &Resource, versioned: &[u8], original: Node<'_>) -> Applied {
        let mut strict = Vec::new();
        let close = self.looks_closely();
        let parsed = codec::json::parse(self.body);
        let document = match self.kind {
            Kind::Json => {
                let patch = parsed.map_err(|error| malformed(close, &error))?;
                if close {
                    strict = json_patch::check(&patch).map_err(|error| malformed(close, &error))?;
                }
                json_patch::Patch::new(patch).and_then(|patch| patch.apply(original))
            }
            _ if close => {
                let patch = parsed.map_err(|error| malformed(close, &error))?;
                let checked = schema::decode::decode_untyped(&patch);
                let checked = checked.map_err(|error| malformed(close, &error))?;
                strict.extend(checked.strict.iter().map(ToString::to_string));
                merge::apply(original, patch)
            }
            _ => parsed.map_err(|_| merge::not_json()).and_then(|patch| merge::apply(original, patch)),
        };
        let document = document.map_err(|error| refused(&error))?;
        let shown = || {
            let text = written(&document);
            self.as_sent(versioned, &text).unwrap_or(text)
        };
        let patched = decode::patched(resource, &document).map_err(|error| invalid(shown(), error))?;
        self.strict_warnings(patched, strict, shown)
    }

    /// Returns the patched document as messages show it: with the escapes of the patch, where it has any that need not be.
    /// `text` is the document without them.
    fn as_sent(&self, versioned: &[u8], text: &str) -> Option<String> {
        let is_json = self.kind == Kind::Json;
        let body = escapes::marked(self.body, is_json, text)?;
        let marked = codec::json::parse(&body).ok()?;
        let original = codec::json::parse(versioned).ok()?;
        let document = if is_json {
            let patch = escapes::with_values_of(codec::json::parse(self.body).ok()?, marked);
            json_patch::Patch::new(patch).and_then(|patch| patch.apply(original))
        } else {
            merge::apply(original, marked)
        };
        Some(written(&document.ok()?).replace(escapes::MARK, "\\"))
    }

    /// Strategic Merge Patch changes the object, whatever the document says of its kind.
    fn strategic(&self, resource: &Resource, original: &Node<'_>) -> Applied {
        let Some(ty) = resource.ty() else { return Err(Status::unsupported_patch_type()) };
        let unreadable = |error: &dyn ToString| Status::bad_request(error.to_string());
        let patch = codec::json::parse(self.body).map_err(|error| unreadable(&error))?;
        let checked = schema::decode::decode_untyped(&patch).map_err(|error| unreadable(&error))?;
        let original = codec::json::to_value(original).map_err(|error| unreadable(&error))?;
        let Merged { object, patch } = (self.strategic)(ty, original, checked.value);
        let shown = || schema::go::show(&patch);
        let merged = object.map_err(|why| match why {
            Unmerged::Refused(error) => refused(&error),
            Unmerged::Unfit(error) => invalid(shown(), error),
        })?;
        let patched = decode::merged(resource, ty, &merged).map_err(|why| match why {
            Unusable::Undecodable(error) => invalid(shown(), error),
            Unusable::Unconvertible(error) => Status::unclassified(error),
        })?;
        let duplicates = checked.strict.iter().map(ToString::to_string).collect();
        self.strict_warnings(patched, duplicates, shown)
    }

    /// Warns of the fields that were found, or refuses the patch for them. `strict` are those of the patch.
    fn strict_warnings(
        &self,
        patched: Patched,
        mut strict: Vec<String>,
        shown: impl FnOnce() -> String,
    ) -> Applied {
        for text in patched.strict {
            if !strict.contains(&text) {
                strict.push(text);
            }
        }
        match self.validation {
            FieldValidation::Strict if !strict.is_empty() => {
                Err(invalid(shown(), format!("strict decoding error: {}", strict.join(", "))))
            }
            FieldValidation::Warn => Ok((patched.object, strict)),
            _ => Ok((patched.object, Vec::new())),
        }
    }
}

/// 400: the body is no patch.
fn malformed(close: bool, error: &dyn ToString) -> Box<Status> {
    let prefix = if close { "error decoding patch: " } else { "" };
    Status::bad_request(format!("{prefix}{}", error.to_string()))
}

/// The patch cannot be applied.
fn refused(error: &Error) -> Box<Status> {
    match error {
        Error::BadRequest(text) => Status::bad_request(text.as_str()),
        Error::TooManyOperations(_) => Status::too_many_operations(error.to_string()),
        Error::Unprocessable(_) => Status::unprocessable(error.to_string()),
        Error::Unclassified(text) => Status::unclassified(text.as_str()),
    }
}

/// 422: what the patch made, or the patch that made it, is shown, and why it is no object.
fn invalid(shown: String, why: String) -> Box<Status> {
    let error = field::Error::invalid(Path::new("patch"), Value::from(shown), why);
    Status::invalid("", "", "", &[error])
}
