//! The warnings to writers of objects of the kind CronJob.

use json_tree::Value;

use crate::batch::job::warnings::job_spec;
use crate::core::workload::warnings::{is_unchanged, new_name};
use field::Path;

pub(super) fn warn(job: &Value, old: Option<&Value>) -> Vec<String> {
    let mut warnings = new_name(job, old);
    if !is_unchanged(job, old) {
        let path = Path::new("spec").child("jobTemplate").child("spec");
        warnings.extend(job_spec(&job["spec"]["jobTemplate"]["spec"], &path));
    }
    if old.is_some() && job["spec"].text("schedule").contains("TZ") {
        // So the API server spells the path.
        let warning = "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see \
                       https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details";
        warnings.push(warning.to_owned());
    }
    warnings
}
