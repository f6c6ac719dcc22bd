//! Tables of the other kinds of a namespace and a cluster: configuration, quotas, leases, classes, claims of devices.

use json_tree::{Map, Value};

use crate::printing::row::{Row, condition, get, text};

pub(crate) fn namespace(row: &Row<'_>) -> Vec<Value> {
    vec![row.name(), row.text("/status/phase").into(), row.age()]
}

pub(crate) fn config_map(row: &Row<'_>) -> Vec<Value> {
    vec![row.name(), (entries(row, "/data") + entries(row, "/binaryData")).into(), row.age()]
}

pub(crate) fn secret(row: &Row<'_>) -> Vec<Value> {
    vec![row.name(), row.text("/type").into(), entries(row, "/data").into(), row.age()]
}

fn entries(row: &Row<'_>, path: &str) -> usize {
    get(row.object, path).and_then(Value::as_object).map_or(0, Map::len)
}

/// A name and an age.
pub(crate) fn named(row: &Row<'_>) -> Vec<Value> {
    vec![row.name(), row.age()]
}

/// <https://kubernetes.io/docs/concepts/policy/resource-quotas/>
pub(crate) fn resource_quota(row: &Row<'_>) -> Vec<Value> {
    let hard = get(row.object, "/status/hard").and_then(Value::as_object);
    let used = get(row.object, "/status/used");
    let mut hard: Vec<_> = hard.into_iter().flatten().collect();
    schema::sort_by(&mut hard, |a, b| a.0.cmp(b.0));
    let (limits, requests): (Vec<_>, Vec<_>) =
        hard.into_iter().partition(|(resource, _)| resource.starts_with("limits."));
    let show = |resources: Vec<(&String, &Value)>| {
        let shown: Vec<_> = resources
            .into_iter()
            .map(|(resource, hard)| {
                let used = used.and_then(|used| used.get(resource)).and_then(Value::as_str).unwrap_or("0");
                format!("{resource}: {used}/{}", hard.as_str().unwrap_or("0"))
            })
            .collect();
        Value::from(shown.join(", "))
    };
    vec![row.name(), show(requests), show(limits), row.age()]
}

/// <https://kubernetes.io/docs/tasks/run-application/configure-pdb/>
pub(crate) fn pod_disruption_budget(row: &Row<'_>) -> Vec<Value> {
    let number_or_percent = |path: &str| match get(row.object, path) {
        Some(Value::String(percent)) => Value::from(percent.as_str()),
        Some(number) => number.to_string().into(),
        None => "N/A".into(),
    };
    vec![
        row.name(),
        number_or_percent("/spec/minAvailable"),
        number_or_percent("/spec/maxUnavailable"),
        row.count("/status/disruptionsAllowed"),
        row.age(),
    ]
}

pub(crate) fn lease(row: &Row<'_>) -> Vec<Value> {
    vec![row.name(), row.text("/spec/holderIdentity").into(), row.age()]
}

pub(crate) fn priority_class(row: &Row<'_>) -> Vec<Value> {
    vec![
        row.name(),
        row.count("/value"),
        row.flag_or("/globalDefault", false),
        row.age(),
        row.text("/preemptionPolicy").into(),
    ]
}

pub(crate) fn runtime_class(row: &Row<'_>) -> Vec<Value> {
    vec![row.name(), row.text("/handler").into(), row.age()]
}

pub(crate) fn component_status(row: &Row<'_>) -> Vec<Value> {
    let healthy = condition(row.list("/conditions"), "Healthy");
    let status = match healthy.map(|condition| text(condition, "/status")) {
        Some("True") => "Healthy",
        Some(_) => "Unhealthy",
        None => "Unknown",
    };
    let says = |path: &str| healthy.map_or("", |condition| text(condition, path)).into();
    vec![row.name(), status.into(), says("/message"), says("/error")]
}

/// <https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/>
pub(crate) fn resource_claim(row: &Row<'_>) -> Vec<Value> {
    let mut states = Vec::new();
    let terminating = row.is_terminating();
    if terminating {
        states.push("deleted");
    }
    if get(row.object, "/status/allocation").is_some() {
        states.push("allocated");
        if !row.list("/status/reservedFor").is_empty() {
            states.push("reserved");
        }
    } else if !terminating {
        states.push("pending");
    }
    vec![row.name(), states.join(",").into(), row.age()]
}

pub(crate) fn resource_slice(row: &Row<'_>) -> Vec<Value> {
    vec![
        row.name(),
        row.text("/spec/nodeName").into(),
        row.text("/spec/driver").into(),
        row.text("/spec/pool/name").into(),
        row.age(),
    ]
}
