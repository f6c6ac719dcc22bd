//! The controller of CronJobs: it makes Jobs at the times of a schedule.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/>.

mod active;
mod history;
mod start;
mod times;

use std::time::Duration;

use futures::FutureExt;
use golang::time::Time;
use json_tree::Value;

use crate::change::Change;
use crate::client::View;
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::error::Error;
use crate::events::EventType;
use crate::resource::{CRON_JOBS, JOBS, Resource};
use crate::store::Shared;
use crate::{dependents, object};

/// The controller. Its keys are those of CronJobs.
pub(crate) struct CronJobs;

impl Controller for CronJobs {
    fn resources(&self) -> Vec<(Resource, View)> {
        vec![(CRON_JOBS, View::Whole), (JOBS, View::Whole)]
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        if change.resource == JOBS {
            observe_job(change, context);
        } else if let Some(cron_job) = change.object() {
            match (&change.old, &change.new) {
                (Some(old), Some(new)) if is_rescheduled(old, new) => reschedule(new, context),
                _ => context.queue.add(object::key(cron_job)),
            }
        }
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        sync(key, context).boxed()
    }
}

/// Queues the CronJobs that a Job is and was of.
fn observe_job(change: &Change, context: &mut Context<'_>) {
    for job in [&change.old, &change.new].into_iter().flatten() {
        if let Some(cron_job) = dependents::manager(&CRON_JOBS, job, context.stores) {
            context.queue.add(object::key(cron_job));
        }
    }
}

/// Reports whether a CronJob has another schedule than before.
fn is_rescheduled(old: &Value, new: &Value) -> bool {
    ["/spec/schedule", "/spec/timeZone"].iter().any(|field| old.pointer(field) != new.pointer(field))
}

/// Queues a CronJob with another schedule for its next time.
fn reschedule(cron_job: &Value, context: &mut Context<'_>) {
    let now = time(context.now());
    let Ok(schedule) = times::schedule(cron_job) else {
        let message = ["unparseable schedule for cronjob: ", cron_job.text_at("/spec/schedule")].concat();
        return warn(cron_job, "UnParseableCronJobSchedule", message, context);
    };
    match times::pause(cron_job, now, &schedule) {
        Some(pause) => {
            let at = context.now().saturating_add(pause);
            context.queue.add_at(object::key(cron_job), at);
        }
        None => context.queue.add(object::key(cron_job)),
    }
}

/// Returns a time of a clock as one of Go.
fn time(since: Duration) -> Time {
    Time { seconds: i64::try_from(since.as_secs()).unwrap_or(i64::MAX), nanos: since.subsec_nanos() }
}

/// Reports something that is amiss.
fn warn(cron_job: &Value, reason: &'static str, message: String, context: &mut Context<'_>) {
    context.recorder.report(&CRON_JOBS, cron_job, EventType::Warning, reason, message);
}

/// Reports something.
fn tell(cron_job: &Value, reason: &'static str, message: String, context: &mut Context<'_>) {
    context.recorder.report(&CRON_JOBS, cron_job, EventType::Normal, reason, message);
}

/// Looks at a CronJob: deletes its oldest Jobs, looks at those that run, and starts the next one if its time has come.
async fn sync(key: &str, context: &mut Context<'_>) -> Result<Outcome, Error> {
    let Some(known) = context.stores.of(&CRON_JOBS).get(key) else { return Ok(Outcome::Done) };
    let jobs = jobs_of(known, context);
    let mut cron_job = Value::clone(known);
    let mut changed = history::delete_oldest(&mut cron_job, &jobs, context).await;
    let outcome = match active::look(&mut cron_job, &jobs, &mut changed, context).await {
        Ok(()) => start::next(&mut cron_job, &mut changed, context).await,
        Err(error) => Err(error),
    };
    if changed {
        context.client.update(&CRON_JOBS, &cron_job, "status").await?;
    }
    outcome
}

/// Returns the Jobs that name this CronJob as their manager.
fn jobs_of(cron_job: &Value, context: &Context<'_>) -> Vec<Shared> {
    let is_own = |job: &&Shared| {
        object::controller_of(job).is_some_and(|reference| reference.text("name") == object::name(cron_job))
    };
    let jobs = context.stores.of(&JOBS).in_namespace(object::namespace(cron_job));
    jobs.filter(is_own).cloned().collect()
}
