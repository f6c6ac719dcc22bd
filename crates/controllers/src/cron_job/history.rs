//! The Jobs of a CronJob that have finished: only so many of them are kept.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#jobs-history-limits>.

use json_tree::{Value, json};

use super::{active, tell, warn};
use crate::controller::Context;
use crate::resource::JOBS;
use crate::store::Shared;
use crate::{job, object};

/// The conditions with which Jobs finish, and the fields that say how many of those are kept.
const LIMITS: [(&str, &str); 2] =
    [("Complete", "/spec/successfulJobsHistoryLimit"), ("Failed", "/spec/failedJobsHistoryLimit")];

/// Deletes the oldest Jobs above the limits. Reports whether the status may be another for it.
pub(super) async fn delete_oldest(cron_job: &mut Value, jobs: &[Shared], context: &mut Context<'_>) -> bool {
    let mut changed = false;
    for (kind, field) in LIMITS {
        let Some(limit) = cron_job.pointer(field).and_then(Value::as_i64) else { continue };
        let is_meant =
            |job: &&Shared| job::finished(job).is_some_and(|condition| condition.text("type") == kind);
        let mut finished: Vec<&Shared> = jobs.iter().filter(is_meant).collect();
        // Those that have not started come last.
        finished.sort_by_cached_key(|job| {
            let started = job.pointer("/status/startTime").and_then(object::time);
            (started.is_none(), started, object::name(job).to_owned())
        });
        let kept = usize::try_from(limit).unwrap_or_default();
        for job in finished.iter().take(finished.len().saturating_sub(kept)) {
            changed |= delete(cron_job, job, context).await;
        }
    }
    changed
}

/// Deletes a Job, and removes it from the list of those that are active. Reports whether it could.
pub(super) async fn delete(cron_job: &mut Value, job: &Value, context: &mut Context<'_>) -> bool {
    let (namespace, name) = (object::namespace(job), object::name(job));
    let options = json!({"propagationPolicy": "Background"});
    match context.client.delete(&JOBS, namespace, name, &options).await {
        Ok(()) => {
            active::remove(cron_job, object::uid(job));
            tell(cron_job, "SuccessfulDelete", ["Deleted job ", name].concat(), context);
            true
        }
        Err(error) => {
            warn(cron_job, "FailedDelete", format!("Deleted job: {error}"), context);
            false
        }
    }
}
