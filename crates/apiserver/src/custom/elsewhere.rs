//! Validation of custom objects whose code is elsewhere: nothing but the definition and the objects matter to it.
//!
//! A definition is sent once: later a digest of it stands for it, by which whoever answers finds what it has read then.

use std::sync::{Arc, Mutex, PoisonError};

use json_tree::{Value, json};
use schema::{Resource, base64};
use sha2::{Digest, Sha256};
use structural::Structural;
use structural::rules::Compiled;

use super::Custom;
use super::definition::Scale;
use super::validate::{Subject, compile};
use crate::format::Elsewhere;
use crate::validation::elsewhere::{asked, change, failed, of_json, read, show, to_json};
use crate::validation::{Change, Verdict};

/// How many definitions are kept of those that were read.
const MOST: usize = 64;

/// What a version of a definition says of its objects, as a question has it, and the digest of that.
struct Described {
    digest: String,
    description: Value,
}

/// What there is to say of a custom object, by `E`.
pub(crate) fn ask<E: Elsewhere>(resource: &Resource, custom: &Custom, change: &Change<'_>) -> Verdict {
    let Some(described) = custom.version().prepared(|| describe(resource, custom)) else {
        return Verdict::default();
    };
    let question = ["custom ", &described.digest].concat();
    let ask = |more| E::ask(&question, &asked(change, more)).and_then(|answer| of_json(&answer));
    let answer = ask(None).and_then(|answer| match answer {
        // It has not been told of the definition yet, or does not know it any more.
        Value::Null => ask(Some(&described.description)),
        answer => Ok(answer),
    });
    answer.map_or_else(failed, read)
}

fn describe(resource: &Resource, custom: &Custom) -> Described {
    let scale = custom.version().scale.as_ref();
    let description = json!({
        "kind": resource.kind,
        "apiVersion": resource.api_version(),
        "namespaced": resource.namespaced,
        "scale": scale.map(|scale| json!([scale.spec, scale.status, scale.selector])),
        "schema": custom.schema(),
    });
    Described { digest: base64::encode_url(Sha256::digest(to_json(&description))), description }
}

/// A version of a definition that was read.
struct Known {
    kind: String,
    api_version: String,
    namespaced: bool,
    scale: Option<Scale>,
    schema: Structural,
    rules: Compiled,
}

/// The definitions that were read, by their digests, the newest last. They say what is in their digests and nothing
/// else, so that nobody can tell whether one is kept but by the time that an answer takes.
static KNOWN: Mutex<Vec<(String, Arc<Known>)>> = Mutex::new(Vec::new());

/// Answers the question `custom DIGEST`; with `null`, if it has to be told of the definition. `None` if it is no question.
pub(crate) fn answer(digest: &str, asked: &Value) -> Option<Value> {
    let (change, description) = change(asked)?;
    let mut all = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let found = all.iter().find(|(known, _)| known == digest).map(|(_, known)| Arc::clone(known));
    let known = match found {
        Some(known) => known,
        None if description.is_null() => return Some(Value::Null),
        None => {
            let known = Arc::new(know(description));
            if all.len() == MOST {
                all.remove(0);
            }
            all.push((digest.to_owned(), Arc::clone(&known)));
            known
        }
    };
    drop(all);
    let subject = Subject {
        kind: &known.kind,
        api_version: &known.api_version,
        namespaced: known.namespaced,
        scale: known.scale.as_ref(),
        schema: &known.schema,
        rules: &known.rules,
    };
    Some(show(subject.judge(&change)))
}

fn know(description: &Value) -> Known {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let scale = &description["scale"];
    let scale = scale.is_array().then(|| Scale {
        spec: text(&scale[0]),
        status: text(&scale[1]),
        selector: scale[2].as_str().map(str::to_owned),
    });
    let schema = Structural::parse(&description["schema"]);
    Known {
        kind: text(&description["kind"]),
        api_version: text(&description["apiVersion"]),
        namespaced: description["namespaced"] == true,
        scale,
        rules: compile(&schema),
        schema,
    }
}
