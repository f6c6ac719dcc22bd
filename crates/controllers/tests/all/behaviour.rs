//! Has controllers work where something is wrong: they rest, they slow down, and they go on once they can.

use std::time::Duration;

use crate::cluster::Cluster;
use apiserver::inspect::Fault;
use clock::Clock;
use controllers::Options;
use json_tree::{Value, json};

const APPS: &str = "/apis/apps/v1/namespaces/default";
const PODS: &str = "/api/v1/namespaces/default/pods";
const JSON: &str = "application/json";
const MERGE: &str = "application/merge-patch+json";

fn template() -> Value {
    json!({"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "web", "image": "nginx"}]}})
}

fn workload(replicas: i64) -> Value {
    let spec =
        json!({"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": template()});
    json!({"metadata": {"name": "web"}, "spec": spec})
}

fn make(cluster: &Cluster, plural: &str, replicas: i64) {
    cluster.send("POST", &format!("{APPS}/{plural}"), &workload(replicas), JSON);
}

fn count(cluster: &Cluster, path: &str) -> usize {
    cluster.get(path)["items"].as_array().map_or(0, Vec::len)
}

fn pods(cluster: &Cluster) -> usize {
    count(cluster, PODS)
}

#[test]
fn nothing_is_due_when_all_is_done() {
    let mut cluster = Cluster::new();
    cluster.settle();
    assert_eq!(cluster.manager.next_due(), None);
    let before = cluster.writes();
    cluster.wait(Duration::from_secs(3600));
    assert_eq!(cluster.writes(), before);
    make(&cluster, "replicasets", 2);
    cluster.settle();
    assert_eq!((pods(&cluster), cluster.manager.next_due()), (2, None));
}

#[test]
fn the_same_requests_at_the_same_times_make_the_same_cluster() {
    let play = || {
        let mut cluster = Cluster::new();
        cluster.settle();
        make(&cluster, "deployments", 3);
        cluster.wait(Duration::from_secs(2));
        cluster.make_ready("default", "app=web");
        let image = json!({"spec": {"template": {"spec": {"containers": [{"name": "web", "image": "x"}]}}}});
        let patch = "application/strategic-merge-patch+json";
        cluster.send("PATCH", &format!("{APPS}/deployments/web"), &image, patch);
        cluster.wait(Duration::from_secs(700));
        let paths =
            ["/api/v1/pods", "/api/v1/events", "/apis/apps/v1/replicasets", "/apis/apps/v1/deployments"];
        paths.map(|path| cluster.get(path).to_string())
    };
    assert_eq!(play(), play());
}

#[test]
fn a_controller_without_permission_slows_down_and_goes_on_once_it_has_it() {
    let mut cluster = Cluster::new();
    cluster.settle();
    let path = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
    let own = format!("{path}/system:controller:replicaset-controller");
    let mut binding = cluster.get(&own);
    cluster.send("DELETE", &own, &Value::Null, JSON);
    make(&cluster, "replicasets", 2);
    cluster.wait(Duration::from_secs(1000));
    assert_eq!(pods(&cluster), 0);
    let requests = |cluster: &Cluster, after| cluster.server.inspect().served(after, usize::MAX);
    let last = requests(&cluster, 0).last().map_or(0, |last| last.id);
    cluster.wait(Duration::from_secs(3000));
    let by_it = |user: &str| user.ends_with(":replicaset-controller");
    let later = requests(&cluster, last);
    let tries = later
        .iter()
        .filter(|request| request.access.as_ref().is_some_and(|access| by_it(&access.user)))
        .count();
    assert!((1..40).contains(&tries), "{tries}");
    binding["metadata"] = json!({"name": "system:controller:replicaset-controller"});
    cluster.send("POST", path, &binding, JSON);
    cluster.wait(Duration::from_secs(1001));
    assert_eq!(pods(&cluster), 2);
}

#[test]
fn a_loop_that_never_rests_slows_down_and_says_so() {
    let mut cluster = Cluster::with(&["root-ca-certificate-publisher-controller"]);
    let policies = "/apis/admissionregistration.k8s.io/v1";
    let expression = "[JSONPatch{op: \"replace\", path: \"/data/ca.crt\", value: string(variables.next)}]";
    let policy = json!({
        "metadata": {"name": "counts"},
        "spec": {
            "matchConstraints": {"resourceRules": [
                {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["UPDATE"], "resources": ["configmaps"]}
            ]},
            "matchConditions": [{"name": "own", "expression": "object.metadata.name == 'kube-root-ca.crt'"}],
            "variables": [{"name": "next", "expression": "string(size(oldObject.data['ca.crt']) % 2) + oldObject.metadata.resourceVersion"}],
            "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": expression}}],
            "reinvocationPolicy": "Never"
        }
    });
    cluster.settle();
    cluster.send("POST", &format!("{policies}/mutatingadmissionpolicies"), &policy, JSON);
    let binding = json!({"metadata": {"name": "counts"}, "spec": {"policyName": "counts"}});
    cluster.send("POST", &format!("{policies}/mutatingadmissionpolicybindings"), &binding, JSON);
    let map = "/api/v1/namespaces/default/configmaps/kube-root-ca.crt";
    cluster.send("PATCH", map, &json!({"data": {"ca.crt": "x"}}), MERGE);
    // It comes to rest though time stands.
    cluster.settle();
    let due = cluster.manager.next_due();
    assert!(due.is_some());
    let before = cluster.server.inspect().revision();
    cluster.wait(Duration::from_secs(100));
    let writes = cluster.server.inspect().revision() - before;
    assert!((1..1200).contains(&writes), "{writes}");
    let events = cluster.get("/api/v1/namespaces/default/events").to_string();
    assert!(events.contains("\"reason\":\"BackOff\""), "{events}");
}

