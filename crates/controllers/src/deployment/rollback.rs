//! Rollbacks to an earlier revision, by the annotation that has taken the place of the field `rollbackTo`.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-back-a-deployment>.

use golang::strconv::{parse_int, quote};
use json_tree::Value;

use super::replica_sets::{is_same_template, without_hash};
use super::{Rollout, Sets, annotations};
use crate::controller::Context;
use crate::error::Error;
use crate::events::EventType;
use crate::object;
use crate::resource::DEPLOYMENTS;

/// Returns the revision that a Deployment is to be rolled back to, if it is; 0 is the one before the last.
pub(super) fn revision(deployment: &Value) -> Option<i64> {
    parse_int(object::annotation(deployment, annotations::ROLLBACK_TO)?).ok()
}

impl Rollout {
    /// Rolls back, and removes the annotation in any case.
    pub(super) async fn rollback(&mut self, context: &mut Context<'_>) -> Result<(), Error> {
        let sets = self.replica_sets(true, context).await?;
        let wanted = match revision(&self.deployment) {
            Some(0) => last_revision(&sets),
            wanted => wanted,
        };
        let Some(wanted) = wanted else {
            self.warn(
                "DeploymentRollbackRevisionNotFound",
                "Unable to find last revision.".to_owned(),
                context,
            );
            return self.clear(context).await;
        };
        let Some(set) = sets.all().find(|set| annotations::revision(set) == Some(wanted)).cloned() else {
            let message = "Unable to find the revision to rollback to.".to_owned();
            self.warn("DeploymentRollbackRevisionNotFound", message, context);
            return self.clear(context).await;
        };
        let name = quote(object::name(&self.deployment));
        let template = set.pointer("/spec/template");
        if is_same_template(self.deployment.pointer("/spec/template"), template) {
            let message =
                format!("The rollback revision contains the same template as current deployment {name}");
            self.warn("DeploymentRollbackTemplateUnchanged", message, context);
            return self.clear(context).await;
        }
        let template = template.map(without_hash).unwrap_or_default();
        object::set(object::child(&mut self.deployment, "spec"), "template", template);
        annotations::restore(&mut self.deployment, &set);
        self.clear(context).await?;
        let message = format!("Rolled back deployment {name} to revision {wanted}");
        self.report(EventType::Normal, "DeploymentRollback", message, context);
        Ok(())
    }

    fn warn(&self, reason: &'static str, message: String, context: &mut Context<'_>) {
        self.report(EventType::Warning, reason, message, context);
    }

    /// Writes the Deployment without the annotation.
    async fn clear(&mut self, context: &Context<'_>) -> Result<(), Error> {
        let annotations = object::child(object::child(&mut self.deployment, "metadata"), "annotations");
        if let Some(map) = annotations.as_object_mut() {
            map.shift_remove(annotations::ROLLBACK_TO);
        }
        context.client.update(&DEPLOYMENTS, &self.deployment, "").await.map(drop)
    }
}

/// Returns the second highest revision, if there are two.
fn last_revision(sets: &Sets) -> Option<i64> {
    let mut revisions: Vec<i64> = sets.all().filter_map(|set| annotations::revision(set)).collect();
    revisions.sort_unstable_by(|a, b| b.cmp(a));
    revisions.get(1).copied().filter(|revision| *revision > 0)
}
