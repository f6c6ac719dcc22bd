//! Hints: for which zones and nodes an endpoint is meant.
//!
//! See <https://kubernetes.io/docs/concepts/services-networking/service/#traffic-distribution>.

use json_tree::{Map, Value, json};

use super::plan::Plan;
use crate::object::{self, list};
use crate::store::Shared;

/// The annotations that have hints be calculated from the CPUs of zones. They come before the distribution; here they lead to no hints.
const MODES: [&str; 2] =
    ["service.kubernetes.io/topology-aware-hints", "service.kubernetes.io/topology-mode"];

/// The way in which traffic is to be distributed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Distribution {
    Everywhere,
    SameZone,
    SameNode,
}

impl Distribution {
    fn of(service: &Value) -> Self {
        let mode = MODES.iter().find_map(|mode| object::annotation(service, mode));
        match service.text_at("/spec/trafficDistribution") {
            _ if mode.is_some_and(|mode| ["Auto", "auto"].contains(&mode)) => Self::Everywhere,
            "PreferClose" | "PreferSameZone" => Self::SameZone,
            "PreferSameNode" => Self::SameNode,
            _ => Self::Everywhere,
        }
    }

    /// Returns the hints of an endpoint; `None` if it has none.
    fn hints(self, endpoint: &Value) -> Option<Value> {
        let mut hints = Map::new();
        let mut hint = |key: &str, name: &str| {
            if !name.is_empty() {
                hints.insert(key.to_owned(), json!([{"name": name}]));
            }
        };
        if self != Self::Everywhere {
            hint("forZones", endpoint.text("zone"));
        }
        if self == Self::SameNode {
            hint("forNodes", endpoint.text("nodeName"));
        }
        (!hints.is_empty()).then_some(Value::Object(hints))
    }

    /// Reports whether an endpoint may have the hints that it has. Hints of those that are not ready matter only where there are to be
    /// none.
    fn is_met(self, endpoint: &Value) -> bool {
        let known = endpoint.get("hints").filter(|hints| !hints.is_null());
        let counts = self == Self::Everywhere || is_ready(endpoint);
        !counts || known == self.hints(endpoint).as_ref()
    }
}

fn is_ready(endpoint: &Value) -> bool {
    endpoint.pointer("/conditions/ready") == Some(&Value::Bool(true))
}

/// Sets the hints of all endpoints of a Service. Slices that are there are updated if theirs are others.
pub(super) fn set(service: &Value, plan: &mut Plan, existing: &[Shared]) {
    let distribution = Distribution::of(service);
    let is_changed = |slice: &Shared| {
        let name = object::name(slice);
        plan.update.iter().any(|other| object::name(other) == name)
            || plan.delete.iter().any(|other| object::name(other) == name)
    };
    let unchanged = existing.iter().filter(|slice| !is_changed(slice));
    let others =
        unchanged.filter(|slice| !list(slice, "/endpoints").iter().all(|one| distribution.is_met(one)));
    let others: Vec<Value> = others.map(|slice| Value::clone(slice)).collect();
    plan.update.extend(others);
    for slice in plan.create.iter_mut().chain(&mut plan.update) {
        let endpoints = slice.get_mut("endpoints").and_then(Value::as_array_mut);
        for endpoint in endpoints.into_iter().flatten() {
            if distribution != Distribution::Everywhere && !is_ready(endpoint) {
                continue;
            }
            match distribution.hints(endpoint) {
                Some(hints) => object::set(endpoint, "hints", hints),
                None => {
                    endpoint.as_object_mut().map(|fields| fields.remove("hints"));
                }
            }
        }
    }
}