#[test]
fn a_stale_cache_makes_no_pod_twice() {
    let mut cluster = Cluster::new();
    cluster.settle();
    cluster.server.inspect().set_lag(Some("pods"), Duration::from_secs(5));
    make(&cluster, "replicasets", 3);
    cluster.wait(Duration::from_secs(20));
    assert_eq!(pods(&cluster), 3);
    cluster.send("PATCH", &format!("{APPS}/replicasets/web"), &json!({"spec": {"replicas": 1}}), MERGE);
    cluster.wait(Duration::from_secs(20));
    assert_eq!(pods(&cluster), 1);
}

#[test]
fn what_was_missed_is_listed_anew() {
    let mut cluster = Cluster::new();
    make(&cluster, "deployments", 2);
    cluster.settle();
    for _ in 0..3 {
        let inspect = cluster.server.inspect();
        inspect.overview().watches.iter().for_each(|watch| inspect.drop_watch(watch.id));
        let pod = &cluster.get("/api/v1/namespaces/default/pods")["items"][0];
        let name = pod.text_at("/metadata/name").to_owned();
        cluster.send("DELETE", &format!("/api/v1/namespaces/default/pods/{name}"), &Value::Null, JSON);
        let revision = inspect.revision();
        inspect.compact(revision);
        inspect.forget(revision);
        cluster.wait(Duration::from_secs(40));
        assert_eq!(pods(&cluster), 2);
    }
}

#[test]
fn failing_requests_are_sent_again() {
    for fault in [Fault::Cut, Fault::TooManyRequests, Fault::InternalError, Fault::Unavailable] {
        let mut cluster = Cluster::new();
        cluster.settle();
        make(&cluster, "deployments", 2);
        cluster.server.inspect().fail_next(7, fault);
        cluster.wait(Duration::from_secs(60));
        cluster.server.inspect().clear_faults();
        cluster.wait(Duration::from_secs(60));
        assert_eq!(pods(&cluster), 2, "{fault:?}");
    }
}

#[test]
fn nothing_is_done_before_all_pods_are_known() {
    // The account is looked for, and then the lists of pods and of ReplicaSets fail.
    for failures in 1..=3 {
        let mut cluster = Cluster::new();
        make(&cluster, "replicasets", 3);
        cluster.settle();
        cluster.restart(&["replicaset-controller"], &Options::default());
        cluster.server.inspect().fail_next(failures, Fault::InternalError);
        cluster.settle();
        assert_eq!(pods(&cluster), 3, "{failures}");
        cluster.wait(Duration::from_secs(60));
        assert_eq!(pods(&cluster), 3, "{failures}");
        let status = cluster.get(&format!("{APPS}/replicasets/web"));
        assert_eq!(status["status"]["replicas"].as_i64(), Some(3), "{failures}");
    }
}

