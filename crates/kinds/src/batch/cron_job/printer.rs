//! The rows of tables of the kind CronJob.

use json_tree::Value;

use crate::core::workload::printer::containers;
use crate::printing::row::{Row, get, time_at};
use crate::printing::selector::label_selector;

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = "Name||name||@name
Schedule||||The schedule in Cron format, see https://en.wikipedia.org/wiki/Cron.
Timezone||||The time zone name for the given schedule, see https://en.wikipedia.org/wiki/List_of_tz_database_time_zones. If not specified, this will default to the time zone of the kube-controller-manager process. The set of valid time zone names and the time zone offset is loaded from the system-wide time zone database by the API server during CronJob validation and the controller manager during execution. If no system-wide time zone database can be found a bundled version of the database is used instead. If the time zone name becomes invalid during the lifetime of a CronJob or due to a change in host configuration, the controller will stop creating new new Jobs and will create a system event with the reason UnknownTimeZone. More information can be found in https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#time-zones
Suspend|boolean|||This flag tells the controller to suspend subsequent executions, it does not apply to already started executions.  Defaults to false.
Active|integer|||A list of pointers to currently running jobs.
Last Schedule||||Information when was the last time the job was successfully scheduled.
Age||||@created
Containers|||1|Names of each container in the template.
Images|||1|Images referenced by each container in the template.
Selector|||1|A label query over pods that should match the pod count. Normally, the system sets this field for you. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors";

pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
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
