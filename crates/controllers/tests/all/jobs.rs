//! Has Jobs run until they end.

use crate::cluster::Cluster;
use crate::cluster::jobs::{
    COMPLETE, JOBS, MET, assert_rest, conditions, end, events, names, numbers, of_index, patch, phases,
    seconds, status, with_nodes, without_nodes,
};
use crate::cluster::pods::{JSON, PODS, items, pod};
use json_tree::{Value, json};

#[test]
fn jobs_end_as_their_pods_do() {
    let target = |reason: &str, message: &str| {
        ["FailureTarget", "Failed"].map(|kind| format!("{kind} | True | {reason} | {message}")).to_vec()
    };
    let limit = target("BackoffLimitExceeded", "Job has reached the specified backoff limit");
    let complete = vec![MET.to_owned(), COMPLETE.to_owned()];
    let on_failure = json!({
        "metadata": {"annotations": {"kubeglass.dev/behaviour": "exit 1 after 1s"}},
        "spec": {"restartPolicy": "OnFailure", "containers": [{"name": "c", "image": "worker:1.37"}]}
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
    // Pods without nodes that are being deleted are looked for again then.
    cluster.wait(seconds(20));
    assert_rest(&mut cluster);
}
