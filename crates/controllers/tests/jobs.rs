//! Has Jobs run: with nodes whose kubelets only pretend, and with pods whose status is written by hand.

mod cluster;

use std::time::Duration;

use apiserver::inspect::Fault;
use clock::Clock;
use cluster::Cluster;
use cluster::pods::{JSON, MERGE, PODS, cluster, items, pod};
use controllers::Options;
use golang::time::Time;
use json_tree::{Value, json};

const JOBS: &str = "/apis/batch/v1/namespaces/default/jobs";

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// Sets fields of an object.
fn with(mut object: Value, more: &Value) -> Value {
    for (key, value) in more.as_object().unwrap() {
        object[key.as_str()] = value.clone();
    }
    object
}

/// Makes a Job whose pods have a behaviour, with fields of its specification.
fn job(behaviour: &str, more: &Value) -> Value {
    let template = json!({
        "metadata": {"annotations": {"kubeglass.dev/behaviour": behaviour}},
        "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "busybox:1.37"}]}
    });
    json!({"metadata": {"name": "job"}, "spec": with(json!({"template": template}), more)})
}

/// Makes a cluster without nodes, and a Job.
fn without_nodes(more: &Value) -> Cluster {
    let mut cluster = Cluster::new();
    cluster.settle();
    cluster.send("POST", JOBS, &job("", more), JSON);
    cluster.wait(seconds(2));
    cluster
}

/// Makes a cluster with nodes, and a Job, and lets time pass.
fn with_nodes(behaviour: &str, more: &Value, time: Duration) -> Cluster {
    let mut cluster = cluster(2);
    cluster.send("POST", JOBS, &job(behaviour, more), JSON);
    cluster.wait(time);
    cluster
}

fn the_job(cluster: &Cluster) -> Value {
    cluster.get(&format!("{JOBS}/job"))
}

fn status(cluster: &Cluster) -> Value {
    the_job(cluster)["status"].clone()
}

/// Tells of the numbers of a status: of pods that are active, ready, terminating, and that have succeeded and failed.
fn numbers(cluster: &Cluster) -> [i64; 5] {
    let status = status(cluster);
    ["active", "ready", "terminating", "succeeded", "failed"]
        .map(|field| status.get(field).and_then(Value::as_i64).unwrap_or_default())
}

/// Tells of the conditions.
fn conditions(cluster: &Cluster) -> Vec<String> {
    let status = status(cluster);
    let conditions = status.get("conditions").and_then(Value::as_array).into_iter().flatten();
    let line = |condition: &Value| {
        ["type", "status", "reason", "message"].map(|key| condition.text(key)).join(" | ")
    };
    conditions.map(line).collect()
}

/// Tells of the events about the Job, without the names of pods: how often, why, and with which words.
fn events(cluster: &Cluster) -> Vec<String> {
    let all = items(cluster, "/api/v1/namespaces/default/events");
    let own = all.iter().filter(|event| event.text_at("/involvedObject/kind") == "Job");
    let mut counts: Vec<(String, i64)> = Vec::new();
    for event in own {
        let message = event.text("message");
        let message = message.split_once(" pod: ").map_or(message, |(before, _)| before);
        let line = format!("{} {}: {message}", event.text("type"), event.text("reason"));
        let count = event["count"].as_i64().unwrap();
        match counts.iter_mut().find(|(known, _)| *known == line) {
            Some(known) => known.1 += count,
            None => counts.push((line, count)),
        }
    }
    counts.iter().map(|(line, count)| format!("{count}x {line}")).collect()
}

fn phases(cluster: &Cluster) -> Vec<String> {
    items(cluster, PODS).iter().map(|pod| pod.text_at("/status/phase").to_owned()).collect()
}

fn names(cluster: &Cluster) -> Vec<String> {
    items(cluster, PODS).iter().map(|pod| pod.text_at("/metadata/name").to_owned()).collect()
}

/// Returns the names of the pods with an index that have not ended.
fn of_index(cluster: &Cluster, index: &str) -> Vec<String> {
    let is_meant = |pod: &&Value| {
        pod.text_at("/metadata/labels/batch.kubernetes.io~1job-completion-index") == index
            && ["Pending", "Running"].contains(&pod.text_at("/status/phase"))
    };
    let pods = items(cluster, PODS);
    pods.iter().filter(is_meant).map(|pod| pod.text_at("/metadata/name").to_owned()).collect()
}

