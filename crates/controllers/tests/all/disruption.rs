//! Budgets: what may be evicted, and what is said of pods that should be gone.

use std::time::Duration;

use crate::cluster::Cluster;
use crate::cluster::pods::{JSON, MERGE, PODS, cluster as with_nodes, items, pod};
use json_tree::{Value, json};

const BUDGETS: &str = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
const SETS: &str = "/apis/apps/v1/namespaces/default/replicasets";

/// Makes a budget for pods with the label `app: web`.
fn make_budget(cluster: &Cluster, name: &str, limits: &Value) {
    let mut spec = json!({"selector": {"matchLabels": {"app": "web"}}});
    for (key, value) in limits.as_object().unwrap() {
        spec.as_object_mut().unwrap().insert(key.clone(), value.clone());
    }
    cluster.send("POST", BUDGETS, &json!({"metadata": {"name": name}, "spec": spec}), JSON);
}

fn evict(cluster: &Cluster, name: &str) -> u16 {
    let eviction = json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}});
    cluster.call("POST", &format!("{PODS}/{name}/eviction"), &eviction, JSON).0
}

fn events(cluster: &Cluster, reason: &str) -> Vec<String> {
    let all = items(cluster, "/api/v1/namespaces/default/events");
    all.iter()
        .filter(|event| event.text("reason") == reason)
        .map(|event| event.text("message").to_owned())
        .collect()
}

/// Returns what a budget allows, counts and wants.
fn line(cluster: &Cluster, name: &str) -> String {
    let budget = cluster.get(&format!("{BUDGETS}/{name}"));
    let numbers = ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"];
    let numbers = numbers.map(|field| budget["status"][field].to_string());
    format!("{} {}", numbers.join(" "), budget["status"]["conditions"][0].text("reason"))
}

#[test]
fn one_pod_after_the_other_may_be_evicted() {
    let mut cluster = with_nodes(2);
    let template = json!({
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "c", "image": "nginx:1.29"}]}
    });
    let spec = json!({"replicas": 3, "selector": {"matchLabels": {"app": "web"}}, "template": template});
    cluster.send("POST", SETS, &json!({"metadata": {"name": "web"}, "spec": spec}), JSON);
    make_budget(&cluster, "web", &json!({"maxUnavailable": 1}));
    cluster.settle();
    assert_eq!(line(&cluster, "web"), "0 0 2 3 InsufficientPods");
    cluster.wait(Duration::from_secs(2));
    assert_eq!(line(&cluster, "web"), "1 3 2 3 SufficientPods");
    let names: Vec<String> =
        items(&cluster, PODS).iter().map(|pod| pod.text_at("/metadata/name").to_owned()).collect();
    assert_eq!(evict(&cluster, &names[0]), 201);
    assert_eq!(evict(&cluster, &names[1]), 429);
    cluster.settle();
    assert_eq!(line(&cluster, "web"), "0 2 2 3 InsufficientPods");
    cluster.wait(Duration::from_secs(3));
    assert_eq!(line(&cluster, "web"), "1 3 2 3 SufficientPods");
    assert_eq!(evict(&cluster, &names[1]), 201);
}

#[test]
fn a_pod_that_was_to_go_and_is_there_counts_again_after_two_minutes() {
    let mut cluster = with_nodes(1);
    crate::cluster::pods::make_pod(&cluster, "a", "", &json!({}));
    let label = json!({"metadata": {"labels": {"app": "web"}}});
    cluster.send("PATCH", &format!("{PODS}/a"), &label, MERGE);
    make_budget(&cluster, "web", &json!({"minAvailable": 0}));
    cluster.wait(Duration::from_secs(2));
    assert_eq!(line(&cluster, "web"), "1 1 0 1 SufficientPods");
    let time = "2027-01-15T08:00:02Z";
    let target = json!({"type": "DisruptionTarget", "status": "True", "reason": "Preempted", "lastTransitionTime": time});
    let conditions = json!({"status": {"conditions": [target]}});
    let strategic = "application/strategic-merge-patch+json";
    cluster.send("PATCH", &format!("{PODS}/a/status"), &conditions, strategic);
    let disrupted = json!({"status": {"disruptedPods": {"a": time}}});
    cluster.send("PATCH", &format!("{BUDGETS}/web/status"), &disrupted, MERGE);
    cluster.settle();
    assert_eq!(line(&cluster, "web"), "0 0 0 1 InsufficientPods");
    cluster.wait(Duration::from_secs(119));
    assert_eq!(events(&cluster, "NotDeleted").len(), 0);
    cluster.wait(Duration::from_secs(3));
    assert_eq!(line(&cluster, "web"), "1 1 0 1 SufficientPods");
    let message = "Pod was expected by PDB default/default to be deleted but it wasn't";
    assert_eq!(events(&cluster, "NotDeleted"), [message]);
    let condition = pod(&cluster, "a");
    let condition = condition["status"]["conditions"].as_array().unwrap();
    let target = condition.iter().find(|one| one.text("type") == "DisruptionTarget").unwrap();
    assert_eq!(target.text("status"), "False");
    assert_eq!(cluster.manager.next_due(), None);
}

#[test]
fn a_pod_with_two_budgets_is_told_of() {
    let mut cluster = with_nodes(1);
    make_budget(&cluster, "a", &json!({"minAvailable": 1}));
    make_budget(&cluster, "b", &json!({"minAvailable": 1}));
    cluster.settle();
    let pod = json!({
        "metadata": {"name": "p", "labels": {"app": "web"}},
        "spec": {"containers": [{"name": "c", "image": "nginx:1.29"}]}
    });
    cluster.send("POST", PODS, &pod, JSON);
    cluster.settle();
    let message = "Pod \"default\"/\"p\" matches multiple PodDisruptionBudgets.  Chose \"a\" arbitrarily.";
    assert_eq!(events(&cluster, "MultiplePodDisruptionBudgets"), [message]);
}
