//! CronJobs: which Jobs are made when, what is told of them, and what is in the way.

use crate::cluster::Cluster;
use crate::cluster::jobs::{JOBS, end, seconds};
use crate::cluster::pods::{JSON, MERGE, items};
use clock::Clock;
use controllers::Options;
use json_tree::{Value, json};

const CRON_JOBS: &str = "/apis/batch/v1/namespaces/default/cronjobs";

/// Makes a cluster at the beginning of a minute, and a CronJob with fields of its specification.
fn cluster(more: &Value) -> Cluster {
    let mut cluster = Cluster::new();
    cluster.settle();
    cluster.send("POST", CRON_JOBS, &cron_job("tick", more), JSON);
    cluster
}

fn cron_job(name: &str, more: &Value) -> Value {
    let pod = json!({"restartPolicy": "Never", "containers": [{"name": "c", "image": "worker:1.37"}]});
    let spec = json!({"schedule": "* * * * *", "jobTemplate": {"spec": {"template": {"spec": pod}}}});
    json!({"metadata": {"name": name}, "spec": crate::cluster::jobs::with(spec, more)})
}

/// Tells of the names of Jobs.
fn jobs(cluster: &Cluster) -> Vec<String> {
    items(cluster, JOBS).iter().map(|job| job.text_at("/metadata/name").to_owned()).collect()
}

/// Tells of the events about CronJobs.
fn events(cluster: &Cluster) -> Vec<String> {
    let all = items(cluster, "/api/v1/namespaces/default/events");
    let own = all.iter().filter(|event| event.text_at("/involvedObject/kind") == "CronJob");
    let line = |event: &Value| {
        let [kind, reason, message] = ["type", "reason", "message"].map(|key| event.text(key));
        format!("{}x {kind} {reason}: {message}", event["count"])
    };
    let mut lines: Vec<String> = own.map(line).collect();
    lines.sort();
    lines
}

fn patch(cluster: &Cluster, spec: &Value) {
    cluster.send("PATCH", &format!("{CRON_JOBS}/tick"), &json!({"spec": spec}), MERGE);
}

#[test]
fn jobs_are_named_by_the_minute_of_their_time() {
    let mut cluster = cluster(&json!({"timeZone": "America/St_Johns", "schedule": "31-33 4 * * *"}));
    cluster.wait(seconds(3600));
    assert_eq!(jobs(&cluster), ["tick-30000001", "tick-30000002", "tick-30000003"]);
    let job = cluster.get(&format!("{JOBS}/tick-30000001"));
    let scheduled = job.text_at("/metadata/annotations/batch.kubernetes.io~1cronjob-scheduled-timestamp");
    assert_eq!(scheduled, "2027-01-15T04:31:00-03:30");
    let status = cluster.get(&format!("{CRON_JOBS}/tick"))["status"].clone();
    assert_eq!(status["lastScheduleTime"], "2027-01-15T08:03:00Z");
    let names: Vec<_> = status["active"].as_array().unwrap().iter().map(|job| job.text("name")).collect();
    assert_eq!(names, jobs(&cluster));
}

#[test]
fn what_is_suspended_has_nothing_due() {
    let mut cluster = cluster(&json!({"suspend": true}));
    cluster.wait(seconds(300));
    assert_eq!((cluster.manager.next_due(), jobs(&cluster)), (None, vec![]));
    patch(&cluster, &json!({"suspend": false}));
    cluster.settle();
    assert_eq!(jobs(&cluster), ["tick-30000005"]);
    cluster.wait(seconds(3));
    let next = seconds(1_800_000_360) + std::time::Duration::from_millis(100);
    assert_eq!(cluster.manager.next_due(), Some(next));
}

#[test]
fn times_that_were_missed_make_one_job() {
    let mut cluster = cluster(&json!({}));
    cluster.restart(&["*", "-cronjob-controller"], &Options::default());
    cluster.wait(seconds(102 * 60));
    cluster.restart(&["*"], &Options::default());
    cluster.settle();
    assert_eq!(jobs(&cluster), ["tick-30000102"]);
    assert_eq!(
        events(&cluster),
        [
            "1x Normal SuccessfulCreate: Created job tick-30000102",
            "1x Warning TooManyMissedTimes: too many missed start times. Set or decrease \
             .spec.startingDeadlineSeconds or check clock skew",
        ]
    );
}

