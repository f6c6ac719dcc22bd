//! Listing the kinds that are served: `kubectl api-resources`, `kubectl api-versions` and `kubectl version`.

use json_tree::{Value, json};

use super::call::{Call, Stop};
use crate::command::print;
use crate::command::print::table;
use crate::command::shell::Shell;

/// The `Accept` by which kubectl asks for all that is served.
const DISCOVERY: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

/// Asks for all that is served, and does something with the groups.
fn groups(call: &mut Call<'_>, then: impl FnOnce(&mut Shell, Vec<Value>) + Send + 'static) {
    for path in ["/api", "/apis"] {
        let request = call.how.accepting("GET", path, &[], DISCOVERY);
        call.shell.send(request, |shell, reply| match reply.object() {
            Ok(mut list) => match list.get_mut("items").map(Value::take) {
                Some(Value::Array(items)) => shell.gathered.extend(items),
                _ => shell.fail("error: the server does not tell all that it serves in one response"),
            },
            Err(failure) => shell.refused(&failure, ""),
        });
    }
    call.shell.finish = Some(Box::new(move |shell| {
        let mut groups = std::mem::take(&mut shell.gathered);
        groups.sort_by_key(|group| table::text(&group["metadata"]["name"]));
        then(shell, groups);
    }));
}

fn joined(value: &Value) -> String {
    let items: Vec<String> = value.as_array().into_iter().flatten().map(table::text).collect();
    items.join(",")
}

/// Begins to print the kinds that are served.
pub(super) fn resources(call: &mut Call<'_>) -> Result<(), Stop> {
    let line = call.line;
    let group = line.flag("--api-group").map(str::to_owned);
    let namespaced = line.flag("--namespaced").map(|value| value != "false");
    let split = |flag: &str| -> Vec<String> {
        line.all(flag).iter().flat_map(|value| value.split(',')).map(str::to_owned).collect()
    };
    let (verbs, categories) = (split("--verbs"), split("--categories"));
    let (output, no_headers) = (call.how.output.clone(), line.is("--no-headers"));
    let by_kind = line.flag("--sort-by") == Some("kind");
    groups(call, move |shell, groups| {
        let mut found: Vec<(String, String, Value)> = Vec::new();
        for one in &groups {
            let name = table::text(&one["metadata"]["name"]);
            if group.as_ref().is_some_and(|group| *group != name) {
                continue;
            }
            for version in one["versions"].as_array().into_iter().flatten() {
                let of = table::text(&version["version"]);
                for resource in version["resources"].as_array().into_iter().flatten() {
                    let is_known = found
                        .iter()
                        .any(|(group, _, known)| *group == name && known["resource"] == resource["resource"]);
                    let is_namespaced = resource["scope"] == "Namespaced";
                    let has = |field: &str, wanted: &[String]| {
                        wanted
                            .iter()
                            .all(|word| joined(&resource[field]).split(',').any(|known| known == word))
                    };
                    let is_wanted = namespaced.is_none_or(|wanted| wanted == is_namespaced)
                        && has("verbs", &verbs)
                        && has("categories", &categories);
                    if !is_known && is_wanted && !joined(&resource["verbs"]).is_empty() {
                        found.push((name.clone(), of.clone(), resource.clone()));
                    }
                }
            }
        }
        found.sort_by_key(|(group, _, resource)| match by_kind {
            true => (table::text(&resource["responseKind"]["kind"]), String::new()),
            false => (group.clone(), table::text(&resource["resource"])),
        });
        let mut rows: Vec<Vec<String>> = Vec::new();
        let is_wide = output == "wide";
        if output != "name" && !no_headers {
            let heads = ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND", "VERBS", "CATEGORIES"];
            rows.push(
                heads.iter().take(if is_wide { 7 } else { 5 }).map(|head| (*head).to_owned()).collect(),
            );
        }
        for (group, version, resource) in found {
            let name = table::text(&resource["resource"]);
            if output == "name" {
                rows.push(vec![if group.is_empty() { name } else { [&name, ".", &group].concat() }]);
                continue;
            }
            let api_version = if group.is_empty() { version } else { [&group, "/", &version].concat() };
            let is_namespaced = resource["scope"] == "Namespaced";
            let mut row = vec![
                name,
                joined(&resource["shortNames"]),
                api_version,
                is_namespaced.to_string(),
                table::text(&resource["responseKind"]["kind"]),
            ];
            if is_wide {
                row.extend([joined(&resource["verbs"]), joined(&resource["categories"])]);
            }
            rows.push(row);
        }
        shell.text(&table::rows(&rows, &mut Vec::new()));
    });
    Ok(())
}

/// Begins to print the versions that are served.
pub(super) fn versions(call: &mut Call<'_>) -> Result<(), Stop> {
    groups(call, |shell, groups| {
        let mut found = Vec::new();
        for group in &groups {
            let name = table::text(&group["metadata"]["name"]);
            for version in group["versions"].as_array().into_iter().flatten() {
                let version = table::text(&version["version"]);
                found.push(if name.is_empty() { version } else { [&name, "/", &version].concat() });
            }
        }
        found.sort();
        found.iter().for_each(|version| shell.line(version));
    });
    Ok(())
}

/// The version of kubectl that is imitated.
const CLIENT: &str = "v1.36.0";
const KUSTOMIZE: &str = "v5.7.1";

/// Begins to print versions.
pub(super) fn version(call: &mut Call<'_>) -> Result<(), Stop> {
    let client = ["Client Version: ", CLIENT, "\nKustomize Version: ", KUSTOMIZE].concat();
    if call.line.is("--client") {
        call.shell.line(&client);
        return Ok(());
    }
    let output = call.how.output.clone();
    call.shell.send(call.how.request("GET", "/version", &[]), move |shell, reply| match reply.object() {
        Ok(server) if output.is_empty() => {
            shell.line(&[&client, "\nServer Version: ", &table::text(&server["gitVersion"])].concat());
        }
        Ok(server) => {
            let versions = json!({"clientVersion": {"gitVersion": CLIENT}, "kustomizeVersion": KUSTOMIZE, "serverVersion": server});
            match print::output(&output, &versions, true) {
                Ok(text) => shell.text(&text),
                Err(_) => shell.fail("error: --output must be 'yaml' or 'json'"),
            }
        }
        Err(failure) => shell.refused(&failure, ""),
    });
    Ok(())
}
