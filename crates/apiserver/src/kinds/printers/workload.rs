//! Tables of workloads, which run pods: Deployments and their kin, Jobs, CronJobs.
//!
//! <https://kubernetes.io/docs/concepts/workloads/controllers/>

use json_tree::Value;

use crate::printing::row::{Row, get, is_true, list, text, time_at};
use crate::printing::selector::{label_selector, labels, plain_label_selector};

pub(crate) fn deployment(row: &Row<'_>) -> Vec<Value> {
    let [names, images] = containers(row, "/spec/template");
    let ready = format!("{}/{}", row.number("/status/readyReplicas"), row.number("/spec/replicas"));
    vec![
        row.name(),
        ready.into(),
        row.count("/status/updatedReplicas"),
        row.count("/status/availableReplicas"),
        row.age(),
        names,
        images,
        plain_label_selector(get(row.object, "/spec/selector")).into(),
    ]
}

pub(crate) fn replica_set(row: &Row<'_>) -> Vec<Value> {
    replicas(row, label_selector(get(row.object, "/spec/selector")))
}

pub(crate) fn replication_controller(row: &Row<'_>) -> Vec<Value> {
    replicas(row, labels(get(row.object, "/spec/selector")))
}

fn replicas(row: &Row<'_>, selector: String) -> Vec<Value> {
    let [names, images] = containers(row, "/spec/template");
    vec![
        row.name(),
        row.count("/spec/replicas"),
        row.count("/status/replicas"),
        row.count("/status/readyReplicas"),
        row.age(),
        names,
        images,
        selector.into(),
    ]
}

pub(crate) fn stateful_set(row: &Row<'_>) -> Vec<Value> {
    let [names, images] = containers(row, "/spec/template");
    let ready = format!("{}/{}", row.number("/status/readyReplicas"), row.number("/spec/replicas"));
    vec![row.name(), ready.into(), row.age(), names, images]
}

pub(crate) fn daemon_set(row: &Row<'_>) -> Vec<Value> {
    let [names, images] = containers(row, "/spec/template");
    vec![
        row.name(),
        row.count("/status/desiredNumberScheduled"),
        row.count("/status/currentNumberScheduled"),
        row.count("/status/numberReady"),
        row.count("/status/updatedNumberScheduled"),
        row.count("/status/numberAvailable"),
        labels(get(row.object, "/spec/template/spec/nodeSelector")).into(),
        row.age(),
        names,
        images,
        label_selector(get(row.object, "/spec/selector")).into(),
    ]
}

pub(crate) fn controller_revision(row: &Row<'_>) -> Vec<Value> {
    let owners = row.list("/metadata/ownerReferences");
    let controller = owners.iter().find(|owner| owner.get("controller") == Some(&Value::Bool(true)));
    let controller = controller.map_or_else(
        || "<none>".to_owned(),
        |owner| {
            let group = text(owner, "/apiVersion").split_once('/').map_or("", |(group, _)| group);
            let kind = [text(owner, "/kind"), group].join(".");
            format!("{}/{}", kind.trim_end_matches('.').to_ascii_lowercase(), text(owner, "/name"))
        },
    );
    vec![row.name(), controller.into(), row.count("/revision"), row.age()]
}

pub(crate) fn pod_template(row: &Row<'_>) -> Vec<Value> {
    let [names, images] = containers(row, "/template");
    vec![row.name(), names, images, labels(get(row.object, "/template/metadata/labels")).into()]
}

/// The conditions that say what a Job has come to, the first of them first.
const JOB_ENDS: [&str; 2] = ["Complete", "Failed"];

/// The conditions that give the status of a Job that has not ended.
const JOB_STATES: [&str; 3] = ["Suspended", "FailureTarget", "SuccessCriteriaMet"];

pub(crate) fn job(row: &Row<'_>) -> Vec<Value> {
    let conditions = row.list("/status/conditions");
    let among = |states: &[&'static str]| states.iter().copied().find(|state| is_true(conditions, state));
    let status = among(&JOB_ENDS)
        .or_else(|| row.is_terminating().then_some("Terminating"))
        .or_else(|| among(&JOB_STATES))
        .unwrap_or("Running");
    let succeeded = row.number("/status/succeeded");
    let completions = match (get(row.object, "/spec/completions"), row.number("/spec/parallelism")) {
        (Some(completions), _) => format!("{succeeded}/{completions}"),
        (None, parallelism @ 2..) => format!("{succeeded}/1 of {parallelism}"),
        (None, _) => format!("{succeeded}/1"),
    };
    let duration = time_at(row.object, "/status/startTime")
        .map_or_else(String::new, |start| row.span(start, time_at(row.object, "/status/completionTime")));
    let [names, images] = containers(row, "/spec/template");
    vec![
        row.name(),
        status.into(),
        completions.into(),
        duration.into(),
        row.age(),
        names,
        images,
        label_selector(get(row.object, "/spec/selector")).into(),
    ]
}

pub(crate) fn cron_job(row: &Row<'_>) -> Vec<Value> {
    let suspend = match get(row.object, "/spec/suspend") {
        Some(Value::Bool(true)) => "True",
        Some(_) => "False",
        None => "<unset>",
    };
    let last = match get(row.object, "/status/lastScheduleTime") {
        Some(_) => row.since(time_at(row.object, "/status/lastScheduleTime")),
        None => "<none>".to_owned(),
    };
    let [names, images] = containers(row, "/spec/jobTemplate/spec/template");
    vec![
        row.name(),
        row.text("/spec/schedule").into(),
        row.text_or("/spec/timeZone", "<none>"),
        suspend.into(),
        row.len("/status/active"),
        last.into(),
        row.age(),
        names,
        images,
        label_selector(get(row.object, "/spec/jobTemplate/spec/selector")).into(),
    ]
}

/// The names and the images of a pod template's containers.
fn containers(row: &Row<'_>, template: &str) -> [Value; 2] {
    let containers = get(row.object, template).map(|template| list(template, "/spec/containers"));
    ["/name", "/image"].map(|field| {
        let texts: Vec<_> =
            containers.unwrap_or_default().iter().map(|container| text(container, field)).collect();
        texts.join(",").into()
    })
}
