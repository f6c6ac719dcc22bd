//! The pods of a StatefulSet, in their order: which are made, which wait for others, and which go.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#deployment-and-scaling-guarantees>.

use std::collections::BTreeMap;

use json_tree::Value;

use super::revisions::Revisions;
use super::{Set, identity};
use crate::controller::Context;
use crate::error::Error;
use crate::pods::BURST;
use crate::store::Shared;
use crate::{object, pod};

/// Pods by their ordinals.
type ByOrdinal = BTreeMap<i64, Shared>;

/// The step after a look at a pod.
#[derive(PartialEq, Eq)]
enum Next {
    /// The others are looked at.
    Others,
    /// The others are looked at. This one was made.
    Made,
    /// In order, nothing else is done before something has changed.
    Wait,
}

/// Reports whether a pod runs and is ready.
fn is_running_and_ready(pod: &Value) -> bool {
    pod::phase(pod) == "Running" && pod::is_ready(pod)
}

impl Set {
    /// Does what is to be done: pods that are missing are made, those that are too many go, and old ones are replaced. Returns how many
    /// were replaced.
    pub(super) async fn act(
        &self,
        revisions: &Revisions,
        context: &mut Context<'_>,
    ) -> (i64, Result<(), Error>) {
        if object::is_being_deleted(&self.owner) {
            return (0, Ok(()));
        }
        let (mut replicas, mut condemned) = (ByOrdinal::new(), ByOrdinal::new());
        for pod in &self.pods {
            if let Some(ordinal) = identity::ordinal(pod) {
                let place = if self.has(ordinal) { &mut replicas } else { &mut condemned };
                place.insert(ordinal, Shared::clone(pod));
            }
        }
        let is_parallel = self.owner.text_at("/spec/podManagementPolicy") == "Parallel";
        let kept = match is_parallel {
            true => self.keep_all(&replicas, revisions, context).await,
            false => self.keep_in_order(&replicas, revisions, context).await,
        };
        let dismissed = match kept {
            Ok(true) => self.dismiss(&condemned, is_parallel, context).await,
            waits_or_failed => waits_or_failed,
        };
        match dismissed {
            Ok(true) => self.replace(&replicas, revisions, context).await,
            Ok(false) => (0, Ok(())),
            Err(error) => (0, Err(error)),
        }
    }

