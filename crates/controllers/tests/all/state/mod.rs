//! The state of a namespace, without what is another each time.

use std::collections::BTreeMap;

use json_tree::{Value, json};

use crate::cluster::Cluster;

const COLLECTIONS: [&str; 19] = [
    "/api/v1/namespaces/{ns}/configmaps",
    "/api/v1/namespaces/{ns}/endpoints",
    "/api/v1/namespaces/{ns}/persistentvolumeclaims",
    "/api/v1/namespaces/{ns}/pods",
    "/api/v1/namespaces/{ns}/replicationcontrollers",
    "/api/v1/namespaces/{ns}/resourcequotas",
    "/api/v1/namespaces/{ns}/serviceaccounts",
    "/apis/apps/v1/namespaces/{ns}/controllerrevisions",
    "/apis/apps/v1/namespaces/{ns}/daemonsets",
    "/apis/apps/v1/namespaces/{ns}/deployments",
    "/apis/apps/v1/namespaces/{ns}/replicasets",
    "/apis/apps/v1/namespaces/{ns}/statefulsets",
    "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers",
    "/apis/batch/v1/namespaces/{ns}/cronjobs",
    "/apis/batch/v1/namespaces/{ns}/jobs",
    "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices",
    "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets",
    "/apis/scenes.example.com/v1/namespaces/{ns}/scalers",
    "/apis/scenes.example.com/v1/namespaces/{ns}/widgets",
];

const TIMES: [&str; 17] = [
    "batch.kubernetes.io/cronjob-scheduled-timestamp",
    "completionTime",
    "creationTimestamp",
    "deletionTimestamp",
    "endpoints.kubernetes.io/last-change-trigger-time",
    "finishedAt",
    "lastHeartbeatTime",
    "lastPhaseTransitionTime",
    "lastProbeTime",
    "lastScaleTime",
    "lastScheduleTime",
    "lastSuccessfulTime",
    "lastTransitionTime",
    "lastUpdateTime",
    "startTime",
    "startedAt",
    "timeAdded",
];

/// Reads the state of a namespace.
///
/// `also` are further collections, whose objects are in no namespace, and have names that begin with that of the namespace and a dot.
pub(crate) fn read(cluster: &mut Cluster, namespace: &str, with_events: bool, also: &[Value]) -> Value {
    let mut objects = Vec::new();
    for path in COLLECTIONS.into_iter().chain(also.iter().map(Value::as_text)) {
        let list = cluster.get(&path.replace("{ns}", namespace));
        let kind = list.text("kind").trim_end_matches("List").to_owned();
        for item in list.get("items").and_then(Value::as_array).into_iter().flatten() {
            let mut item = item.clone();
            item.as_object_mut().unwrap().insert("kind".to_owned(), kind.as_str().into());
            objects.push(item);
        }
    }
    let mut own = cluster.get(&format!("/api/v1/namespaces/{namespace}"));
    if own.text("kind") == "Namespace" {
        own.as_object_mut().unwrap().shift_remove("apiVersion");
        objects.push(own);
    }
    let words: Vec<(String, String)> = objects
        .iter()
        .map(|object| (object.text_at("/metadata/uid").to_owned(), format!("UID of {}", object.text("kind"))))
        .collect();
    let mut counts: BTreeMap<String, i64> = BTreeMap::new();
    for mut object in objects {
        plain(&mut object);
        replace(&mut object, &words);
        object.sort_all_objects();
        if let Some(subsets) = object.get_mut("subsets").and_then(Value::as_array_mut) {
            // Their order is that of hashes of uids, among other things.
            subsets.sort_by_key(ToString::to_string);
        }
        *counts.entry(object.to_string()).or_default() += 1;
    }
    let objects: Vec<Value> = counts
        .into_iter()
        .map(|(text, count)| json!({"count": count, "object": text.parse::<Value>().unwrap()}))
        .collect();
    let events_in = |place: &str| {
        let listed = cluster.get(&format!("/api/v1/namespaces/{place}/events"));
        listed["items"].as_array().unwrap().clone()
    };
    let mut events = events_in(namespace);
    if !also.is_empty() {
        let own = [namespace, "."].concat();
        let is_own = |event: &Value| event.text_at("/involvedObject/name").starts_with(&own);
        events.extend(events_in("default").into_iter().filter(is_own));
    }
    let mut lines = Vec::new();
    for event in events.iter().filter(|_| with_events) {
        let text = |pointer: &str| event.text_at(pointer).to_owned();
        let (kind, name) = (text("/involvedObject/kind"), text("/involvedObject/name"));
        let source = Some(text("/source/component")).filter(|source| !source.is_empty());
        let mut line = Value::String(format!(
            "{} {} {}x {kind}/{name} {}: {}",
            text("/type"),
            text("/reason"),
            event["count"],
            source.unwrap_or_else(|| text("/reportingComponent")),
            text("/message")
        ));
        replace(&mut line, &words);
        lines.push(line.as_text().to_owned());
    }
    lines.sort();
    json!({"objects": objects, "events": lines})
}

