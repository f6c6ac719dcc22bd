//! The controller that deletes Jobs some time after they have finished.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/ttlafterfinished/>.

use std::time::Duration;

use futures::FutureExt;
use json_tree::{Value, json};

use crate::change::Change;
use crate::client::View;
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::error::Error;
use crate::resource::{JOBS, Resource};
use crate::{job, object, pod};

/// The controller. Its keys are those of Jobs.
pub(crate) struct TtlAfterFinished;

impl Controller for TtlAfterFinished {
    fn resources(&self) -> Vec<(Resource, View)> {
        vec![(JOBS, View::Whole)]
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        if let Some(job) = &change.new
            && time_to_live(job).is_some()
        {
            context.queue.add(object::key(job));
        }
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        delete_expired(key, context).boxed()
    }
}

/// Returns the seconds that a finished Job may stay. `None` if it has not finished, may stay forever, or is being deleted.
fn time_to_live(job: &Value) -> Option<i64> {
    let seconds = job.pointer("/spec/ttlSecondsAfterFinished")?.as_i64()?;
    (!object::is_being_deleted(job) && job::finished(job).is_some()).then_some(seconds)
}

/// Returns the time at which a Job expires. `None` if it does not.
fn expiry(job: &Value) -> Result<Option<Duration>, Error> {
    let Some(seconds) = time_to_live(job) else { return Ok(None) };
    let since = job::finished(job).and_then(|condition| object::time(condition.get("lastTransitionTime")?));
    match since {
        Some(since) => Ok(Some(since.saturating_add(pod::seconds(seconds)))),
        None => {
            let key = object::key(job);
            Err(Error::Other(["unable to find the time when the Job ", &key, " finished"].concat()))
        }
    }
}

/// Deletes a Job if it has expired, after a look at it as it is stored; else it is looked at again when it does.
async fn delete_expired(key: &str, context: &mut Context<'_>) -> Result<Outcome, Error> {
    let now = context.now();
    let Some(job) = context.stores.of(&JOBS).get(key) else { return Ok(Outcome::Done) };
    let (namespace, name) = (object::namespace(job), object::name(job));
    match expiry(job)? {
        None => return Ok(Outcome::Done),
        Some(at) if at > now => return Ok(Outcome::After(at - now)),
        Some(_) => {}
    }
    let fresh = match context.client.get(&JOBS, namespace, name, View::Whole).await {
        Err(error) if error.is_not_found() => return Ok(Outcome::Done),
        fresh => fresh?,
    };
    match expiry(&fresh)? {
        None => Ok(Outcome::Done),
        Some(at) if at > now => Ok(Outcome::After(at - now)),
        Some(_) => {
            let options = json!({
                "propagationPolicy": "Foreground",
                "preconditions": {"uid": object::uid(&fresh)}
            });
            context.client.delete(&JOBS, namespace, name, &options).await.map(|()| Outcome::Done)
        }
    }
}
