//! The priority levels and flow schemas that a new cluster has: see the table.
//!
//! <https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#default-objects>

use json_tree::{Value, json};

use crate::object::{Object, set_metadata, with_name};
use crate::text_table;

/// The table has a level a line, `level NAME SHARES LENDABLE [QUEUES HAND LIMIT]`: what has no queues rejects, and what has no shares
/// is exempt. `flow NAME LEVEL PRECEDENCE DISTINGUISHER SUBJECTS` begins a schema, and its rules follow: `VERBS GROUPS RESOURCES SCOPE`,
/// where `*` is every namespace and `all` the cluster too, or `VERBS url URLS`. One without any takes all requests.
const TABLE: &str = include_str!("flow_control/table.txt");

/// Resource and object of each.
pub(crate) fn objects() -> Vec<(&'static str, Object)> {
    let mut objects: Vec<(&str, Object)> = Vec::new();
    let mut rules: Vec<Vec<&str>> = Vec::new();
    let mut schema: Vec<&str> = Vec::new();
    for words in text_table::words(TABLE).chain([vec![""]]) {
        let begins = ["level", "flow", ""].contains(&words[0]);
        if begins && let ["flow", name, level, precedence, distinguisher, subjects] = schema.as_slice() {
            let spec = flow(level, precedence, distinguisher, subjects, &rules);
            let message = [
                "This FlowSchema references the PriorityLevelConfiguration object named ",
                &field::quote(level),
                " and it exists",
            ];
            let status = json!({ "conditions": [{
                "type": "Dangling",
                "status": "False",
                "lastTransitionTime": "",
                "reason": "Found",
                "message": message.concat(),
            }] });
            objects.push(("flowschemas", object(name, spec, status)));
        }
        match words.as_slice() {
            ["level", name, sizes @ ..] => {
                objects.push(("prioritylevelconfigurations", object(name, level(sizes), json!({}))))
            }
            _ if begins => (schema, rules) = (words, Vec::new()),
            _ => rules.push(words),
        }
    }
    objects
}

/// The spec that a priority level or flow schema of a new cluster has.
pub(crate) fn spec_of(plural: &str, name: &str) -> Option<Value> {
    let mut objects = objects().into_iter();
    let found = objects.find(|(own, object)| *own == plural && object["metadata"]["name"] == name);
    found.and_then(|(_, object)| object.get("spec").cloned())
}

fn object(name: &str, spec: Value, status: Value) -> Object {
    let mut object = with_name(name);
    set_metadata(&mut object, "generation", 1.into());
    set_metadata(&mut object, "annotations", json!({ "apf.kubernetes.io/autoupdate-spec": "true" }));
    object.insert("spec".to_owned(), spec);
    object.insert("status".to_owned(), status);
    object
}

fn level(sizes: &[&str]) -> Value {
    let sizes: Vec<i64> = sizes.iter().map(|size| size.parse().unwrap_or_default()).collect();
    let limited = |shares: i64, lendable: i64, response: Value| {
        json!({ "type": "Limited", "limited": {
            "nominalConcurrencyShares": shares,
            "limitResponse": response,
            "lendablePercent": lendable,
        } })
    };
    match sizes.as_slice() {
        [shares, lendable, queues, hand, limit] => {
            let queuing = json!({ "queues": queues, "handSize": hand, "queueLengthLimit": limit });
            limited(*shares, *lendable, json!({ "type": "Queue", "queuing": queuing }))
        }
        [shares, lendable] if *shares > 0 => limited(*shares, *lendable, json!({ "type": "Reject" })),
        _ => json!({ "type": "Exempt", "exempt": { "nominalConcurrencyShares": 0, "lendablePercent": 0 } }),
    }
}

