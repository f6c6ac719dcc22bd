//! Preemption: which pods of lower priority have to go so that a pod can run.
//!
//! See <https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/#preemption>.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use apimachinery::selector::LabelSelector;
use json_tree::Value;

use super::filter::Cycle;
use super::node_info::{NodeInfo, PodInfo, by_importance};
use super::rejection::Rejection;
use super::{Found, Nomination, Scheduler};
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
struct Refusal {
    text: String,
    /// True if the pod stays nominated to run on a node, if it is.
    keeps_nomination: bool,
}

impl Refusal {
    fn ineligible(text: &str) -> Self {
        Self { text: ["not eligible due to ", text].concat(), keeps_nomination: true }
    }
}

impl Scheduler {
    /// Looks for pods that could make room for one that fits nowhere. `text` says why it does not.
    pub(super) fn post_filter(
        &self,
        cycle: &mut Cycle<'_>,
        mut text: String,
        rejections: &[(&NodeInfo, Rejection)],
    ) -> Found {
        match self.find_victims(cycle, rejections) {
            Ok(candidate) => Found::Nothing(text, Nomination::On(candidate)),
            Err(why) => {
                // No pod has claims of devices here, and the plugin for them says so.
                text.push_str(" no new claims to deallocate, preemption: ");
                text.push_str(&why.text);
                Found::Nothing(text, if why.keeps_nomination { Nomination::Kept } else { Nomination::None })
            }
        }
    }

    /// Finds the node that it costs least to make room on.
    ///
    /// # Errors
    /// The reason why there is none.
    fn find_victims(
        &self,
        cycle: &mut Cycle<'_>,
        rejections: &[(&NodeInfo, Rejection)],
    ) -> Result<Candidate, Refusal> {
        let pod = cycle.pod;
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
                self.victims_on(node, cycle)
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
    fn victims_on(&self, node: &NodeInfo, cycle: &mut Cycle<'_>) -> Result<Candidate, Vec<String>> {
        let priority = cycle.pod.priority;
        let mut lower: Vec<_> = node.pods.values().filter(|own| own.priority < priority).cloned().collect();
        if lower.is_empty() {
            return Err(vec!["No preemption victims found for incoming pod".to_owned()]);
        }
        json_tree::sort_by(&mut lower, |a, b| by_importance(a, b));
        let mut left = node.clone();
        for victim in &lower {
            left.remove(&victim.key);
            cycle.add(victim, node, -1);
        }
        let found = match self.reject(cycle, &left) {
            None => Ok(self.reprieve(&lower, left, cycle)),
            Some(rejection) => Err(rejection.reasons),
        };
        let gone = found.as_ref().map_or(&lower, |candidate| &candidate.victims);
        gone.iter().for_each(|victim| cycle.add(victim, node, 1));
        found
    }

    /// Lets as many of the pods that have left a node come back as can be, the most important ones first. The others are the victims.
    fn reprieve(&self, lower: &[Arc<PodInfo>], mut node: NodeInfo, cycle: &mut Cycle<'_>) -> Candidate {
        let mut candidate = Candidate { node: node.name.clone(), victims: Vec::new(), violations: 0 };
        let (protected, free) = by_budgets(lower, cycle.stores);
        let protected = protected.into_iter().map(|one| (one, true));
        for (victim, is_protected) in protected.chain(free.into_iter().map(|one| (one, false))) {
            node.add(Arc::clone(&victim));
            cycle.add(&victim, &node, 1);
            if self.reject(cycle, &node).is_some() {
                node.remove(&victim.key);
                cycle.add(&victim, &node, -1);
                candidate.violations += usize::from(is_protected);
                candidate.victims.push(victim);
            }
        }
        json_tree::sort_by(&mut candidate.victims, |a, b| by_importance(a, b));
        candidate
    }
}

/// Returns the sentence for a pod that fits nowhere: how many nodes there are, and how many have each reason.
pub(super) fn sentence<'a>(nodes: usize, reasons: impl Iterator<Item = &'a str>) -> String {
    let mut counts = BTreeMap::new();
    reasons.for_each(|reason| *counts.entry(reason).or_insert(0_usize) += 1);
    let mut lines: Vec<String> = counts.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    json_tree::sort(&mut lines);
    let mut text = format!("0/{nodes} nodes are available:");
    if !lines.is_empty() {
        text.push(' ');
        text.push_str(&lines.join(", "));
        text.push('.');
    }
    text
}

/// Reports whether a pod is being deleted to make room.
fn is_going(pod: &Value) -> bool {
    let mut conditions = list(pod, "/status/conditions").iter();
    let target = conditions.find(|condition| condition.text("type") == "DisruptionTarget");
    let is_true = |target: &Value| target.text("status") == "True" && target.text("reason") == REASON;
    object::is_being_deleted(pod) && target.is_some_and(is_true)
}

/// Splits pods into those that their budgets protect, and others.
fn by_budgets(pods: &[Arc<PodInfo>], stores: &Stores) -> (Vec<Arc<PodInfo>>, Vec<Arc<PodInfo>>) {
    let budgets = stores.of(&POD_DISRUPTION_BUDGETS);
    let mut budgets: Vec<(&Value, Option<LabelSelector>, i64)> = budgets
        .iter()
        .map(|(_, budget)| {
            let selector = budget.pointer("/spec/selector").and_then(LabelSelector::of);
            (&**budget, selector, object::int(budget, "/status/disruptionsAllowed"))
        })
        .collect();
    pods.iter().cloned().partition(|victim| {
        let mut is_protected = false;
        for (budget, selector, allowed) in &mut budgets {
            let is_in = object::namespace(budget) == victim.namespace();
            if is_in && object::may_join(&victim.pod, selector.as_ref()) {
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
