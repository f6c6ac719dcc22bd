//! Everything in a namespace, and its deletion.

use std::collections::BTreeMap;
use std::time::Duration;

use json_tree::{Value, json};

use super::conditions::Obstacles;
use crate::client::View;
use crate::controller::Context;
use crate::discovery::{Discovery, Served};
use crate::error::Error;
use crate::resource::{NAMESPACES, PODS};
use crate::{object, pod};

/// The time after which objects with finalizers are looked at again, in seconds.
const FINALIZERS_TAKE: u64 = 15;

/// The rest of one resource.
#[derive(Default)]
struct Left {
    /// The time that it is thought to take until it is gone, in seconds; 0 if that is not known.
    estimate: u64,
    count: usize,
    finalizers: BTreeMap<String, usize>,
}

/// The rest of all resources.
#[derive(Default)]
struct Total {
    estimate: u64,
    resources: BTreeMap<String, usize>,
    finalizers: BTreeMap<String, usize>,
    errors: Vec<String>,
}

impl Total {
    fn add(&mut self, served: &Served, left: &Left) {
        self.estimate = self.estimate.max(left.estimate);
        if left.count > 0 {
            let name = [&*served.resource.plural, ".", &*served.resource.group].concat();
            self.resources.insert(name, left.count);
        }
        for (finalizer, count) in &left.finalizers {
            *self.finalizers.entry(finalizer.clone()).or_default() += count;
        }
    }
}

/// Deletes everything in a namespace, pods before all else, and says so in its conditions. Returns the time that the rest is thought to
/// take, in seconds; 0 if nothing is left.
pub(super) async fn delete_all(namespace: &mut Value, context: &mut Context<'_>) -> Result<u64, Error> {
    let mut obstacles = Obstacles::default();
    let mut total = Total::default();
    let discovery = match Discovery::ask(context.client).await {
        Ok(discovery) => discovery,
        Err(error) => {
            obstacles.discovery(&error.to_string());
            total.errors.push(error.to_string());
            Discovery::default()
        }
    };
    let deletable = |served: &&Served| served.resource.namespaced && served.has_verbs(&["delete"]);
    let (pods, others): (Vec<_>, Vec<_>) =
        discovery.preferred.iter().filter(deletable).partition(|served| served.resource == PODS);
    let mut failures = Vec::new();
    for served in pods {
        let (left, failed) = delete_resource(served, namespace, context).await;
        total.add(served, &left);
        if let Some(error) = failed {
            failures.push(error.clone());
            total.errors.push(format!(
                "failed to delete pods for namespace: {}, err: {error}",
                object::name(namespace)
            ));
        }
    }
    let waits_for_pods = !total.resources.is_empty();
    if !waits_for_pods {
        for served in others {
            let (left, failed) = delete_resource(served, namespace, context).await;
            total.add(served, &left);
            failures.extend(failed.clone());
            total.errors.extend(failed);
        }
        obstacles.left(&total.resources, &total.finalizers);
    }
    obstacles.failures(&failures);
    if obstacles.set(namespace, &object::timestamp(context.now())) {
        // It is told again the next time.
        let _ = context.client.update(&NAMESPACES, namespace, "status").await;
    }
    match total.errors.as_slice() {
        [] => Ok(total.estimate),
        [error] => Err(Error::Other(error.clone())),
        errors => Err(Error::Other(format!("[{}]", errors.join(", ")))),
    }
}

/// Deletes the objects of a resource, and returns what is left of them, with an error if there is one.
async fn delete_resource(
    served: &Served,
    namespace: &Value,
    context: &Context<'_>,
) -> (Left, Option<String>) {
    let estimate = match estimate(served, namespace, context).await {
        Ok(estimate) => estimate,
        Err(error) => return (Left::default(), Some(error.to_string())),
    };
    let left = Left { estimate, ..Left::default() };
    match delete_and_count(served, object::name(namespace), estimate, context).await {
        Ok(found) => (found, None),
        Err((Some(count), error)) => (Left { count, ..left }, Some(error)),
        Err((None, error)) => (left, Some(error)),
    }
}

