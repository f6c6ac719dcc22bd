//! Compares what the controllers leave at rest with what kube-controller-manager leaves: see `tests/controllers`.

use std::path::Path;
use std::time::Duration;

use crate::cluster::Cluster;
use clock::Clock;
use json_tree::Value;

const SCENES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/controllers");

/// The uid that stands for that of an object which is not there.
const NOBODY: &str = "11111111-1111-4111-8111-111111111111";

/// The controllers that work in scenes that do not name theirs: those that were there when most scenes were recorded.
const CONTROLLERS: [&str; 17] = [
    "cronjob-controller",
    "daemonset-controller",
    "deployment-controller",
    "disruption-controller",
    "endpoints-controller",
    "endpointslice-controller",
    "endpointslice-mirroring-controller",
    "garbage-collector-controller",
    "job-controller",
    "namespace-controller",
    "replicaset-controller",
    "replicationcontroller-controller",
    "resourcequota-controller",
    "root-ca-certificate-publisher-controller",
    "serviceaccount-controller",
    "statefulset-controller",
    "ttl-after-finished-controller",
];

/// Plays a scene, and compares the state after each step that has one.
#[track_caller]
fn check(name: &str) {
    let differences = differences(&Path::new(SCENES).join(name).with_extension("json"));
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// Plays a scene of a file until a step after which an object differs from what was recorded. Returns how, and which events do.
fn differences(file: &Path) -> Vec<String> {
    let scene: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let namespace = format!("scene-{}", file.file_stem().unwrap().to_str().unwrap());
    let named: Vec<&str> = list(&scene, "controllers").iter().map(Value::as_text).collect();
    let mut cluster = Cluster::with(if named.is_empty() { &CONTROLLERS } else { &named });
    cluster.settle();
    let mut all = Vec::new();
    for (number, step) in scene["steps"].as_array().unwrap().iter().enumerate() {
        let mut differences = play(&mut cluster, step, &namespace);
        if let Some(expected) = step.get("expect") {
            let with_events = scene.get("events") != Some(&Value::Bool(false));
            let found = crate::state::read(&mut cluster, &namespace, with_events, list(&scene, "also"));
            let lines = |state: &Value| {
                let mut state = state.clone();
                if step.get("took").is_some() {
                    unordered(&mut state);
                }
                crate::state::lines(&state)
            };
            let (found, expected) = (lines(&found), lines(expected));
            let others = |a: &[String], b: &[String], sign: &str| {
                a.iter()
                    .filter(|line| !b.contains(line))
                    .map(|line| [sign, line].concat())
                    .collect::<Vec<_>>()
            };
            differences.extend(others(&expected, &found, "expected "));
            differences.extend(others(&found, &expected, "found    "));
        }
        if !differences.is_empty() {
            all.push(format!("step {number}:"));
            all.append(&mut differences);
            // Events depend on who is first. What follows is worth a look all the same.
            if !all.iter().all(|line| is_of_events(line)) {
                break;
            }
        }
    }
    all
}

/// Leaves out of the state after a step of a random scene what is random in a real cluster: the order in which EndpointSlices have what
/// they have, and which of several pods that are the same has which address.
fn unordered(state: &mut Value) {
    for counted in state["objects"].as_array_mut().into_iter().flatten() {
        let object = &mut counted["object"];
        match object.text("kind") {
            "EndpointSlice" => {
                for field in ["endpoints", "ports"] {
                    if let Some(items) = object.get_mut(field).and_then(Value::as_array_mut) {
                        items.sort_by_key(Value::to_string);
                    }
                }
            }
            "Pod" => {
                if let Some(status) = object.get_mut("status").and_then(Value::as_object_mut) {
                    status.remove("podIP");
                    status.remove("podIPs");
                }
            }
            _ => {}
        }
    }
}

/// Reports whether a line of differences is about events.
fn is_of_events(line: &str) -> bool {
    line.starts_with("step ") || line.split_whitespace().nth(1) == Some("event")
}

/// Plays the scenes of the folder that `KUBEGLASS_SCENES` names, as those of `random_scenes.py`, and prints what differs.
#[test]
#[ignore = "it needs scenes that were recorded"]
fn scenes_of_a_folder() {
    let folder = std::env::var("KUBEGLASS_SCENES").expect("KUBEGLASS_SCENES names a folder");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut failed, mut only_events) = (0, 0);
    for file in &files {
        let differences = differences(file);
        if differences.iter().all(|line| is_of_events(line)) {
            only_events += usize::from(!differences.is_empty());
        } else {
            failed += 1;
        }
        if !differences.is_empty() {
            println!("{}, {}\n", file.display(), differences.join("\n"));
        }
    }
    println!("{} scenes: in {failed} an object differs, in {only_events} only events do", files.len());
    assert_eq!((failed, only_events), (0, 0));
}

