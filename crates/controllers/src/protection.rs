//! The controllers that keep claims, volumes and classes of volume attributes from going while they are in use: they take the finalizer
//! off when nothing uses them any more.
//!
//! See <https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection> and
//! <https://kubernetes.io/docs/concepts/storage/volume-attributes-classes/>.

use futures::FutureExt;
use futures::future::BoxFuture;
use json_tree::Value;

use crate::change::Change;
use crate::client::View;
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::error::Error;
use crate::object::{self, list};
use crate::pod;
use crate::pod_claims::{claimed, not_of_pod};
use crate::resource::{
    PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS, Resource, VOLUME_ATTRIBUTES_CLASSES,
};

/// Asks whether an object is in use.
type Usage = for<'a> fn(&'a Value, &'a Context<'_>) -> BoxFuture<'a, Result<bool, Error>>;

/// A kind of objects that are protected.
pub(crate) struct Protected {
    objects: Resource,
    finalizer: &'static str,
    is_used: Usage,
    /// The resources whose objects use them.
    users: &'static [Resource],
    /// Hears of a user, and queues what it may not use any more.
    user_changed: fn(&Change, &mut Context<'_>),
}

/// The claims of volumes, which pods use.
pub(crate) static CLAIMS: Protected = Protected {
    objects: PERSISTENT_VOLUME_CLAIMS,
    finalizer: "kubernetes.io/pvc-protection",
    is_used: |claim, context| is_claim_used(claim, context).boxed(),
    users: &[PODS],
    user_changed: pod_changed,
};

/// The volumes, which are in use while they are bound.
pub(crate) static VOLUMES: Protected = Protected {
    objects: PERSISTENT_VOLUMES,
    finalizer: "kubernetes.io/pv-protection",
    is_used: |volume, _| std::future::ready(Ok(volume.text_at("/status/phase") == "Bound")).boxed(),
    users: &[],
    user_changed: |_, _| {},
};

/// The classes of volume attributes, which volumes and their claims name.
pub(crate) static VOLUME_ATTRIBUTES: Protected = Protected {
    objects: VOLUME_ATTRIBUTES_CLASSES,
    finalizer: "kubernetes.io/vac-protection",
    is_used: |class, context| std::future::ready(Ok(is_class_used(class, context))).boxed(),
    users: &[PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES],
    user_changed: |change, context| {
        let kept: Vec<&str> = change.new.iter().flat_map(|user| classes(user)).collect();
        let left = change.old.iter().flat_map(|user| classes(user)).filter(|class| !kept.contains(class));
        left.for_each(|class| context.queue.add(class));
    },
};

/// The fields of claims and volumes in which they name a class of volume attributes.
const CLASSES: [&str; 3] = [
    "/spec/volumeAttributesClassName",
    "/status/currentVolumeAttributesClassName",
    "/status/modifyVolumeStatus/targetVolumeAttributesClassName",
];

/// The controller of a kind. Its keys are those of the objects.
pub(crate) struct Protection(&'static Protected);

impl Protection {
    /// Makes the controller of a kind.
    pub(crate) fn new(protected: &'static Protected) -> Self {
        Self(protected)
    }

    fn has_finalizer(&self, object: &Value) -> bool {
        object::finalizers(object).any(|finalizer| finalizer == self.0.finalizer)
    }

    /// Gives an object its finalizer, or takes it off one that is to go and that nothing uses.
    async fn protect(&self, key: &str, context: &mut Context<'_>) -> Result<Outcome, Error> {
        let Some(object) = context.stores.of(&self.0.objects).get(key).cloned() else {
            return Ok(Outcome::Done);
        };
        let (is_protected, goes) = (self.has_finalizer(&object), object::is_being_deleted(&object));
        let others = object::finalizers(&object).filter(|finalizer| *finalizer != self.0.finalizer);
        let mut finalizers: Vec<Value> = others.map(Value::from).collect();
        match (is_protected, goes) {
            (true, true) if !(self.0.is_used)(&object, context).await? => {}
            (false, false) => finalizers.push(self.0.finalizer.into()),
            _ => return Ok(Outcome::Done),
        }
        let mut changed = Value::clone(&object);
        object::set(object::child(&mut changed, "metadata"), "finalizers", Value::Array(finalizers));
        context.client.update(&self.0.objects, &changed, "").await.map(|_| Outcome::Done)
    }
}

impl Controller for Protection {
    fn resources(&self) -> Vec<(Resource, View)> {
        let resources = std::iter::once(&self.0.objects).chain(self.0.users);
        resources.map(|resource| (resource.clone(), View::Whole)).collect()
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        if change.resource != self.0.objects {
            return (self.0.user_changed)(change, context);
        }
        if let Some(object) = &change.new
            && self.has_finalizer(object) == object::is_being_deleted(object)
        {
            context.queue.add(object::key(object));
        }
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        self.protect(key, context).boxed()
    }
}

/// Hears of a pod: claims that it names may not be in use any more.
fn pod_changed(change: &Change, context: &mut Context<'_>) {
    let replaced = match (&change.old, &change.new) {
        (Some(old), Some(new)) => object::uid(old) != object::uid(new),
        _ => change.new.is_none(),
    };
    if replaced && let Some(old) = &change.old {
        add_claims(old, context);
    }
    if let Some(pod) = &change.new
        && (pod::is_terminal(pod) || pod.text_at("/spec/nodeName").is_empty())
    {
        add_claims(pod, context);
    }
}

/// Queues the claims that a pod names.
fn add_claims(pod: &Value, context: &mut Context<'_>) {
    for volume in claimed(pod) {
        context.queue.add(object::join_key(object::namespace(pod), &volume.claim));
    }
}

/// Reports whether a pod uses a claim: first of those that are known, then of those that there are.
async fn is_claim_used(claim: &Value, context: &Context<'_>) -> Result<bool, Error> {
    let namespace = object::namespace(claim);
    if context.stores.of(&PODS).in_namespace(namespace).any(|pod| uses(pod, claim)) {
        return Ok(true);
    }
    let listed = context.client.list(&PODS, namespace, View::Whole, "").await;
    let listed = listed.map_err(|error| Error::Other(format!("live list of pods failed: {error}")))?;
    Ok(list(&listed, "/items").iter().any(|pod| uses(pod, claim)))
}

/// Reports whether a pod uses a claim. One without a node does not yet, and one that has been deleted at once does not use the claim that
/// was made for it.
fn uses(pod: &Value, claim: &Value) -> bool {
    let is_shut_down =
        object::is_being_deleted(pod) && object::meta(pod, "deletionGracePeriodSeconds").as_i64() == Some(0);
    !pod.text_at("/spec/nodeName").is_empty()
        && claimed(pod)
            .filter(|volume| volume.claim == object::name(claim))
            .any(|volume| !volume.is_ephemeral || (!is_shut_down && not_of_pod(pod, claim).is_none()))
}

/// Returns the classes that a claim or a volume names.
fn classes(user: &Value) -> impl Iterator<Item = &str> {
    CLASSES.iter().map(|field| user.text_at(field)).filter(|class| !class.is_empty())
}

/// Reports whether a claim or a volume names a class.
fn is_class_used(class: &Value, context: &Context<'_>) -> bool {
    let mut users = VOLUME_ATTRIBUTES.users.iter().flat_map(|users| context.stores.of(users).iter());
    users.any(|(_, user)| classes(user).any(|used| used == object::name(class)))
}