/// Leaves out what is another each time.
fn plain(object: &mut Value) {
    let is_root_ca =
        object.text("kind") == "ConfigMap" && object.text_at("/metadata/name") == "kube-root-ca.crt";
    let is_slice = object.text("kind") == "EndpointSlice";
    if is_root_ca {
        object["data"] = json!({"ca.crt": "CERTIFICATE"});
    }
    let metadata = object.get_mut("metadata").and_then(Value::as_object_mut).unwrap();
    for key in ["resourceVersion", "uid", "selfLink"] {
        metadata.shift_remove(key);
    }
    if let Some(prefix) = metadata.get("generateName") {
        let name = format!("{}xxxxx", prefix.as_text());
        metadata.insert("name".to_owned(), name.into());
    }
    if is_slice && metadata.get("generateName").is_none() {
        // Who mirrors Endpoints does not keep it.
        let name = metadata["name"].as_text();
        let name = format!("{}xxxxx", &name[..name.len() - 5]);
        metadata.insert("name".to_owned(), name.into());
    }
    let managers = metadata.shift_remove("managedFields").unwrap_or_default();
    let line = |entry: &Value| {
        let line = ["manager", "operation", "subresource"].map(|key| entry.text(key)).join(" ");
        line.trim_end().to_owned()
    };
    let mut managers: Vec<String> = managers.as_array().into_iter().flatten().map(line).collect();
    managers.sort();
    managers.dedup();
    metadata.insert("managers".to_owned(), managers.into());
    hide_times(object);
}

fn hide_times(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (key, item) in map.iter_mut() {
                if TIMES.contains(&key.as_str()) && !item.is_null() {
                    *item = "TIME".into();
                } else if key == "resourceVersion" {
                    *item = "VERSION".into();
                } else {
                    hide_times(item);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(hide_times),
        _ => {}
    }
}

fn replace(value: &mut Value, words: &[(String, String)]) {
    match value {
        Value::Object(map) => map.values_mut().for_each(|item| replace(item, words)),
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, words)),
        Value::String(text) => {
            for (word, by) in words {
                *text = text.replace(word, by);
            }
            *text = without_minutes(&without_suffixes(&without_uids(text)));
        }
        _ => {}
    }
}

/// Replaces all other uids, of objects that are elsewhere or gone.
fn without_uids(text: &str) -> String {
    let is_uid = |part: &str| {
        part.bytes().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
    };
    let mut rest = text;
    let mut all = String::new();
    while let Some(first) = rest.chars().next() {
        let (part, length) = match rest.get(..36).filter(|part| is_uid(part)) {
            Some(_) => ("UID", 36),
            None => (&rest[..first.len_utf8()], first.len_utf8()),
        };
        all.push_str(part);
        rest = &rest[length..];
    }
    all
}

/// Replaces the numbers of minutes that names of the Jobs of CronJobs end with: eight digits behind a hyphen.
fn without_minutes(text: &str) -> String {
    const DIGITS: usize = 8;
    let mut parts = text.split('-');
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        let rest = &part[digits..];
        let ends = !rest.starts_with(|c: char| c.is_ascii_lowercase());
        all.push('-');
        all.push_str(if digits == DIGITS && ends { "MINUTES" } else { &part[..digits] });
        all.push_str(rest);
    }
    all
}

/// Replaces the random suffix of a name that follows `pod: `, `pods "` or `pod `.
fn without_suffixes(text: &str) -> String {
    let is_random = |suffix: &str| {
        suffix.len() == 5 && suffix.bytes().all(|byte| b"bcdfghjklmnpqrstvwxz2456789".contains(&byte))
    };
    for word in ["pod: ", "pods: ", "pods \"", "pod "] {
        let Some((before, rest)) = text.split_once(word) else { continue };
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"-/".contains(c)).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        if let Some((prefix, suffix)) = name.rsplit_once('-')
            && is_random(suffix)
        {
            return format!("{before}{word}{prefix}-xxxxx{after}");
        }
    }
    text.to_owned()
}

/// Returns a state in lines, one for each value, so that differences can be told.
pub(crate) fn lines(state: &Value) -> Vec<String> {
    let mut lines: Vec<String> = state["events"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|event| format!("event {}", event.as_text()))
        .collect();
    for counted in state["objects"].as_array().into_iter().flatten() {
        let object = &counted["object"];
        let name =
            format!("{}/{} x{}", object.text("kind"), object.text_at("/metadata/name"), counted["count"]);
        leaves(object, &name, &mut lines);
    }
    lines
}

fn leaves(value: &Value, path: &str, lines: &mut Vec<String>) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            entries.into_iter().for_each(|(key, item)| leaves(item, &format!("{path}.{key}"), lines));
        }
        Value::Array(items) if !items.is_empty() => {
            items
                .iter()
                .enumerate()
                .for_each(|(index, item)| leaves(item, &format!("{path}[{index}]"), lines));
        }
        other => lines.push(format!("{path} = {other}")),
    }
}
