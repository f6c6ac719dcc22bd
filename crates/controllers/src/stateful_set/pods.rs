//! Making, updating and deleting the pods of a StatefulSet, with events about it.

use json_tree::Value;

use super::{CREATE, DELETE, Set, UPDATE, Verb, identity};
use crate::controller::Context;
use crate::error::Error;
use crate::events::EventType;
use crate::object;
use crate::resource::PODS;

impl Set {
    /// Reports that something was done to a pod, or was not.
    fn report_pod(
        &self,
        (verb, succeeded, failed): Verb,
        pod: &str,
        outcome: Result<(), &Error>,
        context: &mut Context<'_>,
    ) {
        let what = [verb, " Pod ", pod, " in StatefulSet ", object::name(&self.owner)].concat();
        match outcome {
            Ok(()) => self.report(EventType::Normal, succeeded, what + " successful", context),
            Err(error) => {
                let message = [&what, " failed error: ", &error.to_string()].concat();
                self.report(EventType::Warning, failed, message, context);
            }
        }
    }

    /// Makes a pod, and its claims before.
    pub(super) async fn create_pod(
        &self,
        pod: &Value,
        ordinal: i64,
        context: &mut Context<'_>,
    ) -> Result<(), Error> {
        let name = object::name(pod);
        if let Err(error) = self.create_claims(name, ordinal, context).await {
            self.report_pod(CREATE, name, Err(&error), context);
            return Err(error);
        }
        let created = context.client.create(&PODS, object::namespace(&self.owner), pod).await.map(drop);
        if created.as_ref().is_err_and(Error::is_already_exists) {
            return created;
        }
        self.own_claims(pod, ordinal, context).await?;
        self.report_pod(CREATE, name, created.as_ref().copied(), context);
        created
    }

    /// Gives the claims of a pod their owners. An event tells if that fails.
    async fn own_claims(&self, pod: &Value, ordinal: i64, context: &mut Context<'_>) -> Result<(), Error> {
        let updated = self.update_claims(pod, ordinal, context).await;
        if let Err(error) = &updated {
            self.report_pod(UPDATE, object::name(pod), Err(error), context);
        }
        updated
    }

    /// Makes the claims that a pod misses while it waits.
    pub(super) async fn complete_claims(
        &self,
        pod: &Value,
        ordinal: i64,
        context: &mut Context<'_>,
    ) -> Result<(), Error> {
        self.create_claims(object::name(pod), ordinal, context).await?;
        self.own_claims(pod, ordinal, context).await
    }

    /// Gives a pod the identity and the claims that it is to have, if it has others.
    pub(super) async fn update_pod(
        &self,
        pod: &Value,
        ordinal: i64,
        context: &mut Context<'_>,
    ) -> Result<(), Error> {
        let owner = &self.owner;
        let has_identity = identity::has_identity(owner, pod, ordinal);
        let has_storage = identity::has_storage(owner, pod, ordinal);
        let has_claims = self.claims_match(pod, ordinal, context);
        if has_identity && has_storage && has_claims {
            return Ok(());
        }
        let mut new = pod.clone();
        identity::set_identity(owner, &mut new, ordinal);
        let name = object::name(&new).to_owned();
        if !has_storage {
            identity::set_storage(owner, &mut new, ordinal);
            if let Err(error) = self.create_claims(&name, ordinal, context).await {
                self.report_pod(UPDATE, &name, Err(&error), context);
                return Err(error);
            }
        }
        if !has_claims {
            self.own_claims(&new, ordinal, context).await?;
        }
        let updated = context.client.update(&PODS, &new, "").await.map(drop);
        // Somebody else has written the pod meanwhile: nothing has failed, it is tried again.
        if !updated.as_ref().is_err_and(Error::is_conflict) {
            self.report_pod(UPDATE, &name, updated.as_ref().copied(), context);
        }
        updated
    }

    /// Deletes a pod.
    pub(super) async fn delete_pod(&self, pod: &Value, context: &mut Context<'_>) -> Result<(), Error> {
        let (namespace, name) = (object::namespace(pod), object::name(pod));
        let deleted = match context.client.delete(&PODS, namespace, name, &Value::Null).await {
            Err(error) if error.is_not_found() => Ok(()),
            deleted => deleted,
        };
        self.report_pod(DELETE, name, deleted.as_ref().copied(), context);
        deleted
    }
}
