//! HorizontalPodAutoscalers: what annotations say that pods use, and what happens as time passes.

use std::time::Duration;

use crate::cluster::Cluster;
use crate::cluster::pods::{JSON, MERGE, PODS, cluster, items};
use json_tree::{Value, json};

const AUTOSCALERS: &str = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";
const USER: &str = "horizontal-pod-autoscaler";

/// Makes a Deployment of pods that request 100 thousandths of a CPU, and use what an annotation says.
fn deploy(cluster: &Cluster, replicas: u32, usage: &str) {
    let container = json!({"name": "app", "image": "nginx:1.29", "resources": {"requests": {"cpu": "100m"}}});
    let deployment = json!({"metadata": {"name": "web"}, "spec": {
        "replicas": replicas,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}, "annotations": {"kubeglass.dev/usage": usage}},
            "spec": {"containers": [container]}
        }
    }});
    cluster.send("POST", DEPLOYMENTS, &deployment, JSON);
}

/// Makes an autoscaler of that Deployment, which wants half of the CPU to be used.
fn scale(cluster: &Cluster, name: &str) {
    let target = json!({"type": "Utilization", "averageUtilization": 50});
    let autoscaler = json!({"metadata": {"name": name}, "spec": {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
        "maxReplicas": 4,
        "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]
    }});
    cluster.send("POST", AUTOSCALERS, &autoscaler, JSON);
}

/// Says what each pod that is there uses.
fn use_of_all(cluster: &Cluster, usage: &str) {
    let patch = json!({"metadata": {"annotations": {"kubeglass.dev/usage": usage}}});
    for pod in items(cluster, PODS) {
        cluster.send("PATCH", &format!("{PODS}/{}", pod.text_at("/metadata/name")), &patch, MERGE);
    }
}

fn replicas(cluster: &Cluster) -> Value {
    cluster.get(&format!("{DEPLOYMENTS}/web"))["spec"]["replicas"].clone()
}

/// Returns the reason and the message of a condition.
fn condition(cluster: &Cluster, name: &str, kind: &str) -> (String, String) {
    let autoscaler = cluster.get(&format!("{AUTOSCALERS}/{name}"));
    let conditions = autoscaler["status"]["conditions"].as_array().cloned().unwrap_or_default();
    let found = conditions.iter().find(|condition| condition.text("type") == kind);
    found.map(|found| (found.text("reason").to_owned(), found.text("message").to_owned())).unwrap_or_default()
}

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

#[test]
fn a_deployment_grows_and_shrinks() {
    let mut cluster = cluster(2);
    deploy(&cluster, 1, "cpu=90m");
    scale(&cluster, "web");
    cluster.wait(seconds(14));
    assert_eq!(replicas(&cluster), 1);
    cluster.wait(seconds(2));
    assert_eq!(replicas(&cluster), 2);
    cluster.wait(seconds(60));
    assert_eq!(replicas(&cluster), 4);
    assert_eq!(condition(&cluster, "web", "ScalingLimited").0, "TooManyReplicas");
    use_of_all(&cluster, "cpu=10m");
    cluster.wait(seconds(240));
    assert_eq!(replicas(&cluster), 4);
    assert_eq!(condition(&cluster, "web", "AbleToScale").0, "ScaleDownStabilized");
    cluster.wait(seconds(120));
    assert_eq!(replicas(&cluster), 1);
    let (_, refused) = cluster.requests_of(USER);
    let others: Vec<_> = refused.iter().filter(|(_, path)| !path.contains("/metrics.k8s.io/")).collect();
    assert!(others.is_empty(), "{others:?}");
}

#[test]
fn nothing_is_written_where_nothing_changes() {
    let mut cluster = cluster(1);
    deploy(&cluster, 2, "cpu=50m");
    scale(&cluster, "web");
    cluster.wait(seconds(400));
    let (written, (requests, _)) = (cluster.writes(), cluster.requests_of(USER));
    cluster.wait(seconds(3600));
    assert_eq!(cluster.writes(), written);
    assert!(cluster.requests_of(USER).0 > requests);
}

#[test]
fn nothing_is_due_where_there_is_none() {
    let mut cluster = cluster(1);
    deploy(&cluster, 1, "");
    // The Deployment's deadline passes.
    cluster.wait(seconds(700));
    assert_eq!((cluster.manager.next_due(), cluster.requests_of(USER).0), (None, 0));
    scale(&cluster, "web");
    cluster.wait(seconds(20));
    assert!(cluster.manager.next_due().is_some());
    cluster.send("DELETE", &format!("{AUTOSCALERS}/web"), &Value::Null, JSON);
    cluster.wait(seconds(20));
    assert_eq!(cluster.manager.next_due(), None);
}

#[test]
fn an_annotation_that_makes_no_sense_is_told_of() {
    let mut cluster = cluster(1);
    deploy(&cluster, 1, "cpu=lots");
    scale(&cluster, "web");
    cluster.wait(seconds(20));
    let (reason, message) = condition(&cluster, "web", "ScalingActive");
    assert_eq!(reason, "FailedGetResourceMetric");
    let pod = items(&cluster, PODS)[0].text_at("/metadata/name").to_owned();
    let expected =
        format!("annotation kubeglass.dev/usage of pod {pod}: \"cpu=lots\": \"lots\": quantities must");
    assert!(message.contains(&expected), "{message}");
    use_of_all(&cluster, "cpu=50m");
    cluster.wait(seconds(15));
    assert_eq!(condition(&cluster, "web", "ScalingActive").0, "ValidMetricFound");
}

#[test]
fn two_for_the_same_pods_wait_for_each_other() {
    let mut cluster = cluster(1);
    deploy(&cluster, 1, "cpu=50m");
    scale(&cluster, "a");
    scale(&cluster, "b");
    cluster.wait(seconds(40));
    for name in ["a", "b"] {
        let (reason, message) = condition(&cluster, name, "ScalingActive");
        assert_eq!(reason, "AmbiguousSelector");
        assert_eq!(
            message,
            "pods by selector app=web are controlled by multiple HPAs: [default/a default/b]"
        );
    }
    cluster.send("DELETE", &format!("{AUTOSCALERS}/b"), &Value::Null, JSON);
    cluster.wait(seconds(20));
    assert_eq!(condition(&cluster, "a", "ScalingActive").0, "ValidMetricFound");
}

#[test]
fn who_begins_anew_goes_on() {
    let mut cluster = Cluster::new();
    cluster.settle();
    deploy(&cluster, 5, "cpu=50m");
    scale(&cluster, "web");
    cluster.wait(seconds(20));
    assert_eq!(replicas(&cluster), 4);
    cluster.restart(&["*"], &controllers::Options::default());
    cluster.send("PATCH", &format!("{AUTOSCALERS}/web"), &json!({"spec": {"maxReplicas": 3}}), MERGE);
    cluster.wait(seconds(20));
    assert_eq!(replicas(&cluster), 3);
}
