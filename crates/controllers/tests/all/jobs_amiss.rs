//! Has Jobs run where something is wrong, or somebody interferes: their pods are counted once, and nothing is left of them.

use crate::cluster::Cluster;
use crate::cluster::jobs::{
    COMPLETE, JOBS, MET, assert_rest, conditions, end, events, job, names, numbers, phases, seconds, status,
    with, with_nodes, without_nodes,
};
use crate::cluster::pods::{JSON, MERGE, PODS, cluster, items, pod};
use apiserver::inspect::Fault;
use controllers::Options;
use json_tree::{Value, json};

#[test]
fn pods_are_tracked_by_a_finalizer_until_they_are_counted() {
    let mut cluster = without_nodes(&json!({"completions": 2, "parallelism": 1}));
    let name = names(&cluster)[0].clone();
    let finalizers = pod(&cluster, &name)["metadata"]["finalizers"].clone();
    assert_eq!(finalizers, json!(["batch.kubernetes.io/job-tracking"]));
    assert_eq!(numbers(&cluster), [1, 0, 0, 0, 0]);
    // The server refuses to let the finalizer go: the pod is noted, and not counted.
    let uid = pod(&cluster, &name).text_at("/metadata/uid").to_owned();
    let path = "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:controller:job-controller";
    let role = cluster.get(path);
    let mut less = role.clone();
    for rule in less["rules"].as_array_mut().unwrap() {
        if rule["resources"][0].as_str() == Some("pods") {
            rule["verbs"] = json!(["list", "watch", "create", "delete"]);
        }
    }
    let put = |cluster: &Cluster, role: &Value| {
        let mut role = role.clone();
        role["metadata"] = json!({"name": "system:controller:job-controller"});
        cluster.send("PUT", path, &role, JSON);
    };
    put(&cluster, &less);
    end(&cluster, &name, "Succeeded", 0);
    cluster.wait(seconds(2));
    assert_eq!(status(&cluster)["uncountedTerminatedPods"], json!({"succeeded": [uid]}));
    assert_eq!(numbers(&cluster), [1, 0, 0, 0, 0]);
    put(&cluster, &role);
    cluster.wait(seconds(60));
    assert_eq!(status(&cluster)["uncountedTerminatedPods"], json!({}));
    assert_eq!(numbers(&cluster), [1, 0, 0, 1, 0]);
    assert_eq!(pod(&cluster, &name).pointer("/metadata/finalizers"), None);
}

#[test]
fn a_job_of_another_controller_is_left_alone() {
    let cluster = without_nodes(&json!({"managedBy": "example.com/other"}));
    assert_eq!(names(&cluster).len(), 0);
    assert_eq!(status(&cluster), json!({}));
}

#[test]
fn pods_are_adopted_and_released() {
    let selector = json!({"matchLabels": {"app": "x"}});
    let template = json!({
        "metadata": {"labels": {"app": "x"}},
        "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "worker:1.37"}]}
    });
    let mut cluster = Cluster::new();
    cluster.settle();
    let orphan = with(template.clone(), &json!({"metadata": {"name": "orphan", "labels": {"app": "x"}}}));
    cluster.send("POST", PODS, &orphan, JSON);
    let spec = json!({"manualSelector": true, "selector": selector, "template": template});
    cluster.send("POST", JOBS, &job("", &spec), JSON);
    cluster.wait(seconds(3));
    assert_eq!(names(&cluster), ["orphan"]);
    let adopted = pod(&cluster, "orphan");
    assert_eq!(adopted.text_at("/metadata/ownerReferences/0/name"), "job");
    assert_eq!(adopted.text_at("/metadata/finalizers/0"), "batch.kubernetes.io/job-tracking");
    let labels = json!({"metadata": {"labels": {"app": "y"}}});
    cluster.send("PATCH", &format!("{PODS}/orphan"), &labels, MERGE);
    cluster.wait(seconds(3));
    let released = pod(&cluster, "orphan");
    assert_eq!(released.pointer("/metadata/ownerReferences"), None);
    assert_eq!(released.pointer("/metadata/finalizers"), None);
    assert_eq!((names(&cluster).len(), numbers(&cluster)[0]), (2, 1));
}

