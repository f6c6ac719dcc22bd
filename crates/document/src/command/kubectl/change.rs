//! `kubectl patch`, `kubectl label`, `kubectl annotate` and `kubectl scale`

use json_tree::{Map, Value, json};

use super::call::{Call, How, Stop, Target, says};
use crate::command::print;
use crate::command::shell::Shell;
use crate::message::JSON;

pub(super) const STRATEGIC: &str = "application/strategic-merge-patch+json";
const MERGE: &str = "application/merge-patch+json";

/// Sends a patch of an object, and prints an outcome.
pub(super) fn send(
    shell: &mut Shell,
    how: &How,
    target: &Target,
    patch: &Value,
    by: (&'static str, &str),
    outcome: &str,
) {
    let (media, manager) = by;
    let request = how.writing("PATCH", &target.path(), manager, false).carrying(media, print::json(patch));
    let (how, target, outcome) = (how.clone(), target.clone(), outcome.to_owned());
    shell.send(request, move |shell, reply| match reply.object() {
        Ok(now) => how.done(shell, &target, &outcome, &now),
        Err(failure) => shell.refused(&failure, ""),
    });
}

/// Begins to patch objects.
pub(super) fn patch(call: &mut Call<'_>) -> Result<(), Stop> {
    let media = match call.line.flag("--type").unwrap_or("strategic") {
        "strategic" => STRATEGIC,
        "merge" => MERGE,
        "json" => "application/json-patch+json",
        other => return says(format!("error: --type must be one of [json merge strategic], not {other:?}")),
    };
    let given = call.line.flag("--patch").and_then(|text| serde_json::from_str(text).ok());
    // A patch in YAML is the last of the manifests.
    let of_manifest = call.line.flag("--patch").is_some() || call.line.flag("--patch-file").is_some();
    let given = given.or_else(|| if of_manifest { call.objects.pop() } else { None });
    let Some(patch) = given else {
        return says("error: must specify --patch or --patch-file containing the contents of the patch");
    };
    let subresource = call.line.flag("--subresource").map(|name| ["/", name].concat()).unwrap_or_default();
    let body = print::json(&patch);
    let path_of = subresource.clone();
    call.each(call.words(1), &subresource, move |shell, how, target, before| {
        if how.dry_run == "client" {
            return how.done(shell, target, "patched", &before);
        }
        let path = [target.path(), path_of.clone()].concat();
        let request = how.writing("PATCH", &path, "kubectl-patch", false).carrying(media, body.clone());
        let (how, target) = (how.clone(), target.clone());
        shell.send(request, move |shell, reply| match reply.object() {
            Ok(now) => {
                how.done(shell, &target, if now == before { "patched (no change)" } else { "patched" }, &now)
            }
            Err(failure) => shell.refused(&failure, ""),
        });
    })
}

/// Splits words into what they name, pairs to be set, and keys to be removed.
fn pairs(words: &[String]) -> (Vec<String>, Vec<(String, String)>, Vec<String>) {
    let is_pair = |word: &String| word.contains('=') || word.ends_with('-');
    let at = words.iter().position(is_pair).unwrap_or(words.len());
    let (names, rest) = words.split_at_checked(at).unwrap_or((words, &[]));
    let (mut set, mut removed) = (Vec::new(), Vec::new());
    for word in rest {
        match word.split_once('=') {
            Some((key, value)) => set.push((key.to_owned(), value.to_owned())),
            None => removed.push(word.strip_suffix('-').unwrap_or(word).to_owned()),
        }
    }
    (names.to_vec(), set, removed)
}

/// Begins to label objects.
pub(super) fn label(call: &mut Call<'_>) -> Result<(), Stop> {
    mark(call, "labels")
}

/// Begins to annotate objects.
pub(super) fn annotate(call: &mut Call<'_>) -> Result<(), Stop> {
    mark(call, "annotations")
}

/// Begins to change a map of the metadata of objects.
fn mark(call: &mut Call<'_>, map: &'static str) -> Result<(), Stop> {
    let is_label = map == "labels";
    let (names, set, removed) = pairs(call.words(1));
    let overwrites = call.line.is("--overwrite");
    if is_label && call.line.is("--list") {
        return Err(Stop::Refused(
            "`--list` does not run here: `kubectl get --show-labels` does.".to_owned(),
        ));
    }
    if set.is_empty() && removed.is_empty() {
        return says(format!("error: at least one {} update is required", map.trim_end_matches('s')));
    }
    call.each(&names, "", move |shell, how, target, object| {
        let before = &object["metadata"][map];
        let taken = set.iter().filter_map(|(key, value)| {
            let old = before[key.as_str()].as_str().filter(|old| !overwrites && old != value)?;
            Some(format!("'{key}' already has a value ({old})"))
        });
        let taken: Vec<String> = taken.collect();
        if !taken.is_empty() {
            let taken = taken.join("; ");
            return shell.fail(&match is_label {
                true => format!("error: {taken}, and --overwrite is false"),
                false => format!(
                    "error: --overwrite is false but found the following declared annotation(s): {taken}"
                ),
            });
        }
        let mut changed = Map::new();
        let (mut adds, mut removes) = (false, false);
        for (key, value) in set.iter().filter(|(key, value)| before[key.as_str()] != *value) {
            adds = true;
            changed.insert(key.clone(), Value::from(value.as_str()));
        }
        for key in &removed {
            if before[key.as_str()].is_null() {
                if is_label {
                    shell.line(&format!("label {key:?} not found."));
                }
            } else {
                removes = true;
                changed.insert(key.clone(), Value::Null);
            }
        }
        let outcome = match (is_label, adds, removes) {
            (false, ..) => "annotated",
            (_, true, _) => "labeled",
            (_, false, true) => "unlabeled",
            _ => "not labeled",
        };
        if how.dry_run == "client" {
            return how.done(shell, target, outcome, &object);
        }
        let patch =
            if changed.is_empty() { json!({}) } else { json!({"metadata": {map: Value::Object(changed)}}) };
        let manager = if is_label { "kubectl-label" } else { "kubectl-annotate" };
        send(shell, how, target, &patch, (MERGE, manager), outcome);
    })
}

/// Begins to scale objects.
pub(super) fn scale(call: &mut Call<'_>) -> Result<(), Stop> {
    let Some(replicas) = call.line.flag("--replicas").and_then(|count| count.parse::<u32>().ok()) else {
        return says(
            "error: The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0",
        );
    };
    let expected = call
        .line
        .flag("--current-replicas")
        .and_then(|count| count.parse::<i64>().ok())
        .filter(|count| *count >= 0);
    let version = call.line.flag("--resource-version").map(str::to_owned);
    call.each(call.words(1), "", move |shell, how, target, object| {
        if how.dry_run == "client" {
            return how.done(shell, target, "scaled", &object);
        }
        let path = target.path() + "/scale";
        if expected.is_none() && version.is_none() {
            let patch = json!({"spec": {"replicas": replicas}}).to_string();
            let request = how.writing("PATCH", &path, "", false).carrying(MERGE, patch);
            let (how, target) = (how.clone(), target.clone());
            return shell.send(request, move |shell, reply| match reply.object() {
                Ok(now) => how.done(shell, &target, "scaled", &now),
                Err(failure) => shell.refused(&failure, ""),
            });
        }
        let (how, target, version) = (how.clone(), target.clone(), version.clone());
        shell.send(how.request("GET", &path, &[]), move |shell, reply| {
            let mut scale = match reply.object() {
                Ok(scale) => scale,
                Err(failure) => return shell.refused(&failure, ""),
            };
            let now = scale["spec"]["replicas"].as_i64().unwrap_or_default();
            if let Some(expected) = expected.filter(|expected| *expected != now) {
                return shell.fail(&format!("error: Expected replicas to be {expected}, was {now}"));
            }
            let own = scale["metadata"]["resourceVersion"].as_str().unwrap_or_default();
            if let Some(version) = version.filter(|version| version != own) {
                return shell.fail(&format!("error: Expected resource version to be {version}, was {own}"));
            }
            if let Some(spec) = scale.get_mut("spec").and_then(Value::as_object_mut) {
                spec.insert("replicas".to_owned(), Value::from(replicas));
            }
            let request = how.writing("PUT", &path, "", false).carrying(JSON, print::json(&scale));
            shell.send(request, move |shell, reply| match reply.object() {
                Ok(now) => how.done(shell, &target, "scaled", &now),
                Err(failure) => shell.refused(&failure, ""),
            });
        });
    })
}
