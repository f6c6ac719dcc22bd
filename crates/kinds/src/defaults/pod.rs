//! Pods, their containers and their volumes.
//!
//! Some defaults are for pods alone and not for the templates of pods: requests from limits,
//! `enableServiceLinks`, and the host ports of a pod in the host's network.

use apimachinery::pod::{Needs, needs};
use json_tree::{Map, Value};

use super::image;
use apimachinery::typed_object::{TypedObject, extend_sorted, insert_sorted};

/// See <https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/>.
pub(super) fn pod(pod: &mut TypedObject<'_>) {
    let Some(mut spec) = pod.ensure("spec") else {
        return;
    };
    spec.for_each("containers", requests_from_limits);
    spec.for_each("initContainers", requests_from_limits);
    pod_level_resources(&mut spec);
    spec.default("enableServiceLinks", true);
    if spec.get("hostNetwork") == Some(&Value::Bool(true)) {
        for list in ["containers", "initContainers"] {
            spec.for_each(list, |container| container.for_each("ports", host_port));
        }
    }
}

fn host_port(port: &mut TypedObject<'_>) {
    let number = port.number("containerPort");
    if number != 0 {
        port.default("hostPort", number);
    }
}

/// Does what converting a pod's spec does: the two names of its service account become the same, and a negative grace
/// period means one second.
pub(super) fn pod_spec(spec: &mut TypedObject<'_>) {
    let names = [spec.text("serviceAccountName"), spec.text("serviceAccount")];
    let name = names.into_iter().find(|name| !name.is_empty()).map(str::to_owned);
    if let Some(name) = name {
        spec.set("serviceAccountName", name.as_str());
        spec.set("serviceAccount", name);
    }
    if spec.number("terminationGracePeriodSeconds") < 0 {
        spec.set("terminationGracePeriodSeconds", 1);
    }
}

/// See <https://kubernetes.io/docs/concepts/containers/images/#imagepullpolicy-defaulting>.
pub(super) fn container(container: &mut TypedObject<'_>) {
    if !container.is_set("imagePullPolicy") {
        let policy = image::pull_policy(container.text("image"));
        container.set("imagePullPolicy", policy);
    }
}

/// A volume without a source is an empty directory.
pub(super) fn volume(volume: &mut TypedObject<'_>) {
    if volume.names().all(|name| name == "name") {
        volume.set("emptyDir", Map::new());
    }
    if let Some(mut image) = volume.child("image")
        && !image.is_set("pullPolicy")
    {
        let policy = image::pull_policy(image.text("reference"));
        image.set("pullPolicy", policy);
    }
}

fn requests_from_limits(container: &mut TypedObject<'_>) {
    let Some(mut resources) = container.child("resources") else {
        return;
    };
    let Some(limits) = resources.map("limits") else {
        return;
    };
    let stated = |name: &str| resources.map("requests").is_some_and(|requests| requests.contains_key(name));
    if limits.keys().all(|name| stated(name)) {
        return;
    }
    let limits = limits.clone();
    let mut requests = resources.map("requests").cloned().unwrap_or_default();
    fill_missing(&mut requests, &limits);
    if !requests.is_empty() {
        resources.set("requests", requests);
    }
}

/// Adds the entries of one map whose keys another does not have.
pub(super) fn fill_missing(to: &mut Map<String, Value>, from: &Map<String, Value>) {
    let missing = from.iter().filter(|(name, _)| !to.contains_key(*name));
    let missing: Vec<_> = missing.map(|(name, amount)| (name.clone(), amount.clone())).collect();
    extend_sorted(to, missing);
}

/// A pod that states resources of its own gets the rest of them from its containers and its limits.
///
/// See <https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#pod-level-resource-specification>.
fn pod_level_resources(spec: &mut TypedObject<'_>) {
    let Some(own) = spec.map("resources") else {
        return;
    };
    let of = |name: &str| own.get(name).and_then(Value::as_object).cloned().unwrap_or_default();
    let (mut limits, mut requests) = (of("limits"), of("requests"));
    if limits.is_empty() && requests.is_empty() {
        return;
    }
    let unknown = aggregate(spec, "limits")
        .into_iter()
        .filter(|(name, _)| is_huge_page(name) && !requests.contains_key(name) && !limits.contains_key(name));
    let unknown: Vec<_> = unknown.map(|(name, amount)| (name, amount.to_string().into())).collect();
    extend_sorted(&mut limits, unknown);
    if !limits.is_empty() {
        for (name, amount) in aggregate(spec, "requests") {
            if matches!(name.as_str(), "cpu" | "memory") && !requests.contains_key(&name) {
                insert_sorted(&mut requests, &name, amount.to_string().into());
            }
        }
        let supported = |name: &str| matches!(name, "cpu" | "memory") || is_huge_page(name);
        let limited = limits.iter().filter(|(name, _)| supported(name) && !requests.contains_key(*name));
        let limited: Vec<_> = limited.map(|(name, limit)| (name.clone(), limit.clone())).collect();
        extend_sorted(&mut requests, limited);
    }
    let Some(mut resources) = spec.child("resources") else {
        return;
    };
    for (name, amounts) in [("limits", limits), ("requests", requests)] {
        if !amounts.is_empty() {
            resources.set(name, amounts);
        }
    }
}

fn is_huge_page(name: &str) -> bool {
    name.starts_with("hugepages-")
}

fn aggregate(spec: &TypedObject<'_>, kind: &str) -> Needs {
    needs(spec.list("containers"), spec.list("initContainers"), kind)
}
