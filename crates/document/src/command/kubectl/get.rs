//! `kubectl get`

use std::sync::Arc;

use json_tree::{Value, json};

use super::call::{Call, How, Stop, Target, says};
use crate::command::print::table;
use crate::command::shell::Shell;
use crate::command::{manifest, print};
use crate::message::{JSON, Request, TABLE};

/// Begins to get.
pub(super) fn begin(call: &mut Call<'_>) -> Result<(), Stop> {
    let line = call.line;
    if let Some(path) = line.flag("--raw") {
        let request = call.how.request("GET", path, &[]);
        call.shell.send(request, |shell, reply| match reply.status {
            ..300 => shell.text(&reply.text()),
            _ => reply.object().err().iter().for_each(|failure| shell.refused(failure, "")),
        });
        return Ok(());
    }
    let targets = match line.flag("--filename") {
        Some(_) => call.placed_all()?.into_iter().map(|(target, _)| target).collect(),
        None => call.named(call.words(1))?,
    };
    let output = call.how.output.as_str();
    let is_table = matches!(output, "" | "wide");
    let several = targets
        .iter()
        .any(|target| target.kind != targets.first().map(|first| first.kind.clone()).unwrap_or_default());
    let subresource = line.flag("--subresource").map(|name| ["/", name].concat()).unwrap_or_default();
    let get = Arc::new(Get {
        is_table,
        is_single: targets.len() == 1 && targets.first().is_some_and(|target| !target.name.is_empty()),
        ignores_missing: line.is("--ignore-not-found"),
        nowhere: match targets.iter().all(|target| target.kind.namespaced) && !line.is("--all-namespaces") {
            true => format!("No resources found in {} namespace.", call.namespace),
            false => "No resources found".to_owned(),
        },
        names_events: line.is("--output-watch-events"),
        shown: table::Shown {
            wide: output == "wide",
            namespace: line.is("--all-namespaces") && targets.iter().any(|target| target.kind.namespaced),
            labels: line.is("--show-labels"),
            label_columns: line
                .all("--label-columns")
                .iter()
                .flat_map(|names| names.split(','))
                .map(str::to_owned)
                .collect(),
            no_headers: line.is("--no-headers"),
            prefix: String::new(),
        },
        has_prefix: several || line.is("--show-kind"),
        how: call.how.clone(),
    });
    let accept = if is_table { TABLE } else { JSON };
    if line.is("--watch") || line.is("--watch-only") {
        let ([target], true) = (targets.as_slice(), subresource.is_empty()) else {
            return says("error: you may only specify a single resource type");
        };
        let name = ["metadata.name=", &target.name].concat();
        let mut params = call.selection();
        if !target.name.is_empty() {
            params.retain(|(known, _)| *known != "fieldSelector");
            params.push(("fieldSelector", Some(&name)));
        }
        let request = call.how.accepting("GET", &target.collection(), &params, accept);
        params.retain(|(known, _)| *known != "limit");
        params.push(("watch", Some("true")));
        let watch = call.how.accepting("GET", &target.collection(), &params, accept);
        get.watch(&mut call.shell, request, watch, target.clone(), line.is("--watch-only"));
        return Ok(());
    }
    for target in targets {
        let is_list = target.name.is_empty();
        let params = if is_list { call.selection() } else { Vec::new() };
        let request =
            call.how.accepting("GET", &[target.path(), subresource.clone()].concat(), &params, accept);
        get.send(&mut call.shell, request, target);
    }
    call.shell.finish = Some(Box::new(move |shell| get.finish(shell)));
    Ok(())
}

/// How what comes is printed.
struct Get {
    is_table: bool,
    is_single: bool,
    ignores_missing: bool,
    nowhere: String,
    names_events: bool,
    shown: table::Shown,
    has_prefix: bool,
    how: How,
}

/// Something that came, and what it was asked for as.
fn noted(target: &Target, got: &Value) -> Value {
    json!({"printed": target.kind.printed(), "got": got})
}

impl Get {
    /// Gets an object or a list, with its further parts, and keeps it.
    fn send(self: &Arc<Self>, shell: &mut Shell, request: Request, target: Target) {
        let (get, again) = (Arc::clone(self), request.clone());
        shell.send(request, move |shell, reply| match reply.object() {
            Ok(got) => {
                let next = got["metadata"]["continue"].as_str().unwrap_or_default().to_owned();
                shell.gathered.push(noted(&target, &got));
                if !next.is_empty() {
                    let target_of = apimachinery::target::with(&again.target, &[("continue", Some(&next))]);
                    get.send(shell, Request { target: target_of, ..again }, target);
                }
            }
            Err(failure) if failure.code == 404 && get.ignores_missing => {}
            Err(failure) => shell.refused(&failure, ""),
        });
    }

