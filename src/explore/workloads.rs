//! Workloads, of which nothing comes where an API server runs alone.

use json_tree::Value;
use leptos::prelude::*;

use crate::cluster::Which;
use crate::cluster::host::Host;
use crate::model::lab::controllers::all;
use crate::model::messages::explore as words;
use crate::state::Page;
use crate::ui::memo::Memo;
use crate::ui::messages::controllers;
use crate::ui::part::{IntoPart, Part, act, live};

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

/// Says that nothing comes of a workload where no controllers work, and offers to start them. Who works on a cluster elsewhere is not known.
pub(crate) fn show_alone(page: Page, object: &Value) -> Option<Part> {
    let is_alone = page.cluster.get_untracked() == Which::ThisTab && page.host.with_value(Host::keeps_time);
    let kind = object["kind"].as_str().filter(|_| is_alone)?.to_owned();
    let runs = Memo::new(move |_| page.controllers(|known| known.work()));
    let said = move || match runs.get() {
        false => view! {
            <p class="offer">
                {words::alone(&kind)}
                " "
                <button type="button" class="small" on:click=act(move |_| page.start_controllers(all()))>
                    {controllers::START}
                </button>
            </p>
        }
        .part(),
        true => ().part(),
    };
    Some(live(said).part())
}
