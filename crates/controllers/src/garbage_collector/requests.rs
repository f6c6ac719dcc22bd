//! The requests of the garbage collector: it reads and changes nothing but metadata.

use json_tree::{Value, json};

use super::GarbageCollector;
use super::node::{Identity, Node};
use crate::client::{MERGE_PATCH, STRATEGIC_MERGE_PATCH, View};
use crate::controller::Context;
use crate::error::Error;
use crate::object;
use crate::resource::Resource;

/// The number of times that the removal of a finalizer is tried, if others write meanwhile.
const TRIES: usize = 4;

/// The reason why an object cannot be looked for.
pub(super) enum Failure {
    /// It is in no namespace, and names an owner that is in one. That does not change.
    NamespacedOwner,
    /// Any other.
    Error(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl GarbageCollector {
    /// Returns the resource of a kind.
    ///
    /// # Errors
    /// It is not served.
    pub(super) fn resource(&self, api_version: &str, kind: &str) -> Result<Resource, Error> {
        let known = self.discovery.resource_of(api_version, kind).cloned();
        known.ok_or_else(|| Error::Other(format!("unable to get REST mapping for {api_version}/{kind}.")))
    }

    /// Returns the resource and the namespace of an object.
    fn place<'a>(&self, identity: &'a Identity) -> Result<(Resource, &'a str), Error> {
        let resource = self.resource(&identity.api_version, &identity.kind)?;
        let namespace = if resource.namespaced { identity.namespace.as_str() } else { "" };
        Ok((resource, namespace))
    }

    /// Reads the metadata of an object.
    pub(super) async fn get(&self, identity: &Identity, context: &Context<'_>) -> Result<Value, Failure> {
        let (resource, namespace) = self.place(identity)?;
        if resource.namespaced && namespace.is_empty() {
            return Err(Failure::NamespacedOwner);
        }
        Ok(context.client.get(&resource, namespace, &identity.name, View::Metadata).await?)
    }

    /// Deletes an object if it is still the same; if somebody has changed something else of it than its owners, all the same.
    pub(super) async fn delete(
        &self,
        identity: &Identity,
        latest: &Value,
        policy: &str,
        context: &Context<'_>,
    ) -> Result<(), Error> {
        let (resource, namespace) = self.place(identity)?;
        let uid = identity.uid.as_str();
        let exact = json!({
            "preconditions": {"uid": uid, "resourceVersion": object::version(latest)},
            "propagationPolicy": policy
        });
        let deleted = context.client.delete(&resource, namespace, &identity.name, &exact).await;
        if !deleted.as_ref().is_err_and(Error::is_conflict) {
            return deleted;
        }
        let live = match context.client.get(&resource, namespace, &identity.name, View::Metadata).await {
            Ok(live) => live,
            Err(error) if error.is_not_found() => return Err(error),
            Err(_) => return deleted,
        };
        if object::uid(&live) == uid
            && object::version(&live) != object::version(latest)
            && object::owners(&live) == object::owners(latest)
        {
            let any = json!({"preconditions": {"uid": uid}, "propagationPolicy": policy});
            return context.client.delete(&resource, namespace, &identity.name, &any).await;
        }
        deleted
    }

    /// Patches the metadata of an object: by a Strategic Merge Patch, and by a Merge Patch where that is not supported.
    async fn patch(
        &self,
        identity: &Identity,
        strategic: &Value,
        merge: impl Fn(&Value) -> Value,
        context: &Context<'_>,
    ) -> Result<(), Error> {
        let (resource, namespace) = self.place(identity)?;
        let at = (namespace, identity.name.as_str());
        match context.client.patch(&resource, at, STRATEGIC_MERGE_PATCH, strategic, View::Metadata).await {
            Err(error) if error.is_unsupported_media_type() => {}
            patched => return patched.map(drop),
        }
        let key = object::join_key(namespace, &identity.name);
        let latest = match context.stores.of(&resource).get(&key) {
            Some(known) => Value::clone(known),
            None => context.client.get(&resource, namespace, &identity.name, View::Metadata).await?,
        };
        let metadata =
            json!({"resourceVersion": object::version(&latest), "ownerReferences": merge(&latest)});
        let patch = json!({"metadata": metadata});
        context.client.patch(&resource, at, MERGE_PATCH, &patch, View::Metadata).await.map(drop)
    }

    /// Removes references to some owners.
    pub(super) async fn remove_owners(
        &self,
        dependent: &Identity,
        uids: &[String],
        context: &Context<'_>,
    ) -> Result<(), Error> {
        let removals = uids.iter().map(|uid| json!({"$patch": "delete", "uid": uid.as_str()}));
        let removals: Vec<Value> = removals.collect();
        let strategic = json!({"metadata": {"uid": dependent.uid.as_str(), "ownerReferences": removals}});
        let others = |latest: &Value| {
            let others = object::owners(latest)
                .iter()
                .filter(|owner| !uids.iter().any(|uid| owner.text("uid") == uid));
            let others: Vec<Value> = others.cloned().collect();
            if others.is_empty() { Value::Null } else { Value::Array(others) }
        };
        self.patch(dependent, &strategic, others, context).await
    }

    /// Has an object no longer block the deletion of its owners.
    pub(super) async fn unblock_owners(&self, node: &Node, context: &Context<'_>) -> Result<(), Error> {
        let blocking: Vec<Value> =
            node.owners.iter().filter(|owner| owner.blocks()).map(|owner| owner.unblocked()).collect();
        let strategic = json!({"metadata": {"uid": node.identity.uid.as_str(), "ownerReferences": blocking}});
        let all = |_: &Value| Value::Array(node.owners.iter().map(|owner| owner.unblocked()).collect());
        self.patch(&node.identity, &strategic, all, context).await
    }

    /// Removes a finalizer, if it is there.
    pub(super) async fn remove_finalizer(
        &self,
        identity: &Identity,
        finalizer: &str,
        context: &Context<'_>,
    ) -> Result<(), Failure> {
        for _ in 0..TRIES {
            let latest = match self.get(identity, context).await {
                Err(Failure::Error(error)) if error.is_not_found() => return Ok(()),
                latest => latest?,
            };
            let others: Vec<Value> =
                object::finalizers(&latest).filter(|own| *own != finalizer).map(Value::from).collect();
            if others.len() == object::finalizers(&latest).count() {
                return Ok(());
            }
            let others = if others.is_empty() { Value::Null } else { Value::Array(others) };
            let metadata = json!({"resourceVersion": object::version(&latest), "finalizers": others});
            let (resource, namespace) = self.place(identity)?;
            let (at, patch) = ((namespace, identity.name.as_str()), json!({"metadata": metadata}));
            match context.client.patch(&resource, at, MERGE_PATCH, &patch, View::Metadata).await {
                Err(error) if error.is_conflict() => {}
                patched => return Ok(patched.map(drop)?),
            }
        }
        let why = format!("updateMaxRetries({TRIES}) has reached");
        let text = format!("{why}. The garbage collector will retry later for owner {identity}");
        Err(Failure::Error(Error::Other(text)))
    }
}