/// Has a pod end now.
fn end(cluster: &Cluster, name: &str, phase: &str, code: i64) {
    let now = Time::unix(cluster.clock.now().as_secs() as i64).rfc3339();
    let state =
        json!({"terminated": {"exitCode": code, "finishedAt": now.as_str(), "startedAt": now.as_str()}});
    let container = json!({
        "name": "c", "image": "busybox:1.37", "imageID": "", "ready": false, "restartCount": 0, "state": state
    });
    let status = json!({"status": {"phase": phase, "containerStatuses": [container]}});
    cluster.send("PATCH", &format!("{PODS}/{name}/status"), &status, MERGE);
}

fn patch(cluster: &Cluster, spec: &Value) {
    cluster.send("PATCH", &format!("{JOBS}/job"), &json!({"spec": spec}), MERGE);
}

/// Asserts that nothing is left to be done, and that no pod has the finalizer.
#[track_caller]
fn assert_rest(cluster: &mut Cluster) {
    cluster.wait(seconds(5));
    assert_eq!(cluster.manager.next_due(), None);
    for pod in items(cluster, PODS) {
        assert_eq!(pod.pointer("/metadata/finalizers"), None, "{pod}");
    }
}

const MET: &str =
    "SuccessCriteriaMet | True | CompletionsReached | Reached expected number of succeeded pods";
const COMPLETE: &str = "Complete | True | CompletionsReached | Reached expected number of succeeded pods";

#[test]
fn jobs_end_as_their_pods_do() {
    let target = |reason: &str, message: &str| {
        ["FailureTarget", "Failed"].map(|kind| format!("{kind} | True | {reason} | {message}")).to_vec()
    };
    let limit = target("BackoffLimitExceeded", "Job has reached the specified backoff limit");
    let complete = vec![MET.to_owned(), COMPLETE.to_owned()];
    let on_failure = json!({
        "metadata": {"annotations": {"kubeglass.dev/behaviour": "exit 1 after 1s"}},
        "spec": {"restartPolicy": "OnFailure", "containers": [{"name": "c", "image": "busybox:1.37"}]}
    });
    for (about, behaviour, spec, time, expected_numbers, expected_conditions) in [
        ("one pod", "exit 0 after 1s", json!({}), 10, [0, 0, 0, 1, 0], complete.clone()),
        (
            "five, two at once",
            "exit 0 after 1s",
            json!({"completions": 5, "parallelism": 2}),
            30,
            [0, 0, 0, 5, 0],
            complete.clone(),
        ),
        (
            "as many as say that there is no more to do",
            "exit 0 after 1s",
            json!({"parallelism": 3}),
            30,
            [0, 0, 0, 3, 0],
            complete.clone(),
        ),
        ("none", "", json!({"completions": 0}), 5, [0; 5], complete),
        ("no failure is allowed", "exit 1", json!({"backoffLimit": 0}), 10, [0, 0, 0, 0, 1], limit.clone()),
        (
            "two failures are allowed",
            "exit 1",
            json!({"backoffLimit": 2}),
            60,
            [0, 0, 0, 0, 3],
            limit.clone(),
        ),
        (
            "containers start again",
            "",
            json!({"backoffLimit": 2, "template": on_failure}),
            60,
            [0, 0, 0, 0, 1],
            limit,
        ),
        (
            "it lasts too long",
            "",
            json!({"parallelism": 2, "completions": 2, "activeDeadlineSeconds": 7}),
            60,
            [0, 0, 0, 0, 2],
            target("DeadlineExceeded", "Job was active longer than specified deadline"),
        ),
        (
            "a rule about exit codes",
            "exit 42",
            json!({"podFailurePolicy": {"rules": [
                {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}
            ]}}),
            10,
            [0, 0, 0, 0, 1],
            Vec::new(),
        ),
        (
            "all indexes fail",
            "exit 1",
            json!({"completions": 2, "parallelism": 2, "completionMode": "Indexed", "backoffLimitPerIndex": 0}),
            10,
            [0, 0, 0, 0, 2],
            target("FailedIndexes", "Job has failed indexes"),
        ),
        (
            "too many indexes fail",
            "exit 1",
            json!({
                "completions": 4, "parallelism": 2, "completionMode": "Indexed", "backoffLimitPerIndex": 0,
                "maxFailedIndexes": 1
            }),
            10,
            [0, 0, 0, 0, 2],
            target(
                "MaxFailedIndexesExceeded",
                "Job has exceeded the specified maximal number of failed indexes",
            ),
        ),
    ] {
        let mut cluster = with_nodes(behaviour, &spec, seconds(time));
        assert_eq!(numbers(&cluster), expected_numbers, "{about}: {}", status(&cluster));
        let mut expected = expected_conditions;
        if expected.is_empty() {
            let name = &names(&cluster)[0];
            let message = format!(
                "Container c for pod default/{name} failed with exit code 42 matching FailJob rule at index 0"
            );
            expected = target("PodFailurePolicy", &message);
        }
        assert_eq!(conditions(&cluster), expected, "{about}");
        let status = status(&cluster);
        let is_complete = expected.contains(&COMPLETE.to_owned());
        assert_eq!(status.get("completionTime").is_some(), is_complete, "{about}");
        assert_eq!(status["uncountedTerminatedPods"], json!({}), "{about}");
        assert_rest(&mut cluster);
    }
}

