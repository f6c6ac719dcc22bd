//! The ReplicaSets of a Deployment: which is the one of its template, and making it.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rollover-aka-multiple-updates-in-flight>.

use json_tree::{Value, json};

use super::conditions::{Condition, PROGRESSING};
use super::size::{self, NONE};
use super::{Rollout, Sets, annotations};
use crate::controller::Context;
use crate::error::Error;
use crate::events::EventType;
use crate::hash;
use crate::object;
use crate::resource::{DEPLOYMENTS, REPLICA_SETS};
use crate::store::Shared;

const HASH_LABEL: &str = "pod-template-hash";

/// The number of characters that a name has at most.
const LONGEST_NAME: usize = 253;

/// Sorts ReplicaSets by their age, the oldest first.
pub(super) fn sort_by_age(sets: &mut [Shared]) {
    sets.sort_by(|a, b| age(a).cmp(&age(b)));
}

/// Returns the time at which an object was made, and its name: what they are sorted by.
pub(super) fn age(set: &Value) -> (std::time::Duration, &str) {
    (object::creation_time(set), object::name(set))
}

/// Reports whether two pod templates are the same but for the label of their hash.
pub(super) fn is_same_template(a: Option<&Value>, b: Option<&Value>) -> bool {
    let plain = |template: Option<&Value>| template.map(without_hash).unwrap_or_default();
    plain(a) == plain(b)
}

/// Removes the label of the hash from a pod template.
pub(super) fn without_hash(template: &Value) -> Value {
    let mut template = template.clone();
    if let Some(labels) = template.pointer_mut("/metadata/labels").and_then(Value::as_object_mut) {
        labels.shift_remove(HASH_LABEL);
    }
    template
}

impl Rollout {
    /// Finds the ReplicaSet of the template and all others, and brings the revision up to date. If there is none for the template, it is
    /// made, where `create` says so.
    pub(super) async fn replica_sets(
        &mut self,
        create: bool,
        context: &mut Context<'_>,
    ) -> Result<Sets, Error> {
        let template = self.deployment.pointer("/spec/template");
        let is_new = |set: &&Shared| is_same_template(set.pointer("/spec/template"), template);
        let new = self.sets.iter().find(is_new).cloned();
        let uid = new.as_ref().map(|new| object::uid(new).to_owned());
        let is_old = |set: &&Shared| uid.as_deref() != Some(object::uid(set));
        let old: Vec<Shared> = self.sets.iter().filter(is_old).cloned().collect();
        let highest =
            old.iter().filter_map(|set| annotations::revision(set)).max().unwrap_or_default().max(0);
        let new = match new {
            Some(new) => Some(self.update_new(&new, highest + 1, context).await?),
            None if create => Some(self.create_new(&old, highest + 1, context).await?),
            None => None,
        };
        Ok(Sets { new, old })
    }

    /// Brings the annotations of the ReplicaSet of the template up to date, and then those of the Deployment.
    async fn update_new(
        &mut self,
        set: &Shared,
        revision: i64,
        context: &mut Context<'_>,
    ) -> Result<Shared, Error> {
        let mut new = Value::clone(set);
        let changed = annotations::set_for_new_set(&mut new, &self.deployment, revision, true);
        let seconds = object::int(&self.deployment, "/spec/minReadySeconds");
        if changed || object::int(&new, "/spec/minReadySeconds") != seconds {
            object::set(object::child(&mut new, "spec"), "minReadySeconds", seconds.into());
            return context.client.update(&REPLICA_SETS, &new, "").await.map(Shared::new);
        }
        let own = object::annotation(&new, annotations::REVISION).unwrap_or_default();
        let mut changed = annotations::set_revision(&mut self.deployment, own);
        let mut status = self.status();
        if self.has_progress_deadline() && status.condition(PROGRESSING).is_none() {
            let message = format!("Found new replica set {}", golang::strconv::quote(object::name(&new)));
            status.set(Condition::new(PROGRESSING, "True", "FoundNewReplicaSet", message, context.now()));
            self.set_status(&status);
            changed = true;
        }
        if changed {
            self.write_status(context).await?;
        }
        Ok(Shared::clone(set))
    }