/// Returns a list of a scene; an empty one if it has none of that name.
fn list<'a>(scene: &'a Value, name: &str) -> &'a [Value] {
    scene.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Plays a step of a scene. Returns how the code of its response differs from the one that it has.
fn play(cluster: &mut Cluster, step: &Value, namespace: &str) -> Vec<String> {
    let begun = cluster.clock.now();
    let mut differences = Vec::new();
    if let Some(second) = step.get("second").and_then(Value::as_u64) {
        let now = cluster.clock.now();
        let shown = Duration::from_secs(now.as_secs() % 60) + Duration::from_nanos(now.subsec_nanos().into());
        let minute = Duration::from_secs(60);
        let pause = (Duration::from_secs(second) + minute - shown).as_nanos() % minute.as_nanos();
        cluster.wait(Duration::from_nanos(pause as u64) + Duration::from_millis(1500));
    }
    if let Some(request) = step.get("request") {
        let request = request.as_text().replace("{ns}", namespace);
        let (method, path) = request.split_once(' ').unwrap();
        let mut body =
            step.get("body").map_or_else(String::new, |body| body.to_string().replace("{ns}", namespace));
        while let Some((before, rest)) = body.split_once("{uid ") {
            let (object, after) = rest.split_once('}').unwrap();
            let found = cluster.get(&object.replace("{ns}", namespace));
            let uid = found.pointer("/metadata/uid").map_or(NOBODY, Value::as_text);
            body = [before, uid, after].concat();
        }
        let body = if body.is_empty() { Value::Null } else { serde_json::from_str(&body).unwrap() };
        let media_type = step.get("type").map_or("application/json", Value::as_text);
        match step.get("code").and_then(Value::as_u64) {
            None => drop(cluster.send(method, path, &body, media_type)),
            Some(expected) => {
                let (code, response) = cluster.call(method, path, &body, media_type);
                if u64::from(code) != expected {
                    differences.push(format!("expected {expected}, found {code}: {response}"));
                }
            }
        }
    }
    if let Some(selector) = step.get("ready") {
        cluster.make_ready_in(namespace, selector.as_text(), step.get("network").map(Value::as_text));
    }
    if let Some(selector) = step.get("finish") {
        cluster.finish(namespace, selector.as_text(), step);
    }
    cluster.settle();
    match step.get("took").and_then(Value::as_f64) {
        Some(took) => {
            let end = begun + Duration::from_secs_f64(took);
            cluster.wait(end.saturating_sub(cluster.clock.now()));
        }
        // What a real server is given to come to rest, in which short delays pass.
        None => {
            let seconds = step.get("wait").and_then(Value::as_u64).unwrap_or_default();
            cluster.wait(Duration::from_secs(seconds) + Duration::from_millis(1500));
        }
    }
    differences
}

macro_rules! scenes {
    ($($test:ident $name:literal;)*) => {
        $(
            #[test]
            fn $test() {
                check($name);
            }
        )*

        #[test]
        fn all_scenes_are_played() {
            let files = std::fs::read_dir(SCENES).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
            let mut recorded: Vec<String> = files.filter_map(|name| Some(name.strip_suffix(".json")?.to_owned())).collect();
            recorded.sort();
            assert_eq!(recorded, [$($name),*]);
        }
    };
}

