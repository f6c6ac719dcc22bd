//! Workloads, of which nothing comes where an API server runs alone.

use json_tree::Value;
use leptos::prelude::*;

use crate::cluster::Which;
use crate::cluster::host::Host;
use crate::model::messages::explore as words;
use crate::state::Page;
use crate::ui::part::{IntoPart, Part};

/// The resources of which controllers, the scheduler and kubelets make something that runs.
/// See <https://kubernetes.io/docs/concepts/workloads/>.
const ALL: [&str; 8] = [
    "cronjobs",
    "daemonsets",
    "deployments",
    "jobs",
    "pods",
    "replicasets",
    "replicationcontrollers",
    "statefulsets",
];

/// Returns whether a resource is one of theirs.
pub(crate) fn is_one(resource: &str) -> bool {
    ALL.contains(&resource)
}

/// Says that nothing comes of a workload in a cluster that has an API server alone. Who runs beside another one is not known.
pub(crate) fn show_alone(page: Page, object: &Value) -> Option<Part> {
    let is_alone = page.cluster.get_untracked() == Which::ThisTab && page.host.with_value(Host::keeps_time);
    let kind = object["kind"].as_str().filter(|_| is_alone)?;
    Some(view! { <p class="offer">{words::alone(kind)}</p> }.part())
}
