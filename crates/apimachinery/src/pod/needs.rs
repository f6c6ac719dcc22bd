//! The resources that the containers of a pod need together.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/#resource-sharing-within-containers>.

use std::collections::HashMap;

use json_tree::Value;
use schema::quantity::Quantity;

/// Needs by the names of resources.
pub type Needs = Vec<(String, Quantity)>;

/// Returns the resources that a pod's containers need together: those that run at the same time added, and of the init
/// containers, which run one after another, the most that is needed at a time.
pub fn needs(containers: &[Value], initial_containers: &[Value], kind: &str) -> Needs {
    let mut total = Sum::default();
    for container in containers {
        total.merge(&amounts(container, kind), Quantity::plus);
    }
    let mut sidecars = Sum::default();
    let mut initial = Sum::default();
    for container in initial_containers {
        let mut needed = amounts(container, kind);
        if container.get("restartPolicy").and_then(Value::as_str) == Some("Always") {
            total.merge(&needed, Quantity::plus);
            sidecars.merge(&needed, Quantity::plus);
            for (name, amount) in &mut needed {
                if let Some(all) = sidecars.get(name) {
                    amount.clone_from(all);
                }
            }
        } else {
            for (name, amount) in &mut needed {
                if let Some(beside) = sidecars.get(name) {
                    *amount = amount.plus(beside);
                }
            }
        }
        // What the sidecars need besides was counted when they began.
        initial.merge(&needed, Quantity::max);
    }
    total.merge(&initial.amounts, Quantity::max);
    total.amounts
}

/// Needs that are joined, in the order in which their names came.
#[derive(Default)]
struct Sum {
    amounts: Needs,
    places: HashMap<String, usize>,
}

impl Sum {
    fn get(&self, name: &str) -> Option<&Quantity> {
        self.places.get(name).map(|place| &self.amounts[*place].1)
    }

    fn merge(&mut self, from: &Needs, join: fn(&Quantity, &Quantity) -> Quantity) {
        for (name, amount) in from {
            match self.places.get(name) {
                Some(place) => self.amounts[*place].1 = join(&self.amounts[*place].1, amount),
                None => {
                    self.places.insert(name.clone(), self.amounts.len());
                    self.amounts.push((name.clone(), amount.clone()));
                }
            }
        }
    }
}

fn amounts(container: &Value, kind: &str) -> Needs {
    let map = container.pointer(&format!("/resources/{kind}")).and_then(Value::as_object);
    map.into_iter()
        .flatten()
        .filter_map(|(name, amount)| Some((name.clone(), Quantity::of(amount)?)))
        .collect()
}
