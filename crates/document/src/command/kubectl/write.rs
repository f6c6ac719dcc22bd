//! `kubectl apply`, `kubectl create -f` and `kubectl replace`

use json_tree::{Map, Value, json};

use super::call::{Call, How, Stop, Target, says};
use crate::command::shell::{Reply, Shell};
use crate::command::{merge, print};
use crate::message::JSON;

const APPLY: &str = "application/apply-patch+yaml";
const STRATEGIC: &str = "application/strategic-merge-patch+json";
const MERGE: &str = "application/merge-patch+json";
/// The annotation with what was applied last.
pub(super) const LAST: &str = "kubectl.kubernetes.io/last-applied-configuration";
const CLIENT_SIDE: &str = "kubectl-client-side-apply";

/// The text that kubectl adds to a conflict of Server-Side Apply.
const REVIEW: &str = "Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the `--force-conflicts` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts";

/// Begins to apply manifests.
pub(super) fn apply(call: &mut Call<'_>) -> Result<(), Stop> {
    let line = call.line;
    let is_server_side = line.is("--server-side");
    if line.is("--force-conflicts") && !is_server_side {
        return says("error: --force-conflicts only works with --server-side");
    }
    if is_server_side && call.how.dry_run == "client" {
        return says(
            "error: --dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)",
        );
    }
    let is_forced = line.is("--force-conflicts");
    for (target, object) in call.placed_all()? {
        if target.name.is_empty() {
            let begin = object["metadata"]["generateName"].as_str().unwrap_or_default();
            return says(match begin {
                "" => "error: resource name may not be empty".to_owned(),
                begin => format!("error: from {begin}: cannot use generate name with apply"),
            });
        }
        let how = call.how.clone();
        if is_server_side {
            server_side(&mut call.shell, how, target, &object, is_forced);
        } else {
            call.shell.send(how.request("GET", &target.path(), &[]), move |shell, reply| {
                client_side(shell, how, target, &object, reply)
            });
        }
    }
    Ok(())
}

fn server_side(shell: &mut Shell, how: How, target: Target, object: &Value, is_forced: bool) {
    let mut request = how.writing("PATCH", &target.path(), "kubectl", true);
    let force = if is_forced { "true" } else { "false" };
    request.target = apimachinery::target::with(&request.target, &[("force", Some(force))]);
    shell.send(request.carrying(APPLY, print::json(object)), move |shell, reply| match reply.object() {
        Ok(now) => how.done(shell, &target, "serverside-applied", &now),
        Err(failure) if failure.status["reason"] == "Conflict" => {
            let message = failure.status["message"].as_str().unwrap_or_default();
            shell.fail(&["error: ", message, "\n", REVIEW].concat());
        }
        Err(failure) => shell.refused(&failure, ""),
    });
}

/// Returns an object with what it is in the annotation of what was applied last.
pub(super) fn annotated(object: &Value) -> Value {
    let mut object = object.clone();
    if !object["metadata"].is_object() {
        return object;
    }
    set(&mut object, None);
    let text = print::json(&object) + "\n";
    set(&mut object, Some(text));
    object
}

fn set(object: &mut Value, text: Option<String>) {
    let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else { return };
    if !metadata.get("annotations").is_some_and(Value::is_object) {
        metadata.insert("annotations".to_owned(), Value::Object(Map::new()));
    }
    let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) else { return };
    match text {
        Some(text) => drop(annotations.insert(LAST.to_owned(), Value::from(text))),
        None => drop(annotations.shift_remove(LAST)),
    }
}

fn client_side(shell: &mut Shell, how: How, target: Target, object: &Value, reply: Reply) {
    let modified = annotated(object);
    let current = match reply.object() {
        Ok(current) => current,
        Err(failure) if failure.code == 404 => {
            return post(shell, how, target, &modified, CLIENT_SIDE);
        }
        Err(failure) => {
            let doing = how.doing(
                &["retrieving current configuration of:\n", &told(&target), "\nfrom server for:"].concat(),
            );
            // The file is named behind what is told of the object.
            return shell.refused(&failure, &doing);
        }
    };
    let original = current["metadata"]["annotations"][LAST].as_str();
    if original.is_none() {
        shell.line(&format!(
            "Warning: resource {}/{} is missing the {LAST} annotation which is required by kubectl apply. kubectl apply should only be used on resources created declaratively by either kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically.",
            target.kind.resource, target.name
        ));
    }
    let original = original.and_then(|text| serde_json::from_str(text).ok()).unwrap_or(Value::Null);
    let (patch, media) = match merge::type_of(&target.kind) {
        Some(ty) => (merge::strategic(ty, &original, &modified, &current), STRATEGIC),
        None => (merge::plain(&original, &modified, &current), MERGE),
    };
    if patch.as_object().is_none_or(Map::is_empty) {
        return how.done(shell, &target, "unchanged", &current);
    }
    if how.dry_run == "client" {
        return how.done(shell, &target, "configured", &modified);
    }
    let text = print::json(&patch);
    let doing = how.doing(&["applying patch:\n", &text, "\nto:\n", &told(&target), "\nfor:"].concat());
    let request = how.writing("PATCH", &target.path(), CLIENT_SIDE, true).carrying(media, text);
    shell.send(request, move |shell, reply| match reply.object() {
        Ok(now) => how.done(shell, &target, "configured", &now),
        Err(failure) => shell.refused(&failure, &doing),
    });
}