#[test]
fn events_tell_of_a_job() {
    let cluster = with_nodes("exit 0 after 1s", &json!({"completions": 3, "parallelism": 2}), seconds(30));
    let created = "3x Normal SuccessfulCreate: Created".to_owned();
    assert_eq!(events(&cluster), [created, "1x Normal Completed: Job completed".to_owned()]);
    let cluster = with_nodes("", &json!({"activeDeadlineSeconds": 5}), seconds(60));
    assert_eq!(
        events(&cluster),
        [
            "1x Normal SuccessfulCreate: Created",
            "1x Normal SuccessfulDelete: Deleted",
            "1x Warning DeadlineExceeded: Job was active longer than specified deadline"
        ]
    );
}

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
fn indexed_pods_have_their_index_everywhere() {
    let mut cluster =
        without_nodes(&json!({"completions": 5, "parallelism": 3, "completionMode": "Indexed"}));
    let pods = items(&cluster, PODS);
    assert_eq!(pods.len(), 3);
    for (index, pod) in pods.iter().enumerate() {
        let index = index.to_string();
        let metadata = &pod["metadata"];
        assert_eq!(metadata.text("generateName"), format!("job-{index}-"));
        assert_eq!(metadata["labels"].text("batch.kubernetes.io/job-completion-index"), index);
        assert_eq!(metadata["annotations"].text("batch.kubernetes.io/job-completion-index"), index);
        assert_eq!(pod.text_at("/spec/hostname"), format!("job-{index}"));
        let variable = &pod["spec"]["containers"][0]["env"][0];
        assert_eq!(variable.text("name"), "JOB_COMPLETION_INDEX");
        let path = "metadata.labels['batch.kubernetes.io/job-completion-index']";
        assert_eq!(variable.text_at("/valueFrom/fieldRef/fieldPath"), path);
    }
    for (index, phase) in [("1", "Succeeded"), ("2", "Succeeded"), ("0", "Failed")] {
        let name = of_index(&cluster, index)[0].clone();
        end(&cluster, &name, phase, i64::from(phase == "Failed"));
        // A failure in the same second as a success would not count.
        cluster.clock.advance(seconds(1));
    }
    cluster.wait(seconds(2));
    let status = status(&cluster);
    assert_eq!((status.text("completedIndexes"), status["failed"].as_i64()), ("1,2", Some(1)));
    // The one that has failed is replaced after 10 seconds; until then there are no others, either.
    assert_eq!(["0", "3", "4"].map(|index| of_index(&cluster, index).len()), [0, 0, 0]);
    cluster.wait(seconds(10));
    assert_eq!(["0", "3", "4"].map(|index| of_index(&cluster, index).len()), [1, 1, 1]);
}

#[test]
fn a_failed_pod_is_replaced_after_a_time_that_doubles() {
    let mut cluster = without_nodes(&json!({"backoffLimit": 9}));
    for delay in [10, 20, 40, 80, 160, 320, 600, 600] {
        let name = names(&cluster)
            .into_iter()
            .find(|name| pod(&cluster, name).text_at("/status/phase") == "Pending");
        end(&cluster, &name.unwrap(), "Failed", 1);
        cluster.wait(seconds(delay - 1));
        assert!(!phases(&cluster).contains(&"Pending".to_owned()), "{delay}");
        cluster.wait(seconds(2));
        assert!(phases(&cluster).contains(&"Pending".to_owned()), "{delay}");
    }
}

