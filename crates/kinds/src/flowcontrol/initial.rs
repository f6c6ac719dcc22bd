//! The priority levels and flow schemas that a new cluster has.
//!
//! <https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#default-objects>

use json_tree::Value;

use apimachinery::object::{self, Object};

/// The key prefix of stored FlowSchemas.
pub const SCHEMAS: &str = "/registry/flowschemas/";
/// The key prefix of stored PriorityLevelConfigurations.
pub const LEVELS: &str = "/registry/prioritylevelconfigurations/";

/// Reports whether a key is that of a FlowSchema or of a PriorityLevelConfiguration.
pub fn concerns(key: &str) -> bool {
    [SCHEMAS, LEVELS].iter().any(|prefix| key.starts_with(prefix))
}

/// One a line: see [`object::rows`].
const TABLE: &str = include_str!("initial/objects.txt");

/// Resource and object of each.
pub fn objects() -> impl Iterator<Item = (&'static str, Object)> {
    object::rows(TABLE)
}

/// The spec that a priority level or flow schema of a new cluster has.
pub fn spec_of(plural: &str, name: &str) -> Option<Value> {
    let found = objects().find(|(own, object)| *own == plural && object["metadata"]["name"] == name);
    found.and_then(|(_, object)| object.get("spec").cloned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(plural: &str, name: &str, expected: &str) {
        let found = objects().find(|(own, object)| *own == plural && object["metadata"]["name"] == name);
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
