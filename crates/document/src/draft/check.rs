//! The steps of a drafted lesson: what is to be done, a hint, and a check that looks at what was done and at the cluster.

use std::fmt::Write;

use apimachinery::{Place, target};
use json_tree::Value;

use super::fields::{self, Field, text};
use super::title::{self, applies};
use super::words::{Words, filled};
use super::{Done, Wrote, fenced, request};
use crate::lesson::Change;
use crate::message::JSON;

/// The most fields of an object that a check looks at.
const MOST: usize = 6;

/// The longest value that a task shows, in characters.
const LONGEST: usize = 80;

/// The parameters of a query by which requests differ in what they do, and whose values count.
const PARAMS: [&str; 12] = [
    "allowWatchBookmarks",
    "dryRun",
    "fieldSelector",
    "force",
    "gracePeriodSeconds",
    "ignoreStoreReadErrorWithClusterBreakingPotential",
    "labelSelector",
    "limit",
    "orphanDependents",
    "propagationPolicy",
    "resourceVersionMatch",
    "sendInitialEvents",
];
/// Those whose values are other ones each time.
const GIVEN: [&str; 3] = ["continue", "resourceVersion", "watch"];

/// Something that a check expects.
struct Expectation {
    expression: String,
    tell: String,
}

/// Writes a step: the task, a hint, the check, an attempt that it refuses if there is one, and the solution.
pub(super) fn step(out: &mut String, done: &Done, words: &Words) {
    let heading = title::of_step(done, words);
    let status = title::status(done);
    let is_refused = done.came.as_ref().is_some_and(|came| came.status >= 400);
    // What the server says is asked first.
    let task = match &*status {
        status if !status.is_empty() && !is_refused => filled(words.task, &[&heading, status]),
        _ => filled(words.task_alone, &[&heading]),
    };
    let _ = write!(out, "\n## {heading}\n\n{task}\n");
    let object = object(done);
    if let Some(object) = object.as_ref().filter(|object| !object.fields.is_empty()) {
        out.push('\n');
        for field in &object.fields {
            let line = match &field.value {
                Some(value) => filled(words.field, &[&field.name(), &shown(value)]),
                None => filled(words.no_field, &[&field.name()]),
            };
            out.extend([&line, "\n"]);
        }
    }
    if is_refused {
        fenced(out, "question", &question(done, &status, words));
    }
    let line = [&done.request.method, " ", &done.request.target].concat();
    fenced(out, "hint", &filled(words.hint, &[&line]));
    fenced(out, "check", &check(done, object.as_ref(), &status, words));
    if object.is_some() && done.request.param("dryRun").is_none() {
        let mut attempt = done.request.clone();
        attempt.target = target::with(&attempt.target, &[("dryRun", Some("All"))]);
        fenced(out, "http wrong", &request(&attempt));
    }
    fenced(out, "http solution", &request(&done.request));
}

/// Returns a value for people.
fn shown(value: &Value) -> String {
    let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let shown = shown.replace('`', "'").replace('\n', " ");
    match shown.char_indices().nth(LONGEST) {
        Some((end, _)) => [&shown[..end], "…"].concat(),
        None => shown,
    }
}

/// Returns the question of a step that the server refuses.
fn question(done: &Done, status: &str, words: &Words) -> String {
    let body = done.came.as_ref().and_then(|came| came.bodies.first());
    let body: Value = body.and_then(|body| serde_json::from_slice(body).ok()).unwrap_or_default();
    let message = body["message"].as_str().unwrap_or_default().replace('\n', " ");
    format!("{}\n- [ ] {}\n- [x] {status}\n{message}", words.asked, words.succeeds)
}

/// The object of a step, as it is afterwards.
struct Object<'d> {
    /// The path to read it by; `None` if its name is another one each time.
    path: Option<String>,
    wrote: &'d Wrote,
    /// The fields that the check looks at.
    fields: Vec<Field>,
}

/// Returns the object that a request has written; `None` if it has written none.
fn object(done: &Done) -> Option<Object<'_>> {
    let place = Place::of(done.request.path())?;
    let is_own =
        |wrote: &&Wrote| wrote.write.group == place.group() && wrote.write.resource == place.resource;
    // An object that is deleted with a finalizer is changed first. Of what is deleted with a collection the first stands for all.
    let wrote = done.wrote.iter().rfind(is_own).or_else(|| done.wrote.last())?;
    let write = &wrote.write;
    let is_named = !place.name.is_empty() || !title::name(done).is_empty();
    let path = is_named.then(|| path(place, wrote));
    let mut fields = match write.change {
        Change::Deleted => Vec::new(),
        // A subresource has other fields than its object.
        Change::Added if place.subresource.is_empty() && !done.sent.is_null() => {
            fields::sent(&done.sent, &wrote.after)
        }
        Change::Added => Vec::new(),
        Change::Modified => fields::changed(&wrote.before, &wrote.after),
    };
    fields.truncate(MOST);
    Some(Object { path, wrote, fields })
}

/// Returns the path of an object.
fn path(place: Place<'_>, wrote: &Wrote) -> String {
    let write = &wrote.write;
    if (place.group(), place.resource) == (write.group.as_str(), write.resource.as_str()) {
        return Place { namespace: &write.namespace, ..place }.object(&target::segment(&write.name));
    }
    let kinds = crate::kinds::Kinds::default();
    let found = kinds.all().iter().find(|kind| kind.group == write.group && kind.resource == write.resource);
    let name = target::segment(&write.name);
    found.map(|kind| [&kind.path(&write.namespace), "/", &name].concat()).unwrap_or_default()
}

