//! The claims of volumes of a StatefulSet: they are made with its pods, and a policy says who owns them.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#persistentvolumeclaim-retention>.

use json_tree::Value;

use super::identity::{claim_name, claim_templates};
use super::{CREATE, Set};
use crate::controller::Context;
use crate::error::Error;
use crate::events::EventType;
use crate::object;
use crate::resource::{PERSISTENT_VOLUME_CLAIMS, PODS, Resource, STATEFUL_SETS};
use crate::store::Shared;

/// The owners that a claim is to have.
struct Owners {
    set: bool,
    pod: bool,
}

/// Reports whether a reference is to an object of a resource, by its name.
fn names(reference: &Value, owner: &Value, owners: &Resource) -> bool {
    reference.text("apiVersion") == owners.api_version()
        && reference.text("kind") == owners.kind
        && reference.text("name") == object::name(owner)
}

/// Reports whether a claim has a reference to an object by its uid.
fn has_owner(claim: &Value, owner: &Value) -> bool {
    object::owners(claim).iter().any(|reference| reference.text("uid") == object::uid(owner))
}

/// Reports whether a claim has a reference to an object of this name that is gone.
fn is_stale(claim: &Value, owner: &Value, owners: &Resource) -> bool {
    let named = object::owners(claim).iter().find(|reference| names(reference, owner, owners));
    named.is_some_and(|reference| reference.text("uid") != object::uid(owner))
}

impl Set {
    /// Reports whether the policy is to delete claims: those of pods beyond the number of replicas, and those of a deleted set.
    fn deletes(&self) -> (bool, bool) {
        let policy = self.owner.pointer("/spec/persistentVolumeClaimRetentionPolicy");
        let deletes = |field| policy.is_some_and(|policy| policy.text(field) == "Delete");
        (deletes("whenScaled"), deletes("whenDeleted"))
    }

    /// Returns the owners that the claims of an ordinal are to have.
    fn owners_of_claims(&self, ordinal: i64) -> Owners {
        let (scaled, deleted) = self.deletes();
        let is_beyond = scaled && !self.has(ordinal);
        Owners { set: deleted && !is_beyond, pod: is_beyond }
    }

    /// Reports whether somebody else manages a claim, so that the policy does not count.
    fn is_managed_elsewhere(&self, claim: &Value, pod: &Value) -> bool {
        if self.deletes() == (false, false) {
            return false;
        }
        object::owners(claim).iter().any(|reference| {
            let own = [(&*self.owner, &STATEFUL_SETS), (pod, &PODS)];
            match own.iter().find(|(owner, owners)| names(reference, owner, owners)) {
                Some((owner, _)) => reference.text("uid") != object::uid(owner),
                None => reference.get("controller") == Some(&Value::Bool(true)),
            }
        })
    }

    /// Reports whether a claim has the owners that it is to have. One whose owners nobody understands is left alone.
    fn is_owned_well(&self, claim: &Value, pod: &Value, ordinal: i64) -> bool {
        if is_stale(claim, &self.owner, &STATEFUL_SETS) || is_stale(claim, pod, &PODS) {
            return true;
        }
        let (of_set, of_pod) = (has_owner(claim, &self.owner), has_owner(claim, pod));
        if self.is_managed_elsewhere(claim, pod) {
            return !of_set && !of_pod;
        }
        let does_not_manage = |reference: &Value| {
            let uid = reference.text("uid");
            (uid == object::uid(&self.owner) || uid == object::uid(pod))
                && reference.get("controller") != Some(&Value::Bool(true))
        };
        if object::owners(claim).iter().any(does_not_manage) {
            return false;
        }
        let wanted = self.owners_of_claims(ordinal);
        of_set == wanted.set && of_pod == wanted.pod
    }

    /// Returns the owner references that a claim is to have.
    fn references(&self, claim: &Value, pod: &Value, ordinal: i64) -> Vec<Value> {
        let is_own = |reference: &&Value| {
            names(reference, &self.owner, &STATEFUL_SETS) || names(reference, pod, &PODS)
        };
        let others = object::owners(claim).iter().filter(|reference| !is_own(reference));
        let mut references: Vec<Value> = others.cloned().collect();
        if self.is_managed_elsewhere(claim, pod) {
            return references;
        }
        let wanted = self.owners_of_claims(ordinal);
        for (owner, owners, is_wanted) in
            [(&*self.owner, &STATEFUL_SETS, wanted.set), (pod, &PODS, wanted.pod)]
        {
            if is_wanted && !references.iter().any(|one| one.text("uid") == object::uid(owner)) {
                references.push(object::controller_reference(owner, &owners.api_version(), &owners.kind));
            }
        }
        references
    }

