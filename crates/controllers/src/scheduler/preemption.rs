//! Preemption: which pods of lower priority have to go so that a pod can run.
//!
//! See <https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/#preemption>.

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Duration;

use apimachinery::selector::LabelSelector;
use json_tree::Value;

use super::Scheduler;
use super::filter::{Cycle, Rejection, sentence};
use super::node_info::{NodeInfo, PodInfo, by_importance};
use crate::object::{self, list};
use crate::pod;
use crate::resource::POD_DISRUPTION_BUDGETS;
use crate::store::Stores;

/// The reason of the condition of pods that have to go.
pub(super) const REASON: &str = "PreemptionByScheduler";

/// A node, and the pods that have to leave it.
pub(super) struct Candidate {
    pub(super) node: String,
    /// The pods, the most important one first.
    pub(super) victims: Vec<Arc<PodInfo>>,
    /// The number of pods that a budget would protect.
    violations: usize,
}

/// The reason why nobody makes room for a pod.
pub(super) struct Refusal {
    pub(super) text: String,
    /// True if the pod goes on waiting for the node on which others make room for it already, if there is one.
    pub(super) keeps_nomination: bool,
}

impl Refusal {
    fn ineligible(text: &str) -> Self {
        Self { text: ["not eligible due to ", text].concat(), keeps_nomination: true }
    }
}

impl Scheduler {
    /// Finds the node that it costs least to make room on.
    ///
    /// # Errors
    /// The reason why there is none.
    pub(super) fn find_victims(
        &self,
        pod: &PodInfo,
        rejections: &[(&NodeInfo, Rejection)],
        stores: &Stores,
    ) -> Result<Candidate, Refusal> {
        if pod.pod.text_at("/spec/preemptionPolicy") == "Never" {
            return Err(Refusal::ineligible("preemptionPolicy=Never."));
        }
        let nominated = pod.pod.text_at("/status/nominatedNodeName");
        let waits = |(node, rejection): &&(&NodeInfo, Rejection)| {
            node.name == nominated
                && rejection.is_resolvable
                && node.pods.values().any(|other| other.priority < pod.priority && is_going(&other.pod))
        };
        if rejections.iter().any(|one| waits(&one)) {
            return Err(Refusal::ineligible("a terminating pod on the nominated node."));
        }
        let (mut candidates, mut reasons) = (Vec::new(), Vec::new());
        for (node, rejection) in rejections {
            let found = if rejection.is_resolvable {
                self.victims_on(node, pod, stores)
            } else {
                Err(vec!["Preemption is not helpful for scheduling".to_owned()])
            };
            match found {
                Ok(candidate) => candidates.push(candidate),
                Err(why) => reasons.extend(why),
            }
        }
        let best = candidates.into_iter().min_by_key(cost);
        best.ok_or_else(|| Refusal {
            text: sentence(rejections.len(), reasons.iter().map(String::as_str)),
            keeps_nomination: false,
        })
    }

    /// Finds as few pods as possible that have to leave a node.
    ///
    /// # Errors
    /// The reasons why it does not help that they leave.
    fn victims_on(&self, node: &NodeInfo, pod: &PodInfo, stores: &Stores) -> Result<Candidate, Vec<String>> {
        let mut node = node.clone();
        let lower: Vec<_> = node.pods.values().filter(|own| own.priority < pod.priority).cloned().collect();
        if lower.is_empty() {
            return Err(vec!["No preemption victims found for incoming pod".to_owned()]);
        }
        lower.iter().for_each(|victim| drop(node.remove(&victim.key)));
        if let Some(rejection) = self.reject_on(&node, pod, stores) {
            return Err(rejection.reasons);
        }
        let mut lower = lower;
        json_tree::sort_by(&mut lower, |a, b| by_importance(a, b));
        let (protected, free) = by_budgets(lower, stores);
        let mut candidate = Candidate { node: node.name.clone(), victims: Vec::new(), violations: 0 };
        let protected = protected.into_iter().map(|one| (one, true));
        for (victim, is_protected) in protected.chain(free.into_iter().map(|one| (one, false))) {
            node.add(Arc::clone(&victim));
            if self.reject_on(&node, pod, stores).is_some() {
                node.remove(&victim.key);
                candidate.violations += usize::from(is_protected);
                candidate.victims.push(victim);
            }
        }
        json_tree::sort_by(&mut candidate.victims, |a, b| by_importance(a, b));
        Ok(candidate)
    }

    /// Returns why a pod cannot run on a node that is as given, where others are as they are.
    fn reject_on(&self, node: &NodeInfo, pod: &PodInfo, stores: &Stores) -> Option<Rejection> {
        let mut nodes = self.cache.nodes();
        for own in nodes.iter_mut().filter(|own| own.name == node.name) {
            *own = node;
        }
        self.reject(&Cycle::new(pod, &nodes, stores), &nodes, node)
    }
}

/// Reports whether a pod is being deleted to make room.
fn is_going(pod: &Value) -> bool {
    let is_target = |condition: &Value| {
        condition.text("type") == "DisruptionTarget" && condition.text("reason") == REASON
    };
    object::is_being_deleted(pod) && list(pod, "/status/conditions").iter().any(is_target)
}

/// Splits pods into those that their budgets protect, and others.
fn by_budgets(pods: Vec<Arc<PodInfo>>, stores: &Stores) -> (Vec<Arc<PodInfo>>, Vec<Arc<PodInfo>>) {
    let budgets = stores.of(&POD_DISRUPTION_BUDGETS);
    let mut budgets: Vec<(&Value, Option<LabelSelector>, i64)> = budgets
        .iter()
        .map(|(_, budget)| {
            let selector = budget.pointer("/spec/selector").and_then(LabelSelector::of);
            (&**budget, selector, object::int(budget, "/status/disruptionsAllowed"))
        })
        .collect();
    pods.into_iter().partition(|victim| {
        let mut is_protected = false;
        for (budget, selector, allowed) in &mut budgets {
            let selects = selector
                .as_ref()
                .is_some_and(|selector| !selector.is_empty() && object::selects(selector, &victim.pod));
            if object::namespace(budget) == victim.namespace() && selects {
                let disrupted = budget.pointer("/status/disruptedPods");
                if disrupted.is_some_and(|pods| pods.get(object::name(&victim.pod)).is_some()) {
                    continue;
                }
                *allowed -= 1;
                is_protected |= *allowed < 0;
            }
        }
        is_protected
    })
}

/// Returns the cost of a candidate: violated budgets, the highest priority, the sum of priorities, the number of pods; and of equal
/// ones, where the most important pod has run for the shortest time.
fn cost(candidate: &Candidate) -> (usize, i64, i64, usize, Reverse<Duration>) {
    let victims = &candidate.victims;
    let highest = victims.iter().map(|victim| victim.priority).max().unwrap_or(i64::MIN);
    let sum = victims.iter().map(|victim| victim.priority + i64::from(i32::MAX) + 1).sum();
    let starts = victims.iter().filter(|victim| victim.priority == highest);
    let earliest = starts.map(|victim| pod::start(&victim.pod)).min().unwrap_or_default();
    (candidate.violations, highest, sum, victims.len(), Reverse(earliest))
}
