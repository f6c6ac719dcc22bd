//! The controller that tells kubelets how long they may keep the Secrets and ConfigMaps that they have read: the longer, the more nodes
//! there are.
//!
//! See <https://kubernetes.io/docs/reference/labels-annotations-taints/#node-alpha-kubernetes-io-ttl>.

use std::ops::RangeInclusive;

use futures::FutureExt;
use json_tree::json;

use crate::change::Change;
use crate::client::{STRATEGIC_MERGE_PATCH, View};
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::error::Error;
use crate::object;
use crate::resource::{NODES, Resource};

/// The annotation of a node, in seconds.
const TTL: &str = "node.alpha.kubernetes.io/ttl";

/// The steps: numbers of nodes, which overlap, so that a node that comes and goes changes nothing; and the seconds.
const STEPS: [(RangeInclusive<usize>, i64); 5] =
    [(0..=100, 0), (90..=500, 15), (450..=1000, 30), (900..=2000, 60), (1800..=usize::MAX, 300)];

/// The controller. Its keys are the names of nodes.
#[derive(Default)]
pub(crate) struct Ttl {
    step: usize,
}

impl Ttl {
    /// Takes the step for a number of nodes: the nearest one that has it.
    fn take_step(&mut self, nodes: usize) {
        while nodes > *STEPS[self.step].0.end() {
            self.step += 1;
        }
        while nodes < *STEPS[self.step].0.start() {
            self.step -= 1;
        }
    }

    /// Writes the seconds to a node that has others.
    async fn annotate(&self, name: &str, context: &Context<'_>) -> Result<Outcome, Error> {
        let (_, seconds) = STEPS[self.step];
        let Some(node) = context.stores.of(&NODES).get(name) else { return Ok(Outcome::Done) };
        if object::annotation(node, TTL).and_then(|text| text.parse::<i64>().ok()) == Some(seconds) {
            return Ok(Outcome::Done);
        }
        let patch = json!({"metadata": {"annotations": {TTL: seconds.to_string()}}});
        context.client.patch(&NODES, ("", name), STRATEGIC_MERGE_PATCH, &patch, View::Whole).await?;
        Ok(Outcome::Done)
    }
}

impl Controller for Ttl {
    fn resources(&self) -> Vec<(Resource, View)> {
        vec![(NODES, View::Whole)]
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        self.take_step(context.stores.of(&NODES).iter().count());
        if let Some(node) = &change.new {
            context.queue.add(object::key(node));
        }
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        self.annotate(key, context).boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_up_and_down() {
        let mut ttl = Ttl::default();
        let mut check = |nodes, expected| {
            ttl.take_step(nodes);
            assert_eq!(STEPS[ttl.step].1, expected, "{nodes} nodes");
        };
        check(3, 0);
        check(100, 0);
        check(101, 15);
        check(90, 15);
        check(89, 0);
        check(3000, 300);
        check(1800, 300);
        check(1799, 60);
        check(0, 0);
    }
}
