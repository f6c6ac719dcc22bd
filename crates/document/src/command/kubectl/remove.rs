//! `kubectl delete`

use json_tree::{Value, json};

use super::call::{Call, How, Stop, Target, says};
use crate::command::print;
use crate::command::shell::Shell;
use crate::message::JSON;

/// Begins to delete.
pub(super) fn begin(call: &mut Call<'_>) -> Result<(), Stop> {
    let line = call.line;
    let grace = if line.is("--now") { Some("1") } else { line.flag("--grace-period") };
    let grace = grace.and_then(|grace| grace.parse::<i64>().ok()).filter(|grace| *grace >= 0);
    let is_forced = line.is("--force");
    let grace = if is_forced { Some(grace.unwrap_or(0)) } else { grace };
    let policy = match line.flag("--cascade").unwrap_or("background") {
        "true" | "background" => "Background",
        "orphan" | "false" => "Orphan",
        "foreground" => "Foreground",
        other => {
            return says(format!(
                "error: invalid cascade value ({other}). Must be \"background\", \"foreground\", or \"orphan\""
            ));
        }
    };
    let mut options = json!({});
    if let Some(map) = options.as_object_mut() {
        map.extend(grace.map(|grace| ("gracePeriodSeconds".to_owned(), Value::from(grace))));
        map.insert("propagationPolicy".to_owned(), policy.into());
        map.extend((call.how.dry_run == "server").then(|| ("dryRun".to_owned(), json!(["All"]))));
    }
    let ignores = line.is("--ignore-not-found") || line.is("--all");
    let delete = Delete { options: options.to_string(), is_forced: grace == Some(0), ignores };
    if let Some(path) = line.flag("--raw") {
        let mut request = call.how.request("DELETE", path, &[]);
        if let Some(object) = call.objects.first() {
            request = request.carrying(JSON, print::json(object));
        }
        call.shell.send(request, |shell, reply| match reply.status {
            ..300 => shell.text(&reply.text()),
            _ => reply.object().err().iter().for_each(|failure| shell.refused(failure, "")),
        });
        return Ok(());
    }
    if is_forced {
        call.shell.line("Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.");
    }
    if line.flag("--filename").is_some() {
        for (target, _) in call.placed_all()? {
            delete.send(&mut call.shell, &call.how, &target);
        }
        return Ok(());
    }
    let selects =
        line.is("--all") || line.flag("--selector").is_some() || line.flag("--field-selector").is_some();
    for target in call.named(call.words(1))? {
        if !target.name.is_empty() {
            delete.send(&mut call.shell, &call.how, &target);
            continue;
        }
        if !selects {
            return says("error: resource(s) were provided, but no name was specified");
        }
        let (how, delete) = (call.how.clone(), delete.clone());
        call.shell.send(
            how.request("GET", &target.path(), &call.selection()),
            move |shell, reply| match reply.object() {
                Ok(list) => {
                    let items = crate::command::objects(list);
                    shell.gathered.extend(items.iter().cloned());
                    items.iter().for_each(|item| delete.send(shell, &how, &target.of(item)));
                }
                Err(failure) => shell.refused(&failure, ""),
            },
        );
        call.shell.finish = Some(Box::new(|shell| {
            if shell.gathered.is_empty() && shell.is_silent() {
                shell.line("No resources found");
            }
        }));
    }
    Ok(())
}

#[derive(Clone)]
struct Delete {
    options: String,
    is_forced: bool,
    ignores: bool,
}

impl Delete {
    fn send(&self, shell: &mut Shell, how: &How, target: &Target) {
        let outcome = self.outcome(how, target);
        if how.dry_run == "client" {
            return shell.line(&outcome);
        }
        let request = how.request("DELETE", &target.path(), &[]).carrying(JSON, self.options.clone());
        let (ignores, doing) = (self.ignores, how.doing("deleting"));
        shell.send(request, move |shell, reply| match reply.object() {
            Ok(_) => shell.line(&outcome),
            Err(failure) if failure.code == 404 && ignores => {}
            Err(failure) => shell.refused(&failure, &doing),
        });
    }

    fn outcome(&self, how: &How, target: &Target) -> String {
        if how.output == "name" {
            return target.printed();
        }
        let (kind, name, suffix) = (target.kind.printed(), &target.name, how.suffix());
        let force = if self.is_forced { "force " } else { "" };
        let from = if target.kind.namespaced {
            format!(" from {} namespace", target.namespace)
        } else {
            String::new()
        };
        format!("{kind} {name:?} {force}deleted{from}{suffix}")
    }
}
