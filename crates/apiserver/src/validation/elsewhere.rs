//! Validation whose code is elsewhere: an object goes there, and what there is to say of it comes back.
//!
//! The code of it is large, and it is a function of one or two objects and of their definition alone. So a program that
//! has to be small need not have it from the beginning, as with media types other than JSON.
//!
//! What goes to and fro is JSON in which a number stays what it is: `1.0` is not `1` to who validates it.

use json_tree::{Value, json};

use field::{Error, ErrorKind, Path};

use super::{Change, Resource, Validation, Verdict, judge};
use crate::admission::pod_security;
use crate::custom;
use crate::format::Elsewhere;

/// The kinds of errors, by the numbers that stand for them in an answer.
const KINDS: [ErrorKind; 10] = [
    ErrorKind::NotFound,
    ErrorKind::Required,
    ErrorKind::Duplicate,
    ErrorKind::Invalid,
    ErrorKind::NotSupported,
    ErrorKind::Forbidden,
    ErrorKind::TooLong,
    ErrorKind::TooMany,
    ErrorKind::TypeInvalid,
    ErrorKind::InternalError,
];

impl Validation {
    /// Validation by `E`.
    pub const fn elsewhere<E: Elsewhere>() -> Self {
        Self {
            built_in: ask::<E>,
            custom: custom::elsewhere::ask::<E>,
            pod_security: pod_security::elsewhere::ask::<E>,
            policy: ask_policy::<E>,
        }
    }
}

fn ask<E: Elsewhere>(resource: Resource<'_>, change: &Change<'_>) -> Verdict {
    let Resource { group, resource, namespaced } = resource;
    let scope = if namespaced { "namespaced" } else { "cluster" };
    let question = ["validate ", resource, " ", scope, " ", group].concat();
    match E::ask(&question, &asked(change, None)).and_then(|answer| of_json(&answer)) {
        Ok(answer) => read(answer),
        Err(why) => failed(why),
    }
}

/// What a policy says of a request.
fn ask_policy<E: Elsewhere>(question: &Value) -> Value {
    match E::ask("policy", &to_json(question)).and_then(|answer| of_json(&answer)) {
        Ok(answer) => answer,
        Err(why) => json!({ "error": why }),
    }
}

/// The bytes of a question about a change: what it is, and whatever else there is to say.
pub(crate) fn asked(change: &Change<'_>, more: Option<&Value>) -> Vec<u8> {
    let (what, object, old) = match *change {
        Change::New(object) => ("new", object, None),
        Change::Question(object) => ("question", object, None),
        Change::Part { object, old, .. } => ("part", object, Some(old)),
    };
    let subresource = match change {
        Change::Part { subresource, .. } => subresource,
        _ => "",
    };
    let mut bytes = ["[\"", what, "\",\"", subresource, "\""].concat().into_bytes();
    for value in [Some(object), Some(old.unwrap_or(&Value::Null)), more].into_iter().flatten() {
        bytes.push(b',');
        bytes.extend(to_json(value));
    }
    bytes.push(b']');
    bytes
}

/// The change that a question is about, and what else it says.
pub(crate) fn change(asked: &Value) -> Option<(Change<'_>, &Value)> {
    let (object, old) = (&asked[2], &asked[3]);
    let change = match asked[0].as_str()? {
        "new" => Change::New(object),
        "question" => Change::Question(object),
        "part" => Change::Part { subresource: asked[1].as_str().unwrap_or_default(), object, old },
        _ => return None,
    };
    Some((change, &asked[4]))
}

/// The verdict that [`show`] has shown.
pub(crate) fn read(mut answer: Value) -> Verdict {
    let mut list = |index: usize| match answer.get_mut(index).map(Value::take) {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let errors = list(0).into_iter().map(|mut error| {
        let kind = error[0].as_u64().and_then(|kind| KINDS.get(usize::try_from(kind).ok()?));
        Error {
            kind: kind.copied().unwrap_or(ErrorKind::InternalError),
            field: text(&error[1]),
            detail: text(&error[2]),
            bad_value: error.get_mut(3).map(Value::take),
        }
    });
    let errors = errors.collect();
    Verdict { errors, warnings: list(1).iter().map(text).collect() }
}

/// What is said when nobody could say anything.
pub(crate) fn failed(why: String) -> Verdict {
    Verdict { errors: vec![Error::internal(Path::default(), why)], warnings: Vec::new() }
}

/// A verdict as an answer.
pub(crate) fn show(verdict: Verdict) -> Value {
    let error = |error: Error| {
        let kind = KINDS.iter().position(|kind| *kind == error.kind).unwrap_or(KINDS.len());
        let mut shown = vec![kind.into(), error.field.into(), error.detail.into()];
        shown.extend(error.bad_value);
        Value::Array(shown)
    };
    let errors: Vec<Value> = verdict.errors.into_iter().map(error).collect();
    json!([errors, verdict.warnings])
}

/// Answers the question `validate RESOURCE SCOPE GROUP`, of which these are the words after the first. `None` if it is none.
pub(crate) fn answer<'a>(mut words: impl Iterator<Item = &'a str>, asked: &Value) -> Option<Value> {
    let resource = words.next()?;
    let namespaced = words.next()? == "namespaced";
    let resource = Resource { group: words.next().unwrap_or_default(), resource, namespaced };
    Some(show(judge(resource, &change(asked)?.0)))
}

/// A value as JSON in which floats stay floats.
pub(crate) fn to_json(value: &Value) -> Vec<u8> {
    value.to_string().into_bytes()
}

/// The value that [`to_json`] has written.
///
/// # Errors
/// It is no JSON.
pub(crate) fn of_json(json: &[u8]) -> Result<Value, String> {
    let node = codec::json::parse(json).map_err(|error| error.to_string())?;
    codec::json::to_value(&node).map_err(|error| error.to_string())
}