#[test]
fn pods_with_no_index_or_with_that_of_another_one_go() {
    let labels = json!({"app": "x"});
    let spec = json!({"restartPolicy": "Never", "containers": [{"name": "c", "image": "worker:1.37"}]});
    let mut cluster = without_nodes(&json!({
        "completions": 2, "parallelism": 2, "completionMode": "Indexed", "manualSelector": true,
        "selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": spec}
    }));
    let own = names(&cluster);
    cluster.wait(seconds(2));
    for (name, index) in [("same", Some("1")), ("large", Some("2")), ("none", None)] {
        let mut metadata = json!({"name": name, "labels": labels});
        if let Some(index) = index {
            metadata["annotations"] = json!({"batch.kubernetes.io/job-completion-index": index});
        }
        cluster.send("POST", PODS, &json!({"metadata": metadata, "spec": spec}), JSON);
    }
    cluster.wait(seconds(5));
    assert_eq!((names(&cluster), numbers(&cluster)), (own, [2, 0, 0, 0, 0]));
    assert!(events(&cluster).contains(&"3x Normal SuccessfulDelete: Deleted".to_owned()));
}

#[test]
fn a_deleted_job_leaves_no_finalizers() {
    for (policy, left) in [("Background", 0), ("Foreground", 0), ("Orphan", 2)] {
        let mut cluster = without_nodes(&json!({"parallelism": 2, "completions": 2}));
        end(&cluster, &names(&cluster)[0], "Succeeded", 0);
        let options = json!({"propagationPolicy": policy});
        cluster.send("DELETE", &format!("{JOBS}/job"), &options, JSON);
        cluster.wait(seconds(40));
        assert_eq!(items(&cluster, JOBS).len(), 0, "{policy}");
        assert_eq!(names(&cluster).len(), left, "{policy}");
        assert_rest(&mut cluster);
    }
}

#[test]
fn a_stale_cache_counts_no_pod_twice() {
    for resource in ["pods", "jobs"] {
        let mut cluster = without_nodes(&json!({"completions": 3, "parallelism": 3}));
        cluster.server.inspect().set_lag(Some(resource), seconds(5));
        for name in names(&cluster) {
            end(&cluster, &name, "Succeeded", 0);
            cluster.wait(seconds(2));
        }
        cluster.wait(seconds(60));
        assert_eq!((numbers(&cluster), names(&cluster).len()), ([0, 0, 0, 3, 0], 3), "{resource}");
        assert_eq!(conditions(&cluster), [MET, COMPLETE], "{resource}");
    }
}

#[test]
fn failing_requests_count_no_pod_twice() {
    for fault in [Fault::Cut, Fault::TooManyRequests, Fault::InternalError, Fault::Unavailable] {
        for failures in 1..=5 {
            let about = format!("{failures} {fault:?}");
            let mut cluster = without_nodes(&json!({"completions": 4, "parallelism": 3}));
            for name in names(&cluster) {
                end(&cluster, &name, "Succeeded", 0);
            }
            cluster.server.inspect().fail_next(failures, fault);
            cluster.wait(seconds(60));
            cluster.server.inspect().clear_faults();
            cluster.wait(seconds(60));
            assert_eq!((numbers(&cluster), names(&cluster).len()), ([1, 0, 0, 3, 0], 4), "{about}");
            for name in names(&cluster) {
                if pod(&cluster, &name).text_at("/status/phase") == "Pending" {
                    end(&cluster, &name, "Succeeded", 0);
                }
            }
            assert_rest(&mut cluster);
            assert_eq!(conditions(&cluster), [MET, COMPLETE], "{about}");
        }
    }
}

#[test]
fn pods_that_cannot_be_made_are_told_of_and_tried_again() {
    let mut cluster = Cluster::new();
    cluster.settle();
    let quotas = "/api/v1/namespaces/default/resourcequotas";
    let quota = json!({"metadata": {"name": "q"}, "spec": {"hard": {"pods": "1"}}});
    cluster.send("POST", quotas, &quota, JSON);
    let used = json!({"status": {"hard": {"pods": "1"}, "used": {"pods": "0"}}});
    cluster.send("PATCH", &format!("{quotas}/q/status"), &used, MERGE);
    cluster.send("POST", JOBS, &job("", &json!({"completions": 4, "parallelism": 4})), JSON);
    cluster.wait(seconds(30));
    assert_eq!((numbers(&cluster), names(&cluster).len()), ([1, 0, 0, 0, 0], 1));
    let all = events(&cluster);
    assert!(
        all.iter().any(|line| line.contains("Warning FailedCreate: Error creating: pods \"job-")),
        "{all:?}"
    );
    cluster.send("DELETE", &format!("{quotas}/q"), &Value::Null, JSON);
    cluster.wait(seconds(60));
    assert_eq!((numbers(&cluster), names(&cluster).len()), ([4, 0, 0, 0, 0], 4));
}