/// Deletes the objects of a resource, all at once or one by one, and counts those that are left. An error comes with their number, if it
/// is that some are left that nothing keeps.
async fn delete_and_count(
    served: &Served,
    namespace: &str,
    estimate: u64,
    context: &Context<'_>,
) -> Result<Left, (Option<usize>, String)> {
    let failed = |error: Error| (None, error.to_string());
    let resource = &served.resource;
    let options = json!({"propagationPolicy": "Background"});
    let mut deleted = false;
    if served.has_verbs(&["deletecollection"]) {
        match context.client.delete_collection(resource, namespace, &options).await {
            Ok(()) => deleted = true,
            Err(error) if error.is_method_not_supported() || error.is_not_found() => {}
            Err(error) => return Err(failed(error)),
        }
    }
    if !deleted {
        for name in list(served, namespace, context).await.map_err(failed)?.iter().map(object::name) {
            match context.client.delete(resource, namespace, name, &options).await {
                Err(error) if !error.is_not_found() && !error.is_method_not_supported() => {
                    return Err(failed(error));
                }
                _ => {}
            }
        }
    }
    let items = list(served, namespace, context).await.map_err(failed)?;
    let mut left = Left { count: items.len(), ..Left::default() };
    for finalizer in items.iter().flat_map(object::finalizers) {
        *left.finalizers.entry(finalizer.to_owned()).or_default() += 1;
    }
    left.estimate = match (left.count, estimate) {
        (0, _) => 0,
        (_, 1..) => estimate,
        (count, _) if left.finalizers.is_empty() => {
            let what = resource.to_go();
            return Err((
                Some(count),
                format!("unexpected items still remain in namespace: {namespace} for gvr: {what}"),
            ));
        }
        _ => FINALIZERS_TAKE,
    };
    Ok(left)
}

/// Lists what there is of a resource; nothing where it cannot be listed.
async fn list(served: &Served, namespace: &str, context: &Context<'_>) -> Result<Vec<Value>, Error> {
    if !served.has_verbs(&["list"]) {
        return Ok(Vec::new());
    }
    match context.client.list(&served.resource, namespace, View::Metadata, "").await {
        Ok(mut list) => {
            Ok(list.get_mut("items").and_then(Value::as_array_mut).map(std::mem::take).unwrap_or_default())
        }
        Err(error) if error.is_method_not_supported() || error.is_not_found() => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Estimates how long it takes until the pods of a namespace have ended, in seconds. Nothing else takes time.
async fn estimate(served: &Served, namespace: &Value, context: &Context<'_>) -> Result<u64, Error> {
    if served.resource != PODS {
        return Ok(0);
    }
    let pods = context.client.list(&PODS, object::name(namespace), View::Whole, "").await?;
    let pods = pods.get("items").and_then(Value::as_array);
    let running = pods.into_iter().flatten().filter(|pod| !pod::is_terminal(pod));
    let graces = running.map(|pod| object::int(pod, "/spec/terminationGracePeriodSeconds"));
    let longest = graces.max().unwrap_or_default().max(0);
    let begun = object::time(object::meta(namespace, "deletionTimestamp")).unwrap_or_default();
    let over = context.now().saturating_sub(begun) >= go_seconds(longest);
    Ok(if over { 0 } else { longest.unsigned_abs() })
}

/// Returns the time of so many seconds, as it comes out of Go's `time.Duration`: 292 years are too many, and may be none.
pub(super) fn go_seconds(seconds: i64) -> Duration {
    const SECOND: i64 = 1_000_000_000;
    Duration::from_nanos(u64::try_from(seconds.wrapping_mul(SECOND)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_are_too_long_are_short() {
        let seconds =
            [30, 9_223_372_036, 9_223_372_037, 20_000_000_000].map(|count| go_seconds(count).as_secs());
        assert_eq!(seconds, [30, 9_223_372_036, 0, 1_553_255_926]);
    }
}
