//! `kubectl auth`: what one may do, and who one is.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access>

use json_tree::{Map, Value, json};

use super::call::{Call, Stop, says};
use crate::command::print;
use crate::command::print::table;
use crate::message::JSON;

/// Begins to ask.
pub(super) fn begin(call: &mut Call<'_>) -> Result<(), Stop> {
    match call.word(1).unwrap_or_default() {
        "can-i" => can_i(call),
        "whoami" => whoami(call),
        other => Err(Stop::Refused(format!("`kubectl auth {other}` does not run here."))),
    }
}

fn can_i(call: &mut Call<'_>) -> Result<(), Stop> {
    if call.line.is("--list") {
        return Err(Stop::Refused(
            "`--list` does not run here: `kubectl auth can-i VERB KIND` does.".to_owned(),
        ));
    }
    let (Some(verb), Some(what)) = (call.word(2), call.word(3)) else {
        return says("error: you must specify two arguments: verb resource or verb resource/resourceName.");
    };
    let spec = if what.starts_with('/') {
        json!({"nonResourceAttributes": {"path": what, "verb": verb}})
    } else {
        let (word, name) = what.split_once('/').unwrap_or((what, call.word(4).unwrap_or_default()));
        let mut attributes = Map::new();
        let mut set = |key: &str, value: &str| {
            if !value.is_empty() {
                attributes.insert(key.to_owned(), Value::from(value));
            }
        };
        let kind = call.kinds.named(word);
        if word != "*" && kind.is_none() {
            call.shell.line(&format!("Warning: the server doesn't have a resource type '{word}'\n"));
        }
        if let Some(kind) = kind.filter(|kind| !kind.namespaced) {
            let group =
                if kind.group.is_empty() { String::new() } else { format!(" in group '{}'", kind.group) };
            call.shell
                .line(&format!("Warning: resource '{}' is not namespace scoped{group}\n", kind.resource));
        }
        set("namespace", call.scope());
        set("verb", verb);
        set("group", kind.map_or("", |kind| &kind.group));
        set("resource", kind.map_or(word, |kind| &kind.resource));
        set("subresource", call.line.flag("--subresource").unwrap_or_default());
        set("name", name);
        json!({"resourceAttributes": Value::Object(attributes)})
    };
    let is_quiet = call.line.is("--quiet");
    let body = json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "metadata": {}, "spec": spec, "status": {"allowed": false}});
    let path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let request = call.how.request("POST", path, &[]).carrying(JSON, print::json(&body));
    call.shell.send(request, move |shell, reply| match reply.object() {
        Ok(_) if is_quiet => {}
        Ok(review) if review["status"]["allowed"] == true => shell.line("yes"),
        Ok(review) => {
            let said = ["reason", "evaluationError"]
                .map(|field| review["status"][field].as_str().unwrap_or_default());
            shell.line(
                &said
                    .iter()
                    .filter(|text| !text.is_empty())
                    .fold("no".to_owned(), |line, text| line + " - " + text),
            );
        }
        Err(failure) => shell.refused(&failure, ""),
    });
    Ok(())
}

fn whoami(call: &mut Call<'_>) -> Result<(), Stop> {
    let body = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview", "metadata": {}, "status": {"userInfo": {}}});
    let path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    let request = call.how.request("POST", path, &[]).carrying(JSON, body.to_string());
    let how = call.how.clone();
    call.shell.send(request, move |shell, reply| match reply.object() {
        Ok(review) if how.output.is_empty() => {
            let user = &review["status"]["userInfo"];
            let listed = |value: &Value| {
                let items: Vec<String> = value.as_array().into_iter().flatten().map(table::text).collect();
                ["[", &items.join(" "), "]"].concat()
            };
            let mut rows = vec![("ATTRIBUTE".to_owned(), "VALUE".to_owned())];
            for (head, field) in [("Username", "username"), ("UID", "uid")] {
                rows.extend(user[field].as_str().map(|value| (head.to_owned(), value.to_owned())));
            }
            if user["groups"].is_array() {
                rows.push(("Groups".to_owned(), listed(&user["groups"])));
            }
            let mut extra: Vec<_> = user["extra"].as_object().into_iter().flatten().collect();
            extra.sort_by_key(|(key, _)| *key);
            rows.extend(extra.into_iter().map(|(key, value)| (["Extra: ", key].concat(), listed(value))));
            let rows: Vec<Vec<String>> = rows.into_iter().map(|(head, value)| vec![head, value]).collect();
            shell.text(&table::rows(&rows, &mut Vec::new()));
        }
        Ok(review) => match print::output(&how.output, &review, how.managed_fields) {
            Ok(text) => shell.text(&text),
            Err(error) => shell.fail(&error),
        },
        Err(failure) => shell.refused(&failure, ""),
    });
    Ok(())
}