    /// Returns those claims of an ordinal that are there.
    fn claims<'a>(&self, ordinal: i64, context: &Context<'a>) -> Vec<&'a Shared> {
        let store = context.stores.of(&PERSISTENT_VOLUME_CLAIMS);
        let names = claim_templates(&self.owner).iter().map(|one| claim_name(&self.owner, one, ordinal));
        let key = |name: String| object::join_key(object::namespace(&self.owner), &name);
        names.filter_map(|name| store.get(&key(name))).collect()
    }

    /// Reports whether the claims of a pod have the owners that they are to have.
    pub(super) fn claims_match(&self, pod: &Value, ordinal: i64, context: &Context<'_>) -> bool {
        self.claims(ordinal, context).iter().all(|claim| self.is_owned_well(claim, pod, ordinal))
    }

    /// Reports whether the claims of a pod that is to be made are about to go with the pod before.
    pub(super) fn claims_are_stale(&self, pod: &Value, ordinal: i64, context: &Context<'_>) -> bool {
        self.deletes().0 && self.claims(ordinal, context).iter().any(|claim| is_stale(claim, pod, &PODS))
    }

    /// Gives the claims of a pod the owners that they are to have.
    pub(super) async fn update_claims(
        &self,
        pod: &Value,
        ordinal: i64,
        context: &mut Context<'_>,
    ) -> Result<(), Error> {
        for claim in self.claims(ordinal, context) {
            let name = object::name(claim);
            if self.is_managed_elsewhere(claim, pod) {
                let message = [
                    "PersistentVolumeClaim ",
                    name,
                    " has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim",
                ];
                self.report(EventType::Warning, "ConflictingController", message.concat(), context);
            }
            if !self.is_owned_well(claim, pod, ordinal) {
                let mut new = Value::clone(claim);
                let references = Value::Array(self.references(claim, pod, ordinal));
                object::set(object::child(&mut new, "metadata"), "ownerReferences", references);
                let updated = context.client.update(&PERSISTENT_VOLUME_CLAIMS, &new, "").await;
                let what = ["could not update claim ", name, " for delete policy ownerRefs"].concat();
                updated.map_err(|error| error.context(&what))?;
            }
        }
        Ok(())
    }

    /// Makes the claims of a pod that are missing. All are tried, whatever fails.
    pub(super) async fn create_claims(
        &self,
        pod: &str,
        ordinal: i64,
        context: &mut Context<'_>,
    ) -> Result<(), Error> {
        let namespace = object::namespace(&self.owner);
        let mut errors = Vec::new();
        for template in claim_templates(&self.owner) {
            let name = claim_name(&self.owner, template, ordinal);
            let key = object::join_key(namespace, &name);
            if let Some(claim) = context.stores.of(&PERSISTENT_VOLUME_CLAIMS).get(&key) {
                if object::is_being_deleted(claim) {
                    errors.push(Error::Other(["pvc ", &name, " is being deleted"].concat()));
                }
                continue;
            }
            let mut claim = template.clone();
            let metadata = object::child(&mut claim, "metadata");
            object::set(metadata, "name", name.as_str().into());
            object::set(metadata, "namespace", namespace.into());
            if let Some(own) = self.owner.pointer("/spec/selector/matchLabels").and_then(Value::as_object) {
                let labels = object::child(metadata, "labels");
                own.iter().for_each(|(key, value)| object::set(labels, key, value.clone()));
            }
            let created = context.client.create(&PERSISTENT_VOLUME_CLAIMS, namespace, &claim).await;
            let (verb, succeeded, failed) = CREATE;
            let about = [" Claim ", &name];
            match created {
                Ok(_) => {
                    let message = [
                        verb,
                        &about.concat(),
                        " Pod ",
                        pod,
                        " in StatefulSet ",
                        object::name(&self.owner),
                        " success",
                    ];
                    self.report(EventType::Normal, succeeded, message.concat(), context);
                }
                Err(error) => {
                    if !error.is_already_exists() {
                        let text = error.to_string();
                        let message = [
                            verb,
                            &about.concat(),
                            " for Pod ",
                            pod,
                            " in StatefulSet ",
                            object::name(&self.owner),
                            " failed error: ",
                            &text,
                        ];
                        self.report(EventType::Warning, failed, message.concat(), context);
                    }
                    errors.push(error.context(&["failed to create PVC ", &name].concat()));
                }
            }
        }
        crate::claim::aggregate(&errors).map_or(Ok(()), Err)
    }
}