/// Returns the check of a step.
fn check(done: &Done, object: Option<&Object<'_>>, status: &str, words: &Words) -> String {
    let mut all = vec![exchanged(done, status, words)];
    let mut out = String::new();
    if let Some(object) = object {
        if let Some(path) = object.path.as_ref().filter(|path| !path.is_empty()) {
            let _ = writeln!(out, "objects: [{}]", Value::from(path.as_str()));
            all.extend(stands(object, words));
        } else {
            all.push(written(done, object, words));
        }
    }
    out.push_str("expect:\n");
    for Expectation { expression, tell } in all {
        let _ = write!(out, "- expect: |-\n    {expression}\n  tell: {}\n", Value::from(tell));
    }
    out
}

/// Returns what is expected of the exchanges: one like that of the draft.
fn exchanged(done: &Done, status: &str, words: &Words) -> Expectation {
    let request = &done.request;
    let (path, params) = target::split(&request.target);
    let mut parts =
        vec![format!("e.method == {}", text(&request.method)), format!("e.path == {}", text(&path))];
    for (name, value) in &params {
        if PARAMS.contains(&name.as_str()) || name == "fieldManager" && applies(done) {
            parts.push(format!("e.query[{}] == {}", text(name), text(value)));
        } else if GIVEN.contains(&name.as_str()) {
            parts.push(format!("{} in e.query", text(name)));
        }
    }
    // What is only tried is something else.
    if request.method != "GET" && request.param("dryRun").is_none() {
        parts.push("!('dryRun' in e.query)".to_owned());
    }
    let header = |name: &str| request.header(name).map(str::trim).filter(|value| !value.is_empty());
    if request.method == "PATCH"
        && let Some(content_type) = header("Content-Type")
    {
        let sort = content_type.split([';', '+']).next().unwrap_or_default().trim();
        parts.push(format!("e.headers['content-type'].startsWith({})", text(sort)));
    }
    if let Some(accept) = header("Accept").filter(|accept| !matches!(*accept, JSON | "*/*")) {
        let first = accept.split(',').next().unwrap_or_default();
        let named = first.split(';').map(str::trim).find(|part| part.starts_with("as="));
        parts.push(format!("e.headers.accept.contains({})", text(named.unwrap_or_else(|| first.trim()))));
    }
    if let Some(user) = header("Impersonate-User") {
        parts.push(format!("e.headers['impersonate-user'] == {}", text(user)));
    }
    if let Some(came) = &done.came {
        parts.push(format!("e.status == {}", came.status));
        let reason = came.bodies.first().filter(|_| came.status >= 400);
        let reason: Value = reason.and_then(|body| serde_json::from_slice(body).ok()).unwrap_or_default();
        if let Some(reason) = reason["reason"].as_str().filter(|reason| !reason.is_empty()) {
            parts.push(format!("e.response.reason == {}", text(reason)));
        }
    }
    let line = [&request.method, " ", &path].concat();
    Expectation {
        expression: format!("exchanges.exists(e, {})", parts.join(" && ")),
        tell: filled(words.not_sent, &[&line, status]),
    }
}

/// Returns what is expected of the object that the check reads.
fn stands(object: &Object<'_>, words: &Words) -> Vec<Expectation> {
    const OBJECT: &str = "objects[0]";
    let name = object.wrote.write.name.as_str();
    if object.wrote.write.change == Change::Deleted {
        return vec![Expectation {
            expression: [OBJECT, " == null"].concat(),
            tell: filled(words.still_there, &[name]),
        }];
    }
    let there =
        Expectation { expression: [OBJECT, " != null"].concat(), tell: filled(words.not_there, &[name]) };
    let goes = object.wrote.after.pointer("/metadata/deletionTimestamp").is_some();
    let going = goes.then(|| Expectation {
        expression: ["has(", OBJECT, ".metadata.deletionTimestamp)"].concat(),
        tell: filled(words.other_fields, &[name, "metadata.deletionTimestamp"]),
    });
    let fields = object.fields.iter().map(|field| Expectation {
        expression: field.expression(OBJECT),
        tell: filled(words.other_fields, &[name, &field.name()]),
    });
    [there].into_iter().chain(going).chain(fields).collect()
}

/// Returns what is expected of the cluster's writes, where the name of the object is another one each time.
fn written(done: &Done, object: &Object<'_>, words: &Words) -> Expectation {
    let write = &object.wrote.write;
    let begin = done.sent["metadata"]["generateName"].as_str().unwrap_or_default();
    let mut parts = vec![
        format!("w.type == {}", text(write.change.name())),
        format!("w.group == {}", text(&write.group)),
        format!("w.resource == {}", text(&write.resource)),
        format!("w['namespace'] == {}", text(&write.namespace)),
    ];
    if !begin.is_empty() {
        parts.push(format!("w.name.startsWith({})", text(begin)));
    }
    let tell = if write.change == Change::Deleted { words.still_there } else { words.not_there };
    let named = if begin.is_empty() { &write.resource } else { begin };
    Expectation {
        expression: format!("writes.exists(w, {})", parts.join(" && ")),
        tell: filled(tell, &[named]),
    }
}