    /// Makes the ReplicaSet of the template, or takes the one of that name if it is the same, and says so in the Deployment.
    async fn create_new(
        &mut self,
        old: &[Shared],
        revision: i64,
        context: &mut Context<'_>,
    ) -> Result<Shared, Error> {
        let set = self.new_set(old, revision)?;
        let namespace = object::namespace(&self.deployment).to_owned();
        let count = size::replicas(&set);
        let (created, is_mine) = match context.client.create(&REPLICA_SETS, &namespace, &set).await {
            Ok(created) => (Shared::new(created), true),
            Err(error) if error.is_already_exists() => {
                (self.find_existing(&set, &error, context).await?, false)
            }
            Err(error) if error.is_namespace_terminating() => return Err(error),
            Err(error) => {
                self.report_failure(&set, &error, context).await;
                return Err(error);
            }
        };
        let name = object::name(&created);
        if is_mine && count > NONE {
            let message = format!("Scaled up replica set {name} from 0 to {count}");
            self.report(EventType::Normal, "ScalingReplicaSet", message, context);
        }
        let mut changed = annotations::set_revision(&mut self.deployment, &revision.to_string());
        if is_mine && self.has_progress_deadline() {
            let message = format!("Created new replica set {}", golang::strconv::quote(name));
            let mut status = self.status();
            status.set(Condition::new(PROGRESSING, "True", "NewReplicaSetCreated", message, context.now()));
            self.set_status(&status);
            changed = true;
        }
        if changed {
            self.write_status(context).await?;
        }
        Ok(created)
    }

    /// Makes the ReplicaSet of the template.
    fn new_set(&self, old: &[Shared], revision: i64) -> Result<Value, Error> {
        let deployment = &self.deployment;
        let mut template = deployment.pointer("/spec/template").cloned().unwrap_or_default();
        let collisions = deployment.pointer("/status/collisionCount").and_then(Value::as_i64);
        let hash = hash::of_template(&template, collisions);
        let labels = object::child(object::child(&mut template, "metadata"), "labels");
        object::set(labels, HASH_LABEL, hash.as_str().into());
        let labels = labels.clone();
        let mut selector = deployment.pointer("/spec/selector").cloned().unwrap_or_default();
        object::set(object::child(&mut selector, "matchLabels"), HASH_LABEL, hash.as_str().into());
        let mut spec = json!({"replicas": 0, "selector": selector, "template": template});
        let seconds = object::int(deployment, "/spec/minReadySeconds");
        if seconds != 0 {
            object::set(&mut spec, "minReadySeconds", seconds.into());
        }
        let owner = object::controller_reference(deployment, &DEPLOYMENTS.api_version(), &DEPLOYMENTS.kind);
        let metadata = json!({
            "name": set_name(object::name(deployment), &hash),
            "namespace": object::namespace(deployment),
            "labels": labels,
            "ownerReferences": [owner]
        });
        let mut set = json!({"metadata": metadata, "spec": spec});
        let all: Vec<&Value> = old.iter().map(|set| &**set).chain([&set]).collect();
        let count = size::of_new_set(deployment, &all, &set)?;
        object::set(object::child(&mut set, "spec"), "replicas", count.0.into());
        annotations::set_for_new_set(&mut set, deployment, revision, false);
        Ok(set)
    }

    /// Finds the ReplicaSet that has the name already. If it is not this Deployment's, or has another template, their hashes are the
    /// same by chance, and the next one is made with another name.
    async fn find_existing(
        &mut self,
        set: &Value,
        error: &Error,
        context: &Context<'_>,
    ) -> Result<Shared, Error> {
        let known = context.stores.of(&REPLICA_SETS).get(&object::key(set)).cloned();
        let Some(known) = known else {
            let name = golang::strconv::quote(object::name(set));
            return Err(Error::Other(format!("replicaset.apps {name} not found")));
        };
        let template = self.deployment.pointer("/spec/template");
        if object::is_controlled_by(&known, &self.deployment)
            && is_same_template(template, known.pointer("/spec/template"))
        {
            return Ok(known);
        }
        let count = object::int(&self.deployment, "/status/collisionCount") + 1;
        object::set(object::child(&mut self.deployment, "status"), "collisionCount", count.into());
        // If it fails, the same is found out again.
        let _ = self.write_status(context).await;
        Err(error.clone())
    }

    async fn report_failure(&mut self, set: &Value, error: &Error, context: &mut Context<'_>) {
        let name = golang::strconv::quote(object::name(set));
        let message = format!("Failed to create new replica set {name}: {error}");
        if self.has_progress_deadline() {
            let mut status = self.status();
            let failed =
                Condition::new(PROGRESSING, "False", "ReplicaSetCreateError", message.clone(), context.now());
            status.set(failed);
            self.set_status(&status);
            // The failure itself is what matters.
            let _ = self.write_status(context).await;
        }
        self.report(EventType::Warning, "ReplicaSetCreateError", message, context);
    }
}

/// Makes the name of a ReplicaSet.
fn set_name(deployment: &str, hash: &str) -> String {
    let room = LONGEST_NAME.saturating_sub(hash.len() + 1);
    [deployment.get(..room).unwrap_or(deployment), "-", hash].concat()
}