    /// Keeps one pod after the other, and reports whether all are there.
    async fn keep_in_order(
        &self,
        replicas: &ByOrdinal,
        revisions: &Revisions,
        context: &mut Context<'_>,
    ) -> Result<bool, Error> {
        for ordinal in self.start..self.end {
            let pod = replicas.get(&ordinal);
            if self.keep(pod, ordinal, false, revisions, context).await? != Next::Others {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Keeps all pods at once: one, then twice as many each time, until one fails. Reports whether all were looked at.
    async fn keep_all(
        &self,
        replicas: &ByOrdinal,
        revisions: &Revisions,
        context: &mut Context<'_>,
    ) -> Result<bool, Error> {
        let (mut made, mut left, mut batch) = (0_usize, 1_usize, 1_usize);
        let mut failed = None;
        for ordinal in self.start..self.end {
            match self.keep(replicas.get(&ordinal), ordinal, true, revisions, context).await {
                Ok(Next::Made) => made += 1,
                Ok(_) => {}
                Err(error) => failed = failed.or(Some(error)),
            }
            left -= 1;
            if left == 0 {
                if let Some(error) = failed {
                    return Err(error);
                }
                batch = batch.saturating_mul(2).min(BURST);
                left = batch;
            }
            // The others are made when those appear.
            if made >= BURST {
                break;
            }
        }
        failed.map_or(Ok(made < BURST), Err)
    }

    /// Makes the pod of an ordinal, deletes it if it has ended, or gives it what it lacks.
    async fn keep(
        &self,
        pod: Option<&Shared>,
        ordinal: i64,
        is_parallel: bool,
        revisions: &Revisions,
        context: &mut Context<'_>,
    ) -> Result<Next, Error> {
        let Some(pod) = pod else {
            let new = identity::new_pod(&self.owner, self.revision_of(ordinal, revisions), ordinal);
            if self.claims_are_stale(&new, ordinal, context) {
                return Ok(Next::Wait);
            }
            return self.create_pod(&new, ordinal, context).await.map(|()| Next::Made);
        };
        let is_going = object::is_being_deleted(pod);
        if pod::is_terminal(pod) {
            if !is_going {
                self.delete_pod(pod, context).await?;
            }
            return Ok(Next::Wait);
        }
        if pod::phase(pod) == "Pending" {
            self.complete_claims(pod, ordinal, context).await?;
        }
        if !is_parallel && (is_going || !is_running_and_ready(pod) || !self.is_available(pod, context)) {
            return Ok(Next::Wait);
        }
        self.update_pod(pod, ordinal, context).await.map(|()| Next::Others)
    }

    /// Returns the revision that a new pod has: the old one below the partition.
    fn revision_of<'a>(&self, ordinal: i64, revisions: &'a Revisions) -> &'a Value {
        let strategy = self.owner.pointer("/spec/updateStrategy").unwrap_or(&Value::Null);
        let rolling = strategy.get("rollingUpdate").filter(|rolling| !rolling.is_null());
        let old = match rolling {
            Some(rolling) => object::int(rolling, "/partition"),
            None if strategy.text("type") == "RollingUpdate" => {
                object::int(&self.owner, "/status/currentReplicas")
            }
            None => 0,
        };
        let is_old = ordinal < self.start.saturating_add(old);
        if is_old { &revisions.current } else { &revisions.update }
    }

    /// Deletes pods that are too many, the last one first, and reports whether nothing waits for that.
    async fn dismiss(
        &self,
        condemned: &ByOrdinal,
        is_parallel: bool,
        context: &mut Context<'_>,
    ) -> Result<bool, Error> {
        for (ordinal, pod) in condemned.iter().rev() {
            if !self.claims_match(pod, *ordinal, context) {
                self.update_claims(pod, *ordinal, context).await?;
            }
        }
        let is_unwell = |pod: &Value| object::is_being_deleted(pod) || !self.is_available(pod, context);
        let first_unwell = condemned.iter().find(|(_, pod)| is_unwell(pod)).map(|(ordinal, _)| *ordinal);
        for (ordinal, pod) in condemned.iter().rev() {
            let is_going = object::is_being_deleted(pod);
            if is_parallel {
                if !is_going {
                    self.delete_pod(pod, context).await?;
                }
                continue;
            }
            let is_well = is_running_and_ready(pod) && self.is_available(pod, context);
            if !is_going && (is_well || first_unwell == Some(*ordinal)) {
                self.delete_pod(pod, context).await?;
            }
            return Ok(false);
        }
        Ok(true)
    }

    /// Deletes the last pod that is of another revision than it is to be, once those after it are available.
    async fn replace(
        &self,
        replicas: &ByOrdinal,
        revisions: &Revisions,
        context: &mut Context<'_>,
    ) -> (i64, Result<(), Error>) {
        if self.owner.text_at("/spec/updateStrategy/type") == "OnDelete" {
            return (0, Ok(()));
        }
        let partition = object::int(&self.owner, "/spec/updateStrategy/rollingUpdate/partition");
        let first = self.start.saturating_add(partition.max(0));
        for ordinal in (first..self.end).rev() {
            let Some(pod) = replicas.get(&ordinal) else { break };
            let is_going = object::is_being_deleted(pod);
            if !is_going && identity::pod_revision(pod) != object::name(&revisions.update) {
                let deleted = self.delete_pod(pod, context).await;
                return (i64::from(deleted.is_ok()), deleted);
            }
            if is_going || !self.is_available(pod, context) {
                break;
            }
        }
        (0, Ok(()))
    }
}
