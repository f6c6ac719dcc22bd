//! The Jobs of a CronJob that have not finished: the list of them in its status.

use std::collections::BTreeSet;

use json_tree::Value;

use super::{tell, warn};
use crate::client::View;
use crate::controller::Context;
use crate::error::Error;
use crate::resource::{CRON_JOBS, JOBS};
use crate::store::Shared;
use crate::{job, object};

/// Returns the references to the Jobs that are active.
pub(super) fn list(cron_job: &Value) -> &[Value] {
    object::list(cron_job, "/status/active")
}

/// Reports whether a Job is in the list.
pub(super) fn has(cron_job: &Value, uid: &str) -> bool {
    list(cron_job).iter().any(|reference| reference.text("uid") == uid)
}

/// Removes a Job from the list.
pub(super) fn remove(cron_job: &mut Value, uid: &str) {
    let left: Vec<Value> =
        list(cron_job).iter().filter(|reference| reference.text("uid") != uid).cloned().collect();
    let status = object::child(cron_job, "status");
    if !left.is_empty() {
        object::set(status, "active", Value::Array(left));
    } else if let Some(status) = status.as_object_mut() {
        status.shift_remove("active");
    }
}

/// Appends a Job to the list.
pub(super) fn push(cron_job: &mut Value, reference: Value) {
    let mut active = list(cron_job).to_vec();
    active.push(reference);
    object::set(object::child(cron_job, "status"), "active", Value::Array(active));
}

/// Looks at the Jobs, and tells in the status which have finished, and which are gone. `changed` says whether it is another then.
///
/// # Errors
///
/// Fails if the API server cannot say what is there.
pub(super) async fn look(
    cron_job: &mut Value,
    jobs: &[Shared],
    changed: &mut bool,
    context: &mut Context<'_>,
) -> Result<(), Error> {
    for job in jobs {
        look_at(cron_job, job, changed, context).await?;
    }
    let known: BTreeSet<&str> = jobs.iter().map(|job| object::uid(job)).collect();
    for reference in list(cron_job).to_vec() {
        let uid = reference.text("uid");
        if known.contains(uid) {
            continue;
        }
        let (namespace, name) = (reference.text("namespace"), reference.text("name"));
        match context.client.get(&JOBS, namespace, name, View::Whole).await {
            Err(error) if error.is_not_found() => {
                let message = ["Active job went missing: ", name].concat();
                tell(cron_job, "MissingJob", message, context);
                remove(cron_job, uid);
                *changed = true;
            }
            Err(error) => return Err(error),
            Ok(_) => {}
        }
    }
    Ok(())
}

/// Looks at one Job.
async fn look_at(
    cron_job: &mut Value,
    job: &Value,
    changed: &mut bool,
    context: &mut Context<'_>,
) -> Result<(), Error> {
    let (uid, name) = (object::uid(job), object::name(job));
    let is_active = has(cron_job, uid);
    let Some(condition) = job::finished(job) else {
        if !is_active {
            let at = (object::namespace(cron_job), object::name(cron_job));
            let fresh = context.client.get(&CRON_JOBS, at.0, at.1, View::Whole).await?;
            if has(&fresh, uid) {
                *cron_job = fresh;
            } else {
                let message = ["Saw a job that the controller did not create or forgot: ", name].concat();
                warn(cron_job, "UnexpectedJob", message, context);
            }
        }
        return Ok(());
    };
    let kind = condition.text("type");
    if is_active {
        remove(cron_job, uid);
        let message = format!("Saw completed job: {name}, condition: {kind}");
        tell(cron_job, "SawCompletedJob", message, context);
        *changed = true;
    }
    if kind == "Complete" {
        note_success(cron_job, job, changed);
    }
    Ok(())
}

/// Notes when a Job succeeded, if none did later.
fn note_success(cron_job: &mut Value, job: &Value, changed: &mut bool) {
    let field = |object: &Value, pointer| object.pointer(pointer).and_then(object::time);
    let (known, completed) =
        (field(cron_job, "/status/lastSuccessfulTime"), field(job, "/status/completionTime"));
    if completed > known
        && let Some(time) = job.pointer("/status/completionTime")
    {
        object::set(object::child(cron_job, "status"), "lastSuccessfulTime", time.clone());
        *changed = true;
    }
}
