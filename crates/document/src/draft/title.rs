//! The headings of a draft: what a request does, in a few words.

use apimachinery::{Place, target};

use super::Done;
use super::words::{Words, filled};
use crate::kinds::Kinds;
use crate::lesson::Change;

/// The media types of Server-Side Apply.
const APPLY: &str = "application/apply-patch+";

/// Returns whether a request is a Server-Side Apply.
///
/// <https://kubernetes.io/docs/reference/using-api/server-side-apply/>
pub(super) fn applies(done: &Done) -> bool {
    done.request.method == "PATCH"
        && done.request.header("Content-Type").is_some_and(|content_type| content_type.starts_with(APPLY))
}

/// Returns the heading of a step: what is to be done.
pub(super) fn of_step(done: &Done, words: &Words) -> String {
    let heading = action(done, words);
    if done.request.param("dryRun").is_some() { filled(words.dry_run, &[&heading]) } else { heading }
}

/// Returns the heading of an example: what it does, and that it is refused if it is.
pub(super) fn of_example(done: &Done, words: &Words) -> String {
    let heading = of_step(done, words);
    match &done.came {
        Some(came) if came.status >= 400 => filled(words.ends, &[&heading, &status(done)]),
        _ => heading,
    }
}

/// Returns the status of the response as it is told: `409 Conflict`; empty if it is not known.
pub(super) fn status(done: &Done) -> String {
    let status = |came: &super::Came| format!("{} {}", came.status, came.reason);
    done.came.as_ref().map(status).unwrap_or_default().trim_end().to_owned()
}

/// Returns what a request does.
fn action(done: &Done, words: &Words) -> String {
    let path = done.request.path();
    let other = || filled(words.send, &[&[&done.request.method, " ", path].concat()]);
    let Some(place) = Place::of(path) else { return other() };
    let is_collection = place.name.is_empty();
    let phrase = match done.request.method.as_str() {
        "GET" if done.request.watches() => return filled(words.watch, &[place.resource]),
        "GET" if is_collection => return filled(words.list, &[place.resource]),
        "DELETE" if is_collection => return filled(words.delete_all, &[place.resource]),
        "POST" => words.create,
        "GET" => words.read,
        "PUT" => words.replace,
        "PATCH" if applies(done) => words.apply,
        "PATCH" => words.patch,
        "DELETE" => words.delete,
        _ => return other(),
    };
    filled(phrase, &[&what(done, place, words)])
}

/// Returns what a request is about: an object, or a part of one.
fn what(done: &Done, place: Place<'_>, words: &Words) -> String {
    let kind = kind(done, place);
    let name = match place.name {
        "" => name(done),
        name => target::decoded(name),
    };
    let object = match &*name {
        "" if is_generated(done) => with_article(filled(words.unnamed, &[&kind])),
        "" => with_article(filled(words.nameless, &[&kind])),
        name => filled(words.object, &[&kind, name]),
    };
    match place.subresource {
        "" => object,
        part => filled(words.part, &[part, &object]),
    }
}

/// Returns a phrase that begins with "a" with "an" where that is to be said.
fn with_article(phrase: String) -> String {
    match phrase.strip_prefix("a ") {
        Some(rest) if rest.starts_with(['A', 'E', 'I', 'O']) => ["an ", rest].concat(),
        _ => phrase,
    }
}

/// Returns whether the server makes the name of the object that a POST creates.
fn is_generated(done: &Done) -> bool {
    done.sent["metadata"]["generateName"].as_str().is_some_and(|begin| !begin.is_empty())
}

/// Returns the kind of a request's object; the plural name of its resource if that is not known.
fn kind(done: &Done, place: Place<'_>) -> String {
    let kinds = Kinds::default();
    if let Some(kind) = kinds.at(&place) {
        return kind.kind.clone();
    }
    // The body of a subresource is something else.
    let sent = done.sent["kind"].as_str().filter(|_| place.subresource.is_empty());
    sent.filter(|kind| !kind.is_empty()).unwrap_or(place.resource).to_owned()
}

/// Returns the name of the object that a POST makes; empty if the server makes the name, or if there is none.
pub(super) fn name(done: &Done) -> String {
    let sent = done.sent["metadata"]["name"].as_str().unwrap_or_default();
    if !sent.is_empty() || is_generated(done) {
        return sent.to_owned();
    }
    let added = done.wrote.iter().find(|wrote| wrote.write.change == Change::Added);
    added.map(|wrote| wrote.write.name.clone()).unwrap_or_default()
}
