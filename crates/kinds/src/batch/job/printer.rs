//! The rows of tables of the kind Job.

use json_tree::Value;

use crate::core::workload::printer::containers;
use crate::printing::row::{Row, get, is_true, time_at};
use crate::printing::selector::label_selector;

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = "Name||name||@name
Status||||Status of the job.
Completions||||The number of pods which reached phase Succeeded. The value increases monotonically for a given spec. However, it may decrease in reaction to scale down of elastic indexed jobs.
Duration||||Time required to complete the job.
Age||||@created
Containers|||1|Names of each container in the template.
Images|||1|Images referenced by each container in the template.
Selector|||1|A label query over pods that should match the pod count. Normally, the system sets this field for you. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors";

/// The conditions that say what a Job has come to, the first of them first.
const JOB_ENDS: [&str; 2] = ["Complete", "Failed"];

/// The conditions that give the status of a Job that has not ended.
const JOB_STATES: [&str; 3] = ["Suspended", "FailureTarget", "SuccessCriteriaMet"];

pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
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