#[test]
fn each_index_fails_for_itself() {
    let mut cluster = without_nodes(&json!({
        "completions": 2, "parallelism": 2, "completionMode": "Indexed", "backoffLimitPerIndex": 1
    }));
    let count = |cluster: &Cluster, index| {
        let name = of_index(cluster, index)[0].clone();
        let annotation = "/metadata/annotations/batch.kubernetes.io~1job-index-failure-count";
        pod(cluster, &name).text_at(annotation).to_owned()
    };
    assert_eq!(count(&cluster, "0"), "0");
    end(&cluster, &of_index(&cluster, "0")[0], "Failed", 1);
    cluster.wait(seconds(5));
    // It is kept, and not counted, until another one has taken its place.
    assert_eq!((numbers(&cluster)[4], of_index(&cluster, "0").len()), (0, 0));
    cluster.wait(seconds(10));
    assert_eq!((numbers(&cluster)[4], count(&cluster, "0").as_str()), (1, "1"));
    end(&cluster, &of_index(&cluster, "0")[0], "Failed", 1);
    cluster.wait(seconds(60));
    assert_eq!(status(&cluster).text("failedIndexes"), "0");
    assert_eq!(numbers(&cluster), [1, 0, 0, 0, 2]);
    end(&cluster, &of_index(&cluster, "1")[0], "Succeeded", 0);
    cluster.wait(seconds(5));
    assert_eq!(status(&cluster).text("completedIndexes"), "1");
    let failed = "Failed | True | FailedIndexes | Job has failed indexes";
    assert_eq!(conditions(&cluster).last().unwrap(), failed);
    assert_rest(&mut cluster);
}

#[test]
fn a_success_policy_ends_a_job_whose_other_pods_go() {
    let policy = json!({"rules": [{"succeededIndexes": "0,2", "succeededCount": 1}]});
    let mut cluster = without_nodes(&json!({
        "completions": 3, "parallelism": 3, "completionMode": "Indexed", "successPolicy": policy
    }));
    end(&cluster, &of_index(&cluster, "1")[0], "Succeeded", 0);
    cluster.wait(seconds(5));
    assert_eq!(conditions(&cluster), [""; 0]);
    end(&cluster, &of_index(&cluster, "2")[0], "Succeeded", 0);
    cluster.wait(seconds(5));
    let expected = ["SuccessCriteriaMet", "Complete"]
        .map(|kind| format!("{kind} | True | SuccessPolicy | Matched rules at index 0"));
    assert_eq!(conditions(&cluster), expected);
    assert_eq!((numbers(&cluster), phases(&cluster)), ([0, 0, 0, 2, 0], vec!["Succeeded".to_owned(); 2]));
    assert_eq!(status(&cluster).text("completedIndexes"), "1,2");
    assert_rest(&mut cluster);
}

#[test]
fn failures_that_a_rule_ignores_do_not_count() {
    let rules = json!([{"action": "Ignore", "onExitCodes": {"operator": "In", "values": [7]}}]);
    let mut cluster = without_nodes(&json!({"backoffLimit": 0, "podFailurePolicy": {"rules": rules}}));
    end(&cluster, &names(&cluster)[0], "Failed", 7);
    cluster.wait(seconds(15));
    assert_eq!((numbers(&cluster), conditions(&cluster)), ([1, 0, 0, 0, 0], Vec::new()));
    let name =
        names(&cluster).into_iter().find(|name| pod(&cluster, name).text_at("/status/phase") == "Pending");
    end(&cluster, &name.unwrap(), "Failed", 8);
    cluster.wait(seconds(15));
    assert!(conditions(&cluster)[0].contains("BackoffLimitExceeded"));
}

#[test]
fn a_suspended_job_has_no_pods_and_begins_anew() {
    let mut cluster =
        without_nodes(&json!({"suspend": true, "parallelism": 2, "activeDeadlineSeconds": 100}));
    let suspended = "Suspended | True | JobSuspended | Job suspended";
    assert_eq!((names(&cluster).len(), conditions(&cluster)), (0, vec![suspended.to_owned()]));
    assert_eq!(status(&cluster).get("startTime"), None);
    cluster.wait(seconds(1000));
    patch(&cluster, &json!({"suspend": false}));
    cluster.wait(seconds(5));
    let resumed = "Suspended | False | JobResumed | Job resumed";
    assert_eq!((names(&cluster).len(), conditions(&cluster)), (2, vec![resumed.to_owned()]));
    assert!(status(&cluster).get("startTime").is_some());
    patch(&cluster, &json!({"suspend": true}));
    cluster.wait(seconds(1000));
    assert_eq!((names(&cluster).len(), conditions(&cluster)), (0, vec![suspended.to_owned()]));
    assert_eq!((numbers(&cluster), status(&cluster).get("startTime")), ([0; 5], None));
    let lines = [
        "2x Normal Suspended: Job suspended",
        "2x Normal SuccessfulCreate: Created",
        "1x Normal Resumed: Job resumed",
        "2x Normal SuccessfulDelete: Deleted",
    ];
    assert_eq!(events(&cluster), lines);
}