#[test]
fn dependents_that_cannot_be_listed_are_not_forgotten() {
    let mut cluster = Cluster::new();
    cluster.settle();
    let maps = "/api/v1/namespaces/default/configmaps";
    let secrets = "/api/v1/namespaces/default/secrets";
    let owner = cluster.send("POST", secrets, &json!({"metadata": {"name": "owner"}}), JSON);
    let uid = owner.text_at("/metadata/uid");
    let reference = json!({"apiVersion": "v1", "kind": "Secret", "name": "owner", "uid": uid});
    let dependent = json!({"metadata": {"name": "dependent", "ownerReferences": [reference]}});
    cluster.send("POST", maps, &dependent, JSON);
    cluster.restart(&["*"], &Options::default());
    // The informers may list nothing but Secrets.
    let role = "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:kube-controller-manager";
    let rules = cluster.get(role)["rules"].clone();
    let all = rules.as_array().unwrap().iter().filter(|rule| rule["resources"] != json!(["*"]));
    let mut few: Vec<Value> = all.cloned().collect();
    let allow = |group: &str, resource: &str| json!({"apiGroups": [group], "resources": [resource], "verbs": ["list", "watch"]});
    few.extend([allow("", "secrets"), allow("apiextensions.k8s.io", "*")]);
    cluster.send("PATCH", role, &json!({"rules": few}), MERGE);
    let orphan = json!({"propagationPolicy": "Orphan"});
    cluster.send("DELETE", &format!("{secrets}/owner"), &orphan, JSON);
    cluster.wait(Duration::from_secs(60));
    assert_eq!(cluster.call("GET", &format!("{secrets}/owner"), &Value::Null, JSON).0, 200);
    cluster.send("PATCH", role, &json!({"rules": rules}), MERGE);
    cluster.wait(Duration::from_secs(60));
    assert_eq!(cluster.call("GET", &format!("{secrets}/owner"), &Value::Null, JSON).0, 404);
    let dependent = cluster.send("GET", &format!("{maps}/dependent"), &Value::Null, JSON);
    assert_eq!(dependent.pointer("/metadata/ownerReferences"), None);
}

#[test]
fn who_wants_too_many_pods_gets_them_slowly() {
    let mut cluster = Cluster::new();
    cluster.settle();
    make(&cluster, "replicasets", i64::from(i32::MAX));
    cluster.settle();
    assert_eq!(pods(&cluster), 1000);
    let due = cluster.manager.next_due();
    assert_eq!(due, Some(cluster.clock.now() + Duration::from_secs(1)));
    let events = cluster.get("/api/v1/namespaces/default/events").to_string();
    assert!(events.contains("\"reason\":\"BackOff\""), "{events}");
}

#[test]
fn the_newest_of_old_replica_sets_is_scaled_first() {
    let mut cluster = Cluster::new();
    make(&cluster, "deployments", 1);
    cluster.wait(Duration::from_secs(2));
    cluster.make_ready("default", "app=web");
    let web = format!("{APPS}/deployments/web");
    cluster.send("PATCH", &web, &json!({"spec": {"paused": true}}), MERGE);
    cluster.settle();
    let owner = cluster.get(&web)["metadata"]["uid"].clone();
    let reference = json!({"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": owner, "controller": true});
    for name in ["old-a", "old-b"] {
        let mut set = workload(1);
        let labels = json!({"app": "web"});
        set["metadata"] = json!({"name": name, "labels": labels, "ownerReferences": [reference.clone()]});
        set["spec"]["template"]["spec"]["containers"][0]["image"] = name.into();
        cluster.send("POST", &format!("{APPS}/replicasets"), &set, JSON);
        cluster.clock.advance(Duration::from_secs(1));
    }
    cluster.settle();
    let events = cluster.get("/api/v1/namespaces/default/events");
    let messages = events["items"].as_array().unwrap().iter().map(|event| event.text("message").to_owned());
    let scaled: Vec<_> = messages.filter(|message| message.contains("replica set old-")).collect();
    let expected = ["old-b", "old-a"].map(|name| format!("Scaled down replica set {name} from 1 to 0"));
    assert_eq!(scaled, expected);
}