fn flow(level: &str, precedence: &str, distinguisher: &str, subjects: &str, rules: &[Vec<&str>]) -> Value {
    let mut spec = Object::new();
    spec.insert("priorityLevelConfiguration".to_owned(), json!({ "name": level }));
    spec.insert("matchingPrecedence".to_owned(), precedence.parse::<i64>().unwrap_or_default().into());
    if distinguisher != "-" {
        spec.insert("distinguisherMethod".to_owned(), json!({ "type": distinguisher }));
    }
    let subjects: Vec<Value> = subjects.split(',').filter_map(subject).collect();
    let mut of_resources: Vec<Value> = Vec::new();
    let mut others: Vec<Value> = Vec::new();
    let everything = [vec!["*", "*", "*", "all"], vec!["*", "url", "*"]];
    for rule in if rules.is_empty() { &everything[..] } else { rules } {
        let list = |index: usize| -> Vec<&str> {
            let words = rule.get(index).copied().unwrap_or_default().split(',');
            words.map(|word| if word == "core" { "" } else { word }).collect()
        };
        if rule.get(1) == Some(&"url") {
            others.push(json!({ "verbs": list(0), "nonResourceURLs": list(2) }));
            continue;
        }
        let scope = rule.get(3).copied().unwrap_or_default();
        let mut entry = Object::new();
        entry.insert("verbs".to_owned(), list(0).into());
        entry.insert("apiGroups".to_owned(), list(1).into());
        entry.insert("resources".to_owned(), list(2).into());
        if scope == "all" {
            entry.insert("clusterScope".to_owned(), true.into());
        }
        entry.insert("namespaces".to_owned(), json!(["*"]));
        of_resources.push(entry.into());
    }
    let mut rule = Object::new();
    rule.insert("subjects".to_owned(), subjects.into());
    for (key, rules) in [("resourceRules", of_resources), ("nonResourceRules", others)] {
        if !rules.is_empty() {
            rule.insert(key.to_owned(), rules.into());
        }
    }
    spec.insert("rules".to_owned(), json!([rule]));
    spec.into()
}

fn subject(text: &str) -> Option<Value> {
    let (kind, name) = text.split_once(':')?;
    Some(match name.split_once('/') {
        Some((namespace, name)) => {
            json!({ "kind": kind, "serviceAccount": { "namespace": namespace, "name": name } })
        }
        None if kind == "User" => json!({ "kind": kind, "user": { "name": name } }),
        None => json!({ "kind": kind, "group": { "name": name } }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(plural: &str, name: &str, expected: &str) {
        let objects = objects();
        let found = objects.iter().find(|(own, object)| *own == plural && object["metadata"]["name"] == name);
        assert_eq!(found.expect("there is one").1["spec"].to_string(), expected);
    }

    #[test]
    fn levels() {
        check(
            "prioritylevelconfigurations",
            "exempt",
            r#"{"type":"Exempt","exempt":{"nominalConcurrencyShares":0,"lendablePercent":0}}"#,
        );
        check(
            "prioritylevelconfigurations",
            "system",
            r#"{"type":"Limited","limited":{"nominalConcurrencyShares":30,"limitResponse":{"type":"Queue","queuing":{"queues":64,"handSize":6,"queueLengthLimit":50}},"lendablePercent":33}}"#,
        );
    }

    #[test]
    fn flows() {
        check(
            "flowschemas",
            "probes",
            r#"{"priorityLevelConfiguration":{"name":"exempt"},"matchingPrecedence":2,"rules":[{"subjects":[{"kind":"Group","group":{"name":"system:unauthenticated"}},{"kind":"Group","group":{"name":"system:authenticated"}}],"nonResourceRules":[{"verbs":["get"],"nonResourceURLs":["/healthz","/readyz","/livez"]}]}]}"#,
        );
        check(
            "flowschemas",
            "kube-scheduler",
            r#"{"priorityLevelConfiguration":{"name":"workload-high"},"matchingPrecedence":800,"distinguisherMethod":{"type":"ByNamespace"},"rules":[{"subjects":[{"kind":"User","user":{"name":"system:kube-scheduler"}}],"resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"],"clusterScope":true,"namespaces":["*"]}],"nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["*"]}]}]}"#,
        );
    }
}
