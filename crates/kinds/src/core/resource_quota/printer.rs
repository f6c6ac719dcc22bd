//! The rows of tables of the kind ResourceQuota.

use json_tree::Value;

use crate::printing::row::{Row, get};

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = "Name||name||@name
Request||||Request represents a minimum amount of cpu/memory that a container may consume.
Limit||||Limits control the maximum amount of cpu/memory that a container may use independent of contention on the node.
Age||||@created";

/// <https://kubernetes.io/docs/concepts/policy/resource-quotas/>
pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
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