/// Makes a pod of the template, with other metadata.
fn make_pod(cluster: &Cluster, metadata: &Value) {
    let pod = json!({"metadata": metadata.clone(), "spec": template()["spec"].clone()});
    cluster.send("POST", PODS, &pod, JSON);
}

#[test]
fn pods_without_labels_are_not_looked_at() {
    let mut cluster = Cluster::with(&["replicaset-controller"]);
    let mut set = workload(1);
    set["spec"]["selector"] = json!({"matchExpressions": [{"key": "old", "operator": "DoesNotExist"}]});
    cluster.send("POST", &format!("{APPS}/replicasets"), &set, JSON);
    cluster.settle();
    make_pod(&cluster, &json!({"name": "bare"}));
    cluster.settle();
    assert_eq!(pods(&cluster), 2);
    make_pod(&cluster, &json!({"name": "labeled", "labels": {"a": "b"}}));
    cluster.settle();
    assert_eq!(pods(&cluster), 1);
}

#[test]
fn a_pod_of_another_name_is_not_counted() {
    let mut cluster = Cluster::with(&["replicaset-controller"]);
    make(&cluster, "replicasets", 0);
    let uid = cluster.get(&format!("{APPS}/replicasets/web"))["metadata"]["uid"].clone();
    let reference = json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "other", "uid": uid, "controller": true});
    make_pod(&cluster, &json!({"name": "p", "labels": {"app": "web"}, "ownerReferences": [reference]}));
    cluster.send("PATCH", &format!("{APPS}/replicasets/web"), &json!({"spec": {"replicas": 1}}), MERGE);
    cluster.settle();
    assert_eq!(pods(&cluster), 2);
}

#[test]
fn the_longest_name_has_a_dash_behind_it() {
    let mut cluster = Cluster::with(&["replicaset-controller"]);
    let mut set = workload(1);
    let name = "n".repeat(253);
    set["metadata"]["name"] = name.as_str().into();
    cluster.send("POST", &format!("{APPS}/replicasets"), &set, JSON);
    cluster.settle();
    let pod = &cluster.get(PODS)["items"][0];
    assert_eq!(pod.text_at("/metadata/generateName"), [&name, "-"].concat());
}

#[test]
fn events_of_others_are_owned_like_anything() {
    let mut cluster = Cluster::new();
    let versions = json!([{
        "name": "v1", "served": true, "storage": true,
        "schema": {"openAPIV3Schema": {"type": "object"}}
    }]);
    let spec = json!({
        "group": "example.com", "scope": "Namespaced", "versions": versions,
        "names": {"plural": "events", "singular": "event", "kind": "Event", "listKind": "EventList"}
    });
    let definition = json!({"metadata": {"name": "events.example.com"}, "spec": spec});
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    cluster.send("POST", definitions, &definition, JSON);
    cluster.settle();
    let maps = "/api/v1/namespaces/default/configmaps";
    let owner = cluster.send("POST", maps, &json!({"metadata": {"name": "owner"}}), JSON);
    let uid = owner.text_at("/metadata/uid");
    let reference = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": uid});
    let event = json!({
        "apiVersion": "example.com/v1", "kind": "Event",
        "metadata": {"name": "e", "ownerReferences": [reference]}
    });
    let events = "/apis/example.com/v1/namespaces/default/events";
    cluster.send("POST", events, &event, JSON);
    cluster.settle();
    assert_eq!(count(&cluster, events), 1);
    cluster.send("DELETE", &format!("{maps}/owner"), &Value::Null, JSON);
    cluster.settle();
    assert_eq!(count(&cluster, events), 0);
}

#[test]
fn an_owner_elsewhere_is_called_as_its_dependent_calls_it() {
    let mut cluster = Cluster::new();
    cluster.settle();
    let maps = |namespace: &str| format!("/api/v1/namespaces/{namespace}/configmaps");
    let owner = cluster.send("POST", &maps("kube-public"), &json!({"metadata": {"name": "owner"}}), JSON);
    let uid = owner.text_at("/metadata/uid").to_owned();
    cluster.settle();
    let reference = json!({"apiVersion": "v1", "kind": "Secret", "name": "other", "uid": uid.as_str()});
    let dependent = json!({"metadata": {"name": "d", "ownerReferences": [reference]}});
    cluster.send("POST", &maps("default"), &dependent, JSON);
    cluster.settle();
    let events = cluster.get("/api/v1/namespaces/default/events").to_string();
    let named = format!("ownerRef [v1/Secret, namespace: default, name: other, uid: {uid}] does not exist");
    assert!(events.contains(&named), "{events}");
}