#[test]
fn pods_are_replaced_when_the_policy_says_so() {
    for (policy, soon) in [("TerminatingOrFailed", [1, 1, 1]), ("Failed", [0, 0, 1])] {
        let mut cluster = with_nodes(
            "ignore TERM",
            &json!({"podReplacementPolicy": policy, "backoffLimit": 3}),
            seconds(5),
        );
        let name = names(&cluster)[0].clone();
        cluster.send("DELETE", &format!("{PODS}/{name}"), &Value::Null, JSON);
        cluster.wait(seconds(20));
        let [active, ready, terminating, _, failed] = numbers(&cluster);
        assert_eq!(([active, ready, terminating], failed), (soon, soon[0]), "{policy}");
        cluster.wait(seconds(40));
        assert_eq!((numbers(&cluster), names(&cluster).len()), ([1, 1, 0, 0, 1], 1), "{policy}");
    }
}

#[test]
fn fewer_pods_are_kept_when_a_job_is_scaled_down() {
    let mut cluster =
        without_nodes(&json!({"completions": 4, "parallelism": 4, "completionMode": "Indexed"}));
    patch(&cluster, &json!({"completions": 2, "parallelism": 2}));
    cluster.wait(seconds(2));
    assert_eq!(["0", "1", "2", "3"].map(|index| of_index(&cluster, index).len()), [1, 1, 0, 0]);
    assert_eq!(numbers(&cluster)[0], 2);
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
        "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "busybox:1.37"}]}
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
    let spec = json!({"restartPolicy": "Never", "containers": [{"name": "c", "image": "busybox:1.37"}]});
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
fn a_finished_job_is_deleted_after_its_time_to_live() {
    let spec = json!({"ttlSecondsAfterFinished": 60});
    let mut cluster = with_nodes("exit 0 after 1s", &spec, seconds(20));
    assert_eq!(conditions(&cluster), [MET, COMPLETE]);
    // It is extended, and then made shorter.
    patch(&cluster, &json!({"ttlSecondsAfterFinished": 500}));
    cluster.wait(seconds(300));
    assert_eq!(items(&cluster, JOBS).len(), 1);
    patch(&cluster, &json!({"ttlSecondsAfterFinished": 310}));
    cluster.wait(seconds(20));
    assert_eq!((items(&cluster, JOBS).len(), names(&cluster).len()), (0, 0));
    cluster.wait(seconds(500));
    assert_eq!(cluster.manager.next_due(), None);
    let requests = cluster.server.inspect().served(0, usize::MAX);
    let deletions =
        requests.iter().filter(|request| request.method == "DELETE" && request.uri.contains("/jobs/"));
    let users: Vec<_> = deletions.map(|request| request.access.as_ref().unwrap().user.clone()).collect();
    assert_eq!(users, ["system:serviceaccount:kube-system:ttl-after-finished-controller"]);
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
fn a_deadline_may_be_changed() {
    for (deadline, ended) in [(8, true), (1000, false)] {
        let mut cluster = without_nodes(&json!({"activeDeadlineSeconds": 30}));
        patch(&cluster, &json!({"activeDeadlineSeconds": deadline}));
        cluster.wait(seconds(10));
        assert_eq!(conditions(&cluster).len(), if ended { 2 } else { 0 }, "{deadline}");
        cluster.wait(seconds(30));
        assert_eq!(conditions(&cluster).len(), if ended { 2 } else { 0 }, "{deadline}");
    }
}

#[test]
fn more_pods_than_are_wanted_go_and_the_youngest_first() {
    let mut cluster = without_nodes(&json!({"completions": 9, "parallelism": 2}));
    let first = names(&cluster);
    patch(&cluster, &json!({"parallelism": 4}));
    cluster.wait(seconds(2));
    assert_eq!(numbers(&cluster)[0], 4);
    patch(&cluster, &json!({"parallelism": 2}));
    cluster.wait(seconds(2));
    assert_eq!((numbers(&cluster)[0], names(&cluster)), (2, first));
    patch(&cluster, &json!({"parallelism": 0}));
    cluster.wait(seconds(2));
    assert_eq!((numbers(&cluster), names(&cluster).len()), ([0; 5], 0));
    assert_rest(&mut cluster);
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