scenes! {
    autoscaler_ambiguous "autoscaler-ambiguous";
    autoscaler_behavior "autoscaler-behavior";
    autoscaler_container "autoscaler-container";
    autoscaler_custom "autoscaler-custom";
    autoscaler_down "autoscaler-down";
    autoscaler_external "autoscaler-external";
    autoscaler_invalid "autoscaler-invalid";
    autoscaler_limits "autoscaler-limits";
    autoscaler_missing "autoscaler-missing";
    autoscaler_most "autoscaler-most";
    autoscaler_no_custom_metrics "autoscaler-no-custom-metrics";
    autoscaler_no_metrics "autoscaler-no-metrics";
    autoscaler_requests "autoscaler-requests";
    autoscaler_selectors "autoscaler-selectors";
    autoscaler_target "autoscaler-target";
    autoscaler_up "autoscaler-up";
    autoscaler_zero "autoscaler-zero";
    budget "budget";
    budget_owners "budget-owners";
    claim_protection "claim-protection";
    claim_protection_finalizer "claim-protection-finalizer";
    class_protection "class-protection";
    cluster_roles "cluster-roles";
    cron_job "cron-job";
    cron_job_deadline "cron-job-deadline";
    cron_job_every "cron-job-every";
    cron_job_forbid "cron-job-forbid";
    cron_job_history "cron-job-history";
    cron_job_missing "cron-job-missing";
    cron_job_never "cron-job-never";
    cron_job_replace "cron-job-replace";
    cron_job_schedule "cron-job-schedule";
    daemon_set_adopt "daemon-set-adopt";
    daemon_set_failed "daemon-set-failed";
    daemon_set_gone_node "daemon-set-gone-node";
    daemon_set_history "daemon-set-history";
    daemon_set_min_ready "daemon-set-min-ready";
    daemon_set_network "daemon-set-network";
    daemon_set_nodes "daemon-set-nodes";
    daemon_set_on_delete "daemon-set-on-delete";
    daemon_set_orphan "daemon-set-orphan";
    daemon_set_rollout "daemon-set-rollout";
    daemon_set_surge "daemon-set-surge";
    daemon_set_taints "daemon-set-taints";
    deletion_background "deletion-background";
    deletion_blocked "deletion-blocked";
    deletion_circle "deletion-circle";
    deletion_custom "deletion-custom";
    deletion_foreground "deletion-foreground";
    deletion_orphan "deletion-orphan";
    deletion_owners "deletion-owners";
    deployment_adopt "deployment-adopt";
    deployment_deadline "deployment-deadline";
    deployment_paused "deployment-paused";
    deployment_proportional "deployment-proportional";
    deployment_recreate "deployment-recreate";
    deployment_rollback "deployment-rollback";
    deployment_rollout "deployment-rollout";
    endpoint_slices "endpoint-slices";
    endpoint_slices_headless "endpoint-slices-headless";
    endpoint_slices_mirrored "endpoint-slices-mirrored";
    endpoint_slices_mirrored_ends "endpoint-slices-mirrored-ends";
    endpoint_slices_mirrored_gone "endpoint-slices-mirrored-gone";
    endpoints "endpoints";
    endpoints_edited "endpoints-edited";
    endpoints_headless "endpoints-headless";
    ephemeral_volume "ephemeral-volume";
    ephemeral_volume_taken "ephemeral-volume-taken";
    job_adopt "job-adopt";
    job_backoff_limit "job-backoff-limit";
    job_backoff_limit_per_index "job-backoff-limit-per-index";
    job_complete "job-complete";
    job_deadline "job-deadline";
    job_failed_indexes "job-failed-indexes";
    job_foreground "job-foreground";
    job_indexed "job-indexed";
    job_managed_by "job-managed-by";
    job_none "job-none";
    job_orphan "job-orphan";
    job_pod_failure_policy "job-pod-failure-policy";
    job_ready "job-ready";
    job_replacement "job-replacement";
    job_scale "job-scale";
    job_success_policy "job-success-policy";
    job_suspend "job-suspend";
    job_ttl "job-ttl";
    job_work_queue "job-work-queue";
    namespace "namespace";
    node_all_unknown "node-all-unknown";
    node_conditions "node-conditions";
    node_never "node-never";
    node_not_ready "node-not-ready";
    node_ttl "node-ttl";
    node_unknown "node-unknown";
    pod_gc "pod-gc";
    quota "quota";
    quota_counts "quota-counts";
    quota_scopes "quota-scopes";
    quota_status "quota-status";
    quota_storage "quota-storage";
    replica_set_adopt "replica-set-adopt";
    replica_set_min_ready "replica-set-min-ready";
    replica_set_quota "replica-set-quota";
    replication_controller "replication-controller";
    stateful_set_adopt "stateful-set-adopt";
    stateful_set_claims "stateful-set-claims";
    stateful_set_ended "stateful-set-ended";
    stateful_set_history "stateful-set-history";
    stateful_set_min_ready "stateful-set-min-ready";
    stateful_set_on_delete "stateful-set-on-delete";
    stateful_set_ordered "stateful-set-ordered";
    stateful_set_ordinals "stateful-set-ordinals";
    stateful_set_orphan "stateful-set-orphan";
    stateful_set_parallel "stateful-set-parallel";
    stateful_set_parallel_rollout "stateful-set-parallel-rollout";
    stateful_set_partition "stateful-set-partition";
    stateful_set_quota "stateful-set-quota";
    stateful_set_retention "stateful-set-retention";
    stateful_set_rollout "stateful-set-rollout";
    stateful_set_stuck "stateful-set-stuck";
    volume_bind "volume-bind";
    volume_lost "volume-lost";
    volume_prebound "volume-prebound";
    volume_protection "volume-protection";
    volume_provision "volume-provision";
    volume_reclaim "volume-reclaim";
    volume_wait "volume-wait";
}
