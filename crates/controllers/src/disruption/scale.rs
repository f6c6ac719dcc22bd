//! Scales: how many pods there are to be, as those that keep them say.

use std::collections::BTreeMap;

use json_tree::Value;

use crate::controller::Context;
use crate::discovery::Discovery;
use crate::error::Error;
use crate::resource::{DEPLOYMENTS, REPLICA_SETS, REPLICATION_CONTROLLERS, Resource, STATEFUL_SETS};
use crate::store::Shared;
use crate::{intstr, object};

/// The numbers that a budget comes to.
pub(super) struct Scale {
    /// The pods that there are to be.
    pub(super) expected: i64,
    /// The pods that have to be healthy.
    pub(super) healthy: i64,
    /// True if nobody keeps some of the pods whose number matters.
    pub(super) has_unmanaged: bool,
}

/// Calculates how many pods there are to be, and how many of them have to be healthy.
pub(super) async fn expected(budget: &Value, pods: &[Shared], context: &Context<'_>) -> Result<Scale, Error> {
    let value = |name: &str| budget.pointer(name).filter(|value| !value.is_null());
    let least = value("/spec/minAvailable");
    if let Some(most) = value("/spec/maxUnavailable") {
        let (expected, has_unmanaged) = sum(pods, context).await?;
        let healthy = (expected - intstr::scaled(Some(most), expected, true)?).max(0);
        return Ok(Scale { expected, healthy, has_unmanaged });
    }
    if least.is_some_and(Value::is_string) {
        let (expected, has_unmanaged) = sum(pods, context).await?;
        let healthy = intstr::scaled(least, expected, true)?;
        return Ok(Scale { expected, healthy, has_unmanaged });
    }
    let healthy = least.and_then(Value::as_i64).unwrap_or_default();
    let expected = if least.is_some() { pods.len() as i64 } else { 0 };
    Ok(Scale { expected, healthy, has_unmanaged: false })
}

/// Returns the sum of what all that keep the pods want, and whether nobody keeps some of them.
async fn sum(pods: &[Shared], context: &Context<'_>) -> Result<(i64, bool), Error> {
    let (mut scales, mut has_unmanaged) = (BTreeMap::new(), false);
    for pod in pods {
        let Some(reference) = object::controller_of(pod) else {
            has_unmanaged = true;
            continue;
        };
        if scales.contains_key(reference.text("uid")) {
            continue;
        }
        let found = match known(reference, object::namespace(pod), context) {
            Some(found) => Some(found),
            None => ask(reference, object::namespace(pod), context).await?,
        };
        let Some((uid, replicas)) = found else {
            let name = golang::strconv::quote(object::name(pod));
            return Err(Error::Other(["found no controllers for pod ", &name].concat()));
        };
        scales.insert(uid, replicas);
    }
    Ok((scales.into_values().sum(), has_unmanaged))
}

/// Returns the uid and the scale of who keeps a pod, if a copy has it; of a ReplicaSet with a Deployment, that of the Deployment.
fn known(reference: &Value, namespace: &str, context: &Context<'_>) -> Option<(String, i64)> {
    let find = |reference: &Value, resource: &Resource| {
        let (group, _) = reference.text("apiVersion").rsplit_once('/').unwrap_or_default();
        if reference.text("kind") != resource.kind || group != resource.group {
            return None;
        }
        let key = object::join_key(namespace, reference.text("name"));
        let found = context.stores.of(resource).get(&key)?;
        (object::uid(found) == reference.text("uid")).then_some(found)
    };
    let scale = |object: &Shared| (object::uid(object).to_owned(), object::replicas(object));
    if let Some(set) = find(reference, &REPLICA_SETS) {
        return match object::controller_of(set) {
            Some(owner) if owner.text("kind") == DEPLOYMENTS.kind => find(owner, &DEPLOYMENTS).map(scale),
            _ => Some(scale(set)),
        };
    }
    [&REPLICATION_CONTROLLERS, &STATEFUL_SETS]
        .into_iter()
        .find_map(|resource| find(reference, resource))
        .map(scale)
}

/// Asks the API server for the scale of an object of any kind. `None` if there is no such object.
async fn ask(
    reference: &Value,
    namespace: &str,
    context: &Context<'_>,
) -> Result<Option<(String, i64)>, Error> {
    let (kind, api_version) = (reference.text("kind"), reference.text("apiVersion"));
    let discovery = Discovery::ask(context.client).await?;
    let Some(resource) = discovery.resource_of(api_version, kind) else {
        let text = format!("no matches for kind {} in version {}", quote(kind), quote(api_version));
        return Err(Error::Other(text));
    };
    match context.client.get_scale(resource, namespace, reference.text("name")).await {
        Ok(scale) if object::uid(&scale) == reference.text("uid") => {
            Ok(Some((object::uid(&scale).to_owned(), object::replicas(&scale))))
        }
        Ok(_) => Ok(None),
        Err(error) if error.is_not_found() && discovery.has_scale(resource) => Ok(None),
        Err(error) if error.is_not_found() => {
            let name = if resource.group.is_empty() {
                resource.plural.to_string()
            } else {
                [&*resource.plural, ".", &*resource.group].concat()
            };
            Err(Error::Other([&name, " does not implement the scale subresource"].concat()))
        }
        Err(error) => Err(error),
    }
}

fn quote(text: &str) -> String {
    golang::strconv::quote(text)
}