    fn finish(&self, shell: &mut Shell) {
        let gathered = std::mem::take(&mut shell.gathered);
        let has_failed = !shell.is_silent();
        if self.is_table {
            let text = self.tables(&gathered);
            if text.is_empty() && !has_failed && !self.ignores_missing {
                shell.line(&self.nowhere);
            }
            shell.text(&text);
            return;
        }
        if gathered.is_empty() && (self.is_single || has_failed) {
            return;
        }
        let mut items = Vec::new();
        for one in gathered {
            let got = &one["got"];
            let is_list =
                got["items"].is_array() && got["kind"].as_str().is_some_and(|kind| kind.ends_with("List"));
            items.extend(if is_list { manifest::objects(got.clone()) } else { vec![got.clone()] });
        }
        let value = match items.as_slice() {
            [one] if self.is_single => one.clone(),
            _ => {
                json!({"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": items})
            }
        };
        self.print(shell, &value);
    }

    fn print(&self, shell: &mut Shell, value: &Value) {
        match print::output(&self.how.output, value, self.how.managed_fields) {
            Ok(text) => shell.text(&text),
            Err(error) => shell.fail(&error),
        }
    }

    /// Prints tables: those of one kind in one, those of several with a line between.
    fn tables(&self, gathered: &[Value]) -> String {
        let mut text = String::new();
        let mut rest = gathered.iter().peekable();
        while let Some(first) = rest.next() {
            let mut cells = self.cells(first, &first["got"]["columnDefinitions"], true);
            while let Some(next) = rest.next_if(|next| next["printed"] == first["printed"]) {
                cells.extend(self.cells(next, &first["got"]["columnDefinitions"], cells.is_empty()));
            }
            if !cells.is_empty() {
                text.push_str(if text.is_empty() { "" } else { "\n" });
                text.push_str(&table::rows(&cells, &mut Vec::new()));
            }
        }
        text
    }

    /// Returns the cells of what came; none if it has no rows.
    fn cells(&self, one: &Value, columns: &Value, headers: bool) -> Vec<Vec<String>> {
        let got = &one["got"];
        let table = if got["kind"] == "Table" { got.clone() } else { plain(got) };
        if table["rows"].as_array().is_none_or(Vec::is_empty) {
            return Vec::new();
        }
        let mut shown = self.shown.clone();
        if self.has_prefix {
            shown.prefix = [one["printed"].as_str().unwrap_or_default(), "/"].concat();
        }
        let columns = if columns.is_null() { &table["columnDefinitions"] } else { columns };
        table::cells(&table, columns, &shown, headers)
    }

    /// Lists, prints, and watches from there on.
    fn watch(self: &Arc<Self>, shell: &mut Shell, list: Request, watch: Request, target: Target, only: bool) {
        let get = Arc::clone(self);
        shell.send(list, move |shell, reply| {
            let listed = match reply.object() {
                Ok(listed) => listed,
                Err(failure) => return shell.refused(&failure, ""),
            };
            let (columns, mut widths) = (listed["columnDefinitions"].clone(), Vec::new());
            let version = listed["metadata"]["resourceVersion"].as_str().unwrap_or("0").to_owned();
            let mut has_headers = false;
            let one = noted(&target, &listed);
            if !only && get.is_table {
                let cells = get.cells(&one, &columns, true);
                has_headers = !cells.is_empty();
                shell.text(&table::rows(&get.eventful(cells, "ADDED", true), &mut widths));
            } else if !only {
                manifest::objects(one["got"].clone()).iter().for_each(|item| get.print(shell, item));
            }
            let at = apimachinery::target::with(&watch.target, &[("resourceVersion", Some(&version))]);
            shell.send(Request { target: at, ..watch }, move |shell, reply| {
                if reply.status >= 300 {
                    return reply.object().err().iter().for_each(|failure| shell.refused(failure, ""));
                }
                for line in reply.text().lines() {
                    let Ok(event) = serde_json::from_str::<Value>(line) else { continue };
                    let kind = event["type"].as_str().unwrap_or_default();
                    if kind == "BOOKMARK" || kind == "ERROR" {
                        continue;
                    }
                    if !get.is_table {
                        get.print(shell, &event["object"]);
                        continue;
                    }
                    let cells = get.cells(&noted(&target, &event["object"]), &columns, !has_headers);
                    let cells = get.eventful(cells, kind, !has_headers);
                    has_headers = true;
                    shell.text(&table::rows(&cells, &mut widths));
                }
            });
        });
    }

    /// Puts the type of an event before rows, where it is to be shown.
    fn eventful(&self, mut cells: Vec<Vec<String>>, kind: &str, has_head: bool) -> Vec<Vec<String>> {
        for (place, row) in cells.iter_mut().enumerate().filter(|_| self.names_events) {
            let is_head = place == 0 && has_head && !self.shown.no_headers;
            row.insert(0, if is_head { "EVENT" } else { kind }.to_owned());
        }
        cells
    }
}

/// Makes a table of what a server sent as it is: names and ages are all that is known of it.
fn plain(got: &Value) -> Value {
    let rows: Vec<Value> = manifest::objects(got.clone())
        .into_iter()
        .map(|item| json!({"cells": [item["metadata"]["name"].clone(), item["metadata"]["creationTimestamp"].clone()], "object": item}))
        .collect();
    json!({"columnDefinitions": [{"name": "Name", "format": "name"}, {"name": "Created At"}], "rows": rows})
}