#[test]
fn a_job_that_cannot_be_made_is_tried_again() {
    let mut cluster = cluster(&json!({}));
    let quota = json!({"metadata": {"name": "none"}, "spec": {"hard": {"count/jobs.batch": "0"}}});
    cluster.send("POST", "/api/v1/namespaces/default/resourcequotas", &quota, JSON);
    let status = json!({"status": {"hard": {"count/jobs.batch": "0"}, "used": {"count/jobs.batch": "0"}}});
    cluster.send("PATCH", "/api/v1/namespaces/default/resourcequotas/none/status", &status, MERGE);
    cluster.wait(seconds(62));
    assert_eq!(jobs(&cluster), Vec::<String>::new());
    let told = events(&cluster);
    let message = "Warning FailedCreate: Error creating job: jobs.batch \"tick-30000001\" is forbidden: exceeded quota: \
                   none, requested: count/jobs.batch=1, used: count/jobs.batch=0, limited: count/jobs.batch=0";
    assert!(told.len() == 1 && told[0].ends_with(message), "{told:?}");
    cluster.send("DELETE", "/api/v1/namespaces/default/resourcequotas/none", &Value::Null, JSON);
    cluster.wait(seconds(10));
    assert_eq!(jobs(&cluster), ["tick-30000001"]);
}

#[test]
fn a_job_of_that_name_that_is_somebody_elses_stays() {
    let mut cluster = cluster(&json!({}));
    let job = crate::cluster::jobs::with(
        crate::cluster::jobs::job("", &json!({})),
        &json!({"metadata": {"name": "tick-30000001"}}),
    );
    cluster.send("POST", JOBS, &job, JSON);
    cluster.wait(seconds(62));
    assert_eq!(jobs(&cluster), ["tick-30000001"]);
    assert_eq!(events(&cluster), Vec::<String>::new());
    assert_eq!(cluster.get(&format!("{CRON_JOBS}/tick"))["status"], json!({}));
}

#[test]
fn a_job_that_was_made_and_forgotten_is_noted() {
    let mut cluster = cluster(&json!({}));
    cluster.wait(seconds(61));
    let path = format!("{CRON_JOBS}/tick/status");
    cluster.send("PATCH", &path, &json!({"status": {"active": null, "lastScheduleTime": null}}), MERGE);
    cluster.settle();
    let status = cluster.get(&format!("{CRON_JOBS}/tick"))["status"].clone();
    assert_eq!(status["active"][0]["name"], "tick-30000001");
    assert_eq!(
        events(&cluster),
        [
            "1x Normal SuccessfulCreate: Created job tick-30000001",
            "1x Warning UnexpectedJob: Saw a job that the controller did not create or forgot: tick-30000001",
        ]
    );
}

#[test]
fn a_job_that_had_to_wait_for_another_starts_late() {
    let mut cluster = Cluster::with_options(&["*"], &Options::with_nodes(1));
    cluster.settle();
    cluster.send("POST", CRON_JOBS, &cron_job("tick", &json!({"concurrencyPolicy": "Forbid"})), JSON);
    cluster.wait(seconds(190));
    assert_eq!(jobs(&cluster), ["tick-30000001"]);
    end(&cluster, items(&cluster, crate::cluster::pods::PODS)[0].text_at("/metadata/name"), "Succeeded", 0);
    cluster.wait(seconds(10));
    assert_eq!(jobs(&cluster), ["tick-30000001", "tick-30000003"]);
}

#[test]
fn jobs_that_have_succeeded_and_failed_are_kept_up_to_limits() {
    let options = Options::with_nodes(1);
    let mut cluster = Cluster::with_options(&["*"], &options);
    cluster.settle();
    cluster.send("POST", CRON_JOBS, &cron_job("tick", &json!({"successfulJobsHistoryLimit": 2})), JSON);
    for _ in 0..4 {
        cluster.wait(seconds(60) + std::time::Duration::from_millis(500));
        for pod in items(&cluster, crate::cluster::pods::PODS) {
            if pod.text_at("/status/phase") != "Succeeded" {
                end(&cluster, pod.text_at("/metadata/name"), "Succeeded", 0);
            }
        }
        cluster.wait(seconds(10));
    }
    assert_eq!(jobs(&cluster).len(), 2);
    let status = cluster.get(&format!("{CRON_JOBS}/tick"))["status"].clone();
    assert_eq!(status.get("active"), None);
    assert!(status.get("lastSuccessfulTime").is_some());
}

#[test]
fn objects_that_make_no_sense_are_no_harm() {
    let mut cluster = cluster(&json!({"startingDeadlineSeconds": i64::MAX, "schedule": "@every 2562047h"}));
    for (index, more) in [
        json!({"schedule": ", , , , ,"}),
        json!({"schedule": "* * , * ,"}),
        json!({"schedule": "59 23 31 2 *", "startingDeadlineSeconds": 0}),
        json!({"schedule": "@every -1h", "concurrencyPolicy": "Forbid"}),
        json!({"schedule": "* * * * *", "startingDeadlineSeconds": 10_000_000_000_i64}),
    ]
    .iter()
    .enumerate()
    {
        cluster.send("POST", CRON_JOBS, &cron_job(&format!("odd-{index}"), more), JSON);
    }
    cluster.wait(seconds(70));
    let now = cluster.clock.now();
    assert!(cluster.manager.next_due().is_some_and(|due| due > now));
}