/// Returns how kubectl describes an object in errors.
fn told(target: &Target) -> String {
    let (group, version) = (&target.kind.group, &target.kind.version);
    let prefix = [group, "/", version].concat();
    format!(
        "Resource: \"{prefix}, Resource={}\", GroupVersionKind: \"{prefix}, Kind={}\"\nName: {:?}, Namespace: {:?}",
        target.kind.resource, target.kind.kind, target.name, target.namespace
    )
}

/// Creates an object, and prints that it was.
pub(super) fn post(shell: &mut Shell, how: How, target: Target, object: &Value, manager: &str) {
    posted(shell, how, target, object, manager, "created");
}

/// Creates an object, and prints an outcome.
pub(super) fn posted(
    shell: &mut Shell,
    how: How,
    mut target: Target,
    object: &Value,
    manager: &str,
    outcome: &'static str,
) {
    if how.dry_run == "client" {
        return how.done(shell, &target, outcome, object);
    }
    let validates = matches!(manager, CLIENT_SIDE | "kubectl-create");
    let request =
        how.writing("POST", &target.collection(), manager, validates).carrying(JSON, print::json(object));
    shell.send(request, move |shell, reply| match reply.object() {
        Ok(now) => {
            if let (true, Some(name)) = (target.name.is_empty(), now["metadata"]["name"].as_str()) {
                name.clone_into(&mut target.name);
            }
            how.done(shell, &target, outcome, &now);
        }
        Err(failure) => shell.refused(&failure, &how.doing("creating")),
    });
}

/// Sends a manifest to a path, as it is.
pub(super) fn raw(call: &mut Call<'_>, method: &str, path: &str) -> Result<(), Stop> {
    let Some(object) = call.objects.first() else {
        return says("error: --raw can only use a single local file or stdin");
    };
    let request = call.how.request(method, path, &[]).carrying(JSON, print::json(object));
    call.shell.send(request, |shell, reply| match reply.status {
        ..300 => shell.text(&reply.text()),
        _ => reply.object().err().iter().for_each(|failure| shell.refused(failure, "")),
    });
    Ok(())
}

/// Begins to replace objects.
pub(super) fn replace(call: &mut Call<'_>) -> Result<(), Stop> {
    if let Some(path) = call.line.flag("--raw") {
        return raw(call, "PUT", path);
    }
    let (is_forced, saves) = (call.line.is("--force"), call.line.is("--save-config"));
    for (target, object) in call.placed_all()? {
        let object = if saves { annotated(&object) } else { object };
        let how = call.how.clone();
        if is_forced {
            let options = json!({"propagationPolicy": "Background"}).to_string();
            let request = how.request("DELETE", &target.path(), &[]).carrying(JSON, options);
            call.shell.send(request, move |shell, reply| match reply.object() {
                Err(failure) if failure.code != 404 => shell.refused(&failure, ""),
                deleted => {
                    if deleted.is_ok() {
                        shell.line(&format!("{} {:?} deleted", target.kind.printed(), target.name));
                    }
                    posted(shell, how, target, &object, "kubectl-replace", "replaced");
                }
            });
        } else if how.dry_run == "client" {
            how.done(&mut call.shell, &target, "replaced", &object);
        } else if object["metadata"]["resourceVersion"].is_null() {
            // Without a version of its own it replaces that which is there.
            call.shell.send(how.request("GET", &target.path(), &[]), move |shell, reply| {
                match reply.object() {
                    Ok(current) => {
                        let mut object = object;
                        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
                            metadata.insert(
                                "resourceVersion".to_owned(),
                                current["metadata"]["resourceVersion"].clone(),
                            );
                        }
                        put(shell, how, target, &object);
                    }
                    Err(failure) => shell.refused(&failure, &how.doing("replacing")),
                }
            });
        } else {
            put(&mut call.shell, how, target, &object);
        }
    }
    Ok(())
}

fn put(shell: &mut Shell, how: How, target: Target, object: &Value) {
    let request =
        how.writing("PUT", &target.path(), "kubectl-replace", true).carrying(JSON, print::json(object));
    shell.send(request, move |shell, reply| match reply.object() {
        Ok(now) => how.done(shell, &target, "replaced", &now),
        Err(failure) => shell.refused(&failure, &how.doing("replacing")),
    });
}
