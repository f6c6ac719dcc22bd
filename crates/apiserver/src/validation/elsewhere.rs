//! Validation whose code is elsewhere: an object goes there, and what is wrong with it comes back.
//!
//! The code of it is large, and it is a function of one or two objects alone. So a program that has to be small need not
//! have it from the beginning, as with media types other than JSON.

use serde_json::{Value, json};

use field::{Error, ErrorKind, Path};

use super::{Change, Resource, Validation, validate};
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
        Self(ask::<E>, ask_policy::<E>)
    }
}

fn ask<E: Elsewhere>(resource: Resource<'_>, change: &Change<'_>) -> Vec<Error> {
    let asked = match change {
        Change::New(object) => json!(["new", object]),
        Change::Question(object) => json!(["question", object]),
        Change::Part { subresource, object, old } => json!(["part", object, old, subresource]),
    };
    let Resource { group, resource, namespaced } = resource;
    let scope = if namespaced { "namespaced" } else { "cluster" };
    let question = ["validate ", resource, " ", scope, " ", group].concat();
    match E::ask(&question, &codec::json::to_vec(&asked)) {
        Ok(answer) => read(&answer),
        Err(why) => vec![Error::internal(&Path::default(), why)],
    }
}

/// What a policy says of a request.
fn ask_policy<E: Elsewhere>(question: &Value) -> Value {
    match E::ask("policy", &codec::json::to_vec(question)) {
        Ok(answer) => serde_json::from_slice(&answer).unwrap_or_default(),
        Err(why) => json!({ "error": why }),
    }
}

fn read(answer: &[u8]) -> Vec<Error> {
    let errors: Vec<(usize, String, Option<Value>, bool, String)> =
        serde_json::from_slice(answer).unwrap_or_default();
    let error = |(kind, field, value, shown, detail): (usize, String, Option<Value>, bool, String)| Error {
        kind: KINDS.get(kind).copied().unwrap_or(ErrorKind::InternalError),
        field,
        bad_value: shown.then_some(value.unwrap_or_default()),
        detail,
    };
    errors.into_iter().map(error).collect()
}

/// Answers the question `validate RESOURCE SCOPE GROUP`, of which these are the words after the first. `None` if it is none.
pub(crate) fn answer<'a>(mut words: impl Iterator<Item = &'a str>, asked: &Value) -> Option<Value> {
    let resource = words.next()?;
    let namespaced = words.next()? == "namespaced";
    let resource = Resource { group: words.next().unwrap_or_default(), resource, namespaced };
    let object = &asked[1];
    let errors = match asked[0].as_str()? {
        "new" => validate(resource, &Change::New(object)),
        "question" => validate(resource, &Change::Question(object)),
        "part" => {
            let subresource = asked[3].as_str().unwrap_or_default();
            validate(resource, &Change::Part { subresource, object, old: &asked[2] })
        }
        _ => return None,
    };
    let error = |error: Error| {
        let kind = KINDS.iter().position(|kind| *kind == error.kind);
        json!([kind, error.field, error.bad_value, error.bad_value.is_some(), error.detail])
    };
    Some(errors.into_iter().map(error).collect())
}
