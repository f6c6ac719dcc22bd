//! Starting the next Job of a CronJob, if its time has come.

use golang::strconv::quote;
use golang::time::{Time, Zone};
use json_tree::{Value, json};

use super::{active, history, tell, time, times, warn};
use crate::client::View;
use crate::controller::{Context, Outcome};
use crate::error::Error;
use crate::object;
use crate::resource::{CRON_JOBS, JOBS};

/// The annotation of a Job with the time of the schedule that it is for.
const SCHEDULED_TIMESTAMP: &str = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/// Makes the Job of the latest time that has come without one, unless something speaks against it. `changed` says whether the status
/// is another then.
///
/// # Errors
///
/// Fails if a Job could not be made, or not be replaced.
pub(super) async fn next(
    cron_job: &mut Value,
    changed: &mut bool,
    context: &mut Context<'_>,
) -> Result<Outcome, Error> {
    if object::is_being_deleted(cron_job) {
        return Ok(Outcome::Done);
    }
    let zone = cron_job.pointer("/spec/timeZone").and_then(Value::as_str);
    if let Some((zone, why)) = zone.and_then(|zone| Some((zone, Zone::load(zone).err()?))) {
        let message = format!("invalid timeZone: {}: {why}", quote(zone));
        warn(cron_job, "UnknownTimeZone", message, context);
        return Ok(Outcome::Done);
    }
    if cron_job.pointer("/spec/suspend").and_then(Value::as_bool) == Some(true) {
        return Ok(Outcome::Done);
    }
    let text = cron_job.text_at("/spec/schedule");
    if text.contains("TZ") {
        let message = format!(
            "CRON_TZ or TZ used in schedule {} is not officially supported, see \
             https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
            quote(text)
        );
        warn(cron_job, "UnsupportedSchedule", message, context);
    }
    let schedule = match times::schedule(cron_job) {
        Ok(schedule) => schedule,
        Err(why) => {
            let message = format!("unparseable schedule: {} : {why}", quote(text));
            warn(cron_job, "UnparseableSchedule", message, context);
            return Ok(Outcome::Done);
        }
    };
    let now = time(context.now());
    let scheduled = match times::unmet(cron_job, now, &schedule) {
        Ok(None) => None,
        Ok(Some((scheduled, are_many))) => {
            if are_many {
                let message = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew";
                warn(cron_job, "TooManyMissedTimes", message.to_owned(), context);
            }
            Some(scheduled)
        }
        Err(why) => {
            warn(cron_job, "InvalidSchedule", format!("invalid schedule: {text} : {why}"), context);
            return Ok(Outcome::Done);
        }
    };
    if let Some(scheduled) = scheduled
        && may_start(cron_job, scheduled, now, context)
    {
        if cron_job.text_at("/spec/concurrencyPolicy") == "Replace" {
            replace(cron_job, changed, context).await?;
        }
        let Some(job) = make(cron_job, scheduled, context).await? else { return Ok(Outcome::Done) };
        active::push(cron_job, object::reference(&JOBS, &job));
        let status = object::child(cron_job, "status");
        object::set(status, "lastScheduleTime", scheduled.rfc3339().into());
        *changed = true;
    }
    Ok(times::pause(cron_job, now, &schedule).map_or(Outcome::Done, Outcome::After))
}

/// Reports whether a Job may start for a time, and tells why not.
fn may_start(cron_job: &Value, scheduled: Time, now: Time, context: &mut Context<'_>) -> bool {
    if times::is_too_late(cron_job, scheduled, now) {
        let rfc1123 = scheduled.rfc1123();
        let time = rfc1123.strip_suffix("UTC").unwrap_or(&rfc1123);
        warn(cron_job, "MissSchedule", format!("Missed scheduled time to start a job: {time}+0000"), context);
        return false;
    }
    let (namespace, name) = (object::namespace(cron_job), name_at(cron_job, scheduled));
    let active = active::list(cron_job);
    let is_there = active.iter().any(|job| job.text("name") == name && job.text("namespace") == namespace);
    let last = cron_job.pointer("/status/lastScheduleTime").and_then(object::time);
    if is_there || last.map(time) == Some(scheduled) {
        return false;
    }
    if cron_job.text_at("/spec/concurrencyPolicy") == "Forbid" && !active.is_empty() {
        let message = "Not starting job because prior execution is running and concurrency policy is Forbid";
        tell(cron_job, "JobAlreadyActive", message.to_owned(), context);
        return false;
    }
    true
}

/// Returns the name of the Job of a time: no two of them are started in the same minute.
fn name_at(cron_job: &Value, scheduled: Time) -> String {
    format!("{}-{}", object::name(cron_job), scheduled.seconds / 60)
}

/// Deletes all Jobs that are active.
async fn replace(cron_job: &mut Value, changed: &mut bool, context: &mut Context<'_>) -> Result<(), Error> {
    for reference in active::list(cron_job).to_vec() {
        let (namespace, name) = (reference.text("namespace"), reference.text("name"));
        let job = match context.client.get(&JOBS, namespace, name, View::Whole).await {
            Ok(job) => job,
            Err(error) => {
                warn(cron_job, "FailedGet", format!("Get job: {error}"), context);
                return Err(error);
            }
        };
        if !history::delete(cron_job, &job, context).await {
            return Err(Error::Other(format!("could not replace job {namespace}/{name}")));
        }
        *changed = true;
    }
    Ok(())
}

/// Makes the Job of a time, and returns it; one that was made before, if it is not in the list of those that are active. `None` if
/// nothing is to be done about it.
async fn make(cron_job: &Value, scheduled: Time, context: &mut Context<'_>) -> Result<Option<Value>, Error> {
    let (namespace, job) = (object::namespace(cron_job), job_at(cron_job, scheduled));
    match context.client.create(&JOBS, namespace, &job).await {
        Ok(created) => {
            let message = ["Created job ", object::name(&created)].concat();
            tell(cron_job, "SuccessfulCreate", message, context);
            Ok(Some(created))
        }
        Err(error) if error.is_namespace_terminating() => Err(error),
        Err(error) if error.is_already_exists() => {
            let known = context.client.get(&JOBS, namespace, object::name(&job), View::Whole).await?;
            let is_forgotten =
                object::is_controlled_by(&known, cron_job) && !active::has(cron_job, object::uid(&known));
            Ok(is_forgotten.then_some(known))
        }
        Err(error) => {
            warn(cron_job, "FailedCreate", format!("Error creating job: {error}"), context);
            Err(error)
        }
    }
}

/// Returns the Job of a time, which is not stored yet.
fn job_at(cron_job: &Value, scheduled: Time) -> Value {
    let owner = object::controller_reference(cron_job, &CRON_JOBS.api_version(), &CRON_JOBS.kind);
    let metadata = json!({"name": name_at(cron_job, scheduled), "ownerReferences": [owner]});
    let template = cron_job.pointer("/spec/jobTemplate").unwrap_or(&Value::Null);
    let mut job = object::of_template(template, metadata);
    let zone = Zone::load(cron_job.text_at("/spec/timeZone")).unwrap_or_default();
    object::set_annotation(&mut job, SCHEDULED_TIMESTAMP, &zone.rfc3339(scheduled));
    job
}