#[test]
fn many_pods_are_made_and_counted_little_by_little() {
    let mut cluster = without_nodes(&json!({"completions": 520, "parallelism": 520}));
    cluster.wait(seconds(5));
    assert_eq!((numbers(&cluster)[0], names(&cluster).len()), (520, 520));
    for name in names(&cluster) {
        end(&cluster, &name, "Succeeded", 0);
    }
    cluster.wait(seconds(60));
    assert_eq!(
        (numbers(&cluster), conditions(&cluster)),
        ([0, 0, 0, 520, 0], vec![MET.to_owned(), COMPLETE.to_owned()])
    );
    assert_rest(&mut cluster);
}

#[test]
fn pods_of_a_deleted_job_stop_and_go() {
    for policy in ["Background", "Foreground"] {
        let mut cluster = with_nodes("", &json!({"parallelism": 2}), seconds(5));
        let options = json!({"propagationPolicy": policy});
        cluster.send("DELETE", &format!("{JOBS}/job"), &options, JSON);
        cluster.wait(seconds(60));
        assert_eq!((items(&cluster, JOBS).len(), names(&cluster).len()), (0, 0), "{policy}");
        assert_eq!(cluster.manager.next_due(), None, "{policy}");
    }
}

#[test]
fn a_namespace_with_a_job_ends() {
    let mut cluster = cluster(1);
    cluster.send("POST", "/api/v1/namespaces", &json!({"metadata": {"name": "ns"}}), JSON);
    cluster.send("POST", "/apis/batch/v1/namespaces/ns/jobs", &job("", &json!({"parallelism": 2})), JSON);
    cluster.wait(seconds(5));
    assert_eq!(items(&cluster, "/api/v1/namespaces/ns/pods").len(), 2);
    cluster.send("DELETE", "/api/v1/namespaces/ns", &Value::Null, JSON);
    cluster.wait(seconds(120));
    assert_eq!(cluster.call("GET", "/api/v1/namespaces/ns", &Value::Null, JSON).0, 404);
    assert_eq!(cluster.manager.next_due(), None);
}

#[test]
fn other_controllers_go_on_with_a_job() {
    let mut cluster = without_nodes(&json!({"completions": 2, "parallelism": 2, "backoffLimit": 1}));
    let all = names(&cluster);
    end(&cluster, &all[0], "Succeeded", 0);
    cluster.clock.advance(seconds(1));
    cluster.restart(&["*"], &Options::default());
    end(&cluster, &all[1], "Failed", 1);
    cluster.wait(seconds(5));
    assert_eq!(numbers(&cluster), [0, 0, 0, 1, 1]);
    cluster.wait(seconds(10));
    assert_eq!(numbers(&cluster), [1, 0, 0, 1, 1]);
}

#[test]
fn the_same_requests_at_the_same_times_make_the_same_jobs() {
    let play = || {
        let spec =
            json!({"completions": 6, "parallelism": 3, "completionMode": "Indexed", "backoffLimit": 2});
        let cluster = with_nodes("exit 1 after 3s", &spec, seconds(100));
        [JOBS, PODS, "/api/v1/events"].map(|path| cluster.get(path).to_string())
    };
    assert_eq!(play(), play());
}

#[test]
fn a_back_off_with_another_pod_ready_holds_the_status_up() {
    // The real one says that no pod is active while it waits, which its API server refuses where one is ready.
    let spec = json!({"completions": 2, "parallelism": 2});
    let mut cluster = with_nodes("", &spec, seconds(5));
    assert_eq!(numbers(&cluster), [2, 2, 0, 0, 0]);
    end(&cluster, &names(&cluster)[0], "Failed", 1);
    cluster.wait(seconds(5));
    assert_eq!((numbers(&cluster), phases(&cluster).len()), ([2, 2, 0, 0, 0], 2));
    cluster.wait(seconds(15));
    assert_eq!((numbers(&cluster), phases(&cluster).len()), ([2, 2, 0, 0, 1], 3));
}
