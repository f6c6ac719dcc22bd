//! Deletion that leaves the dependents behind.
//!
//! See <https://kubernetes.io/docs/concepts/architecture/garbage-collection/#orphaned-dependents>.

use super::GarbageCollector;
use super::node::{Identity, ORPHAN};
use super::requests::Failure;
use crate::controller::{Context, Outcome};
use crate::error::Error;

impl GarbageCollector {
    /// Removes the object of a uid from the owners of its dependents, and lets it go.
    pub(super) async fn attempt_to_orphan(
        &mut self,
        uid: &str,
        context: &Context<'_>,
    ) -> Result<Outcome, Error> {
        let Some(node) = self.graph.get(uid).cloned() else { return Ok(Outcome::Done) };
        let dependents: Vec<Identity> =
            self.graph.dependents(&node).map(|dependent| dependent.identity.clone()).collect();
        let mut failed = Vec::new();
        for dependent in &dependents {
            match self.remove_owners(dependent, &[uid.to_owned()], context).await {
                Err(error) if !error.is_not_found() => {
                    failed.push(error.context(&format!("orphaning {dependent} failed")).to_string());
                }
                _ => {}
            }
        }
        if !failed.is_empty() {
            let owner = &node.identity;
            let errors = failed.join(", ");
            return Err(Error::Other(format!(
                "failed to orphan dependents of owner {owner}, got errors: {errors}"
            )));
        }
        match self.remove_finalizer(&node.identity, ORPHAN, context).await {
            Err(Failure::Error(error)) => Err(error),
            Ok(()) | Err(Failure::NamespacedOwner) => Ok(Outcome::Done),
        }
    }
}