#[test]
fn who_waits_for_a_cache_that_lags_says_until_when() {
    let mut cluster = Cluster::with(&["namespace-controller"]);
    cluster.settle();
    let namespace = json!({"metadata": {"name": "n"}});
    cluster.send("POST", "/api/v1/namespaces", &namespace, JSON);
    cluster.send("DELETE", "/api/v1/namespaces/n", &Value::Null, JSON);
    cluster.server.inspect().set_lag(Some("configmaps"), Duration::from_secs(2));
    let end = cluster.clock.now() + Duration::from_secs(60);
    let map = json!({"metadata": {"name": "m"}});
    let mut waits = 0;
    loop {
        cluster.settle();
        let Some(due) = cluster.manager.next_due().filter(|due| *due < end) else { break };
        let now = cluster.clock.now();
        assert!(due > now);
        waits += 1;
        cluster.clock.advance(due - now);
        cluster.send("POST", "/api/v1/namespaces/default/configmaps", &map, JSON);
        cluster.send("DELETE", "/api/v1/namespaces/default/configmaps/m", &Value::Null, JSON);
    }
    assert!(waits > 2, "{waits}");
    assert_eq!(cluster.call("GET", "/api/v1/namespaces/n", &Value::Null, JSON).0, 404);
}

#[test]
fn the_end_of_time_is_no_end_of_controllers() {
    let mut cluster = Cluster::new();
    cluster.settle();
    make(&cluster, "deployments", 2);
    cluster.clock.advance(Duration::MAX);
    cluster.settle();
    assert_eq!(cluster.manager.next_due(), None);
}

#[test]
fn a_pod_that_takes_forever_does_not_keep_its_namespace_waiting() {
    let mut cluster = Cluster::new();
    cluster.send("POST", "/api/v1/namespaces", &json!({"metadata": {"name": "n"}}), JSON);
    cluster.settle();
    let mut spec = template()["spec"].clone();
    let long = json!({"nodeName": "node", "terminationGracePeriodSeconds": 10_000_000_000_i64});
    for (key, value) in long.as_object().unwrap() {
        spec.as_object_mut().unwrap().insert(key.clone(), value.clone());
    }
    let path = "/api/v1/namespaces/n/pods";
    cluster.send("POST", path, &json!({"metadata": {"name": "p"}, "spec": spec}), JSON);
    cluster.send("DELETE", "/api/v1/namespaces/n", &Value::Null, JSON);
    cluster.wait(Duration::from_secs(10));
    assert_eq!(cluster.call("GET", &format!("{path}/p"), &Value::Null, JSON).0, 200);
    let due = cluster.manager.next_due().unwrap();
    assert!(due < cluster.clock.now() + Duration::from_secs(60), "{due:?}");
    cluster.send("DELETE", &format!("{path}/p"), &json!({"gracePeriodSeconds": 0}), JSON);
    cluster.wait(Duration::from_secs(60));
    assert_eq!(cluster.call("GET", "/api/v1/namespaces/n", &Value::Null, JSON).0, 404);
}

#[test]
fn controllers_act_in_their_own_names() {
    let mut cluster = Cluster::new();
    cluster.settle();
    for account in ["deployment-controller", "generic-garbage-collector", "replication-controller"] {
        let path = format!("/api/v1/namespaces/kube-system/serviceaccounts/{account}");
        assert_eq!(cluster.call("GET", &path, &Value::Null, JSON).0, 200, "{account}");
    }
    let inspect = cluster.server.inspect();
    let (own, other) =
        ("system:serviceaccount:kube-system:root-ca-cert-publisher", "kube-controller-manager/v1.36");
    let requests = inspect.served(0, usize::MAX);
    let written =
        requests.iter().find(|request| request.method == "POST" && request.uri.ends_with("/configmaps"));
    let written = written.unwrap();
    assert_eq!(written.access.as_ref().unwrap().user, own);
    assert!(
        written.user_agent.starts_with(other) && written.user_agent.ends_with(own),
        "{}",
        written.user_agent
    );
    assert_eq!(written.manager, "kube-controller-manager");
}
