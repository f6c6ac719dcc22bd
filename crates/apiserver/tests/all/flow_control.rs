//! The condition of FlowSchemas that the server itself sets.

use std::time::Duration;

use json_tree::{Value, json};

use crate::common::Cluster;

const SCHEMAS: &str = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";
const LEVELS: &str = "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations";
const CONSUMER: &str = "api-priority-and-fairness-config-consumer-v1";

/// Expects the condition of the FlowSchema `mine`, and that it says so since then.
#[track_caller]
fn check(cluster: &Cluster, status: &str, message: &str, since: &str) {
    let (code, schema) = cluster.get(&format!("{SCHEMAS}/mine"));
    assert_eq!(code, 200);
    let reason = if status == "True" { "NotFound" } else { "Found" };
    let expected = json!([{
        "type": "Dangling",
        "status": status,
        "lastTransitionTime": since,
        "reason": reason,
        "message": format!("This FlowSchema references the PriorityLevelConfiguration object named {message}"),
    }]);
    assert_eq!(schema["status"]["conditions"], expected);
    let managers = schema["metadata"]["managedFields"].as_array().into_iter().flatten();
    let managers: Vec<_> =
        managers.map(|entry| (entry["manager"].as_str(), entry["operation"].as_str())).collect();
    assert_eq!(managers, [(Some(CONSUMER), Some("Apply")), (Some("unknown"), Some("Update"))]);
}

#[test]
fn a_flow_schema_is_told_whether_its_level_is_there() {
    let cluster = Cluster::new();
    let json = |line: &str, body: &Value| {
        let (code, answer) = cluster.json(line, body);
        assert!(code < 300, "{line}: {answer}");
        answer
    };
    let spec = json!({"matchingPrecedence": 500, "priorityLevelConfiguration": {"name": "low"}, "rules": []});
    json(&format!("POST {SCHEMAS}"), &json!({"metadata": {"name": "mine"}, "spec": spec}));
    let missing = "\"low\" but there is no such object";
    check(&cluster, "True", missing, "2026-01-01T00:00:00Z");
    cluster.clock.advance(Duration::from_secs(1));
    let limited = json!({"nominalConcurrencyShares": 1, "limitResponse": {"type": "Reject"}});
    let level = json!({"metadata": {"name": "low"}, "spec": {"type": "Limited", "limited": limited}});
    json(&format!("POST {LEVELS}"), &level);
    check(&cluster, "False", "\"low\" and it exists", "2026-01-01T00:00:01Z");
    cluster.clock.advance(Duration::from_secs(1));
    let mut schema = cluster.get(&format!("{SCHEMAS}/mine")).1;
    schema["spec"]["priorityLevelConfiguration"]["name"] = "system".into();
    json(&format!("PUT {SCHEMAS}/mine"), &schema);
    check(&cluster, "False", "\"system\" and it exists", "2026-01-01T00:00:02Z");
    // Nothing that it is about has changed.
    json(&format!("DELETE {LEVELS}/low"), &Value::Null);
    check(&cluster, "False", "\"system\" and it exists", "2026-01-01T00:00:02Z");
}
