//! Validation of writes to the status of a pod.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/>.

mod restart;

use std::collections::HashSet;

use json_tree::Value;

use super::annotations;
use super::check::{Errors, address, child, each, in_range, required_name, well_formed};
use super::security::IDS;
use crate::validation::metadata::immutable;
use crate::validation::read::{at, get, integer, list, map, text};
use crate::validation::{internal, name};
use field::{AddError, Error, Path};
use golang::net::parse_ip_sloppy;

/// The conditions that Kubernetes itself names; the names of others are qualified.
const CONDITIONS: [&str; 3] = ["PodScheduled", "Ready", "Initialized"];
const CONTAINERS: [&str; 3] = ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"];
const MAX_MESSAGE: usize = 1024;

/// Validates the status of a pod: its QoS class stays, containers that have ended for good do not run again, and names
/// and addresses are well-formed.
pub(crate) fn update_status(object: &Value, old: &Value) -> Vec<Error> {
    let (status, before, path) = (at(object, "/status"), at(old, "/status"), Path::new("status"));
    let (spec, old_spec) = (at(object, "/spec"), at(old, "/spec"));
    let mut errors = Vec::new();
    annotations::update(object, old, &Path::new("metadata").child("annotations"), &mut errors);
    for (condition, path) in each(status, "conditions", &path) {
        generation(condition, &path, &mut errors);
        let ty = text(condition, "type");
        if !CONDITIONS.contains(&ty) {
            well_formed(ty, name::qualified_name, &path.child("Type"), &mut errors);
        }
    }
    if text(spec, "nodeName") != text(old_spec, "nodeName") {
        errors.forbidden(path.child("nodeName"), "may not be changed directly");
    }
    let node = text(status, "nominatedNodeName");
    if node != text(before, "nominatedNodeName") && !node.is_empty() {
        let at = path.child("nominatedNodeName");
        well_formed(node, name::subdomain, &at, &mut errors);
        if !text(old_spec, "nodeName").is_empty() {
            errors.forbidden(&at, "may not be set on pods that are already bound to a node");
        }
    }
    generation(status, &path, &mut errors);
    let (class, was) = (text(status, "qosClass"), text(before, "qosClass"));
    if class != was {
        errors.push(immutable(&path.child("qosClass"), class.into()));
    }
    for (field, containers) in CONTAINERS.into_iter().zip(["containers", "initContainers", ""]) {
        let now = list(status, field);
        restart::ended(now, list(before, field), old_spec, containers, &path.child(field), &mut errors);
    }
    claims(spec, status, &path, &mut errors);
    extended_claim(spec, status, &path, &mut errors);
    pod_addresses(status, &path, &mut errors);
    host_addresses(status, &path, &mut errors);
    let os = match get(spec, "os") {
        Some(os) => text(os, "name"),
        None => "linux",
    };
    for field in CONTAINERS {
        users(status, field, os, &path, &mut errors);
    }
    for (field, containers) in [(CONTAINERS[0], "containers"), (CONTAINERS[1], "initContainers")] {
        for (one, path) in each(status, field, &path) {
            let container = list(spec, containers).iter().find(|own| text(own, "name") == text(one, "name"));
            health(one, container, &path, &mut errors);
        }
    }
    for (one, path) in each(status, CONTAINERS[2], &path) {
        if !list(one, "allocatedResourcesStatus").is_empty() {
            let at = path.child("allocatedResourcesStatus");
            errors.forbidden(&at, "must not be specified in container status");
        }
    }
    errors
}

/// The generation of the pod that somebody has seen.
fn generation(holder: &Value, path: &Path, errors: &mut Errors) {
    let field = "observedGeneration";
    if let Some(seen) = integer(holder, field).filter(|seen| *seen < 0) {
        errors.invalid(path.child(field), seen, "must be a non-negative integer");
    }
}

fn claims(spec: &Value, status: &Value, path: &Path, errors: &mut Errors) {
    let mut seen: HashSet<&str> = HashSet::new();
    for (claim, path) in each(status, "resourceClaimStatuses", path) {
        let (this, at) = (text(claim, "name"), path.child("name"));
        if !list(spec, "resourceClaims").iter().any(|claim| text(claim, "name") == this) {
            let why = "must match the name of an entry in `spec.resourceClaims`";
            errors.invalid(&at, this, why);
        }
        if !seen.insert(this) {
            errors.duplicate(&at, this);
        }
        if let Some(claim) = get(claim, "resourceClaimName").and_then(Value::as_str) {
            well_formed(claim, name::subdomain, &at, errors);
        }
    }
}

/// The claim that was made for what containers ask for by the names of extended resources.
///
/// <https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/#extended-resource>
fn extended_claim(spec: &Value, status: &Value, path: &Path, errors: &mut Errors) {
    let Some((claim, path)) = child(status, "extendedResourceClaimStatus", path) else { return };
    if list(claim, "requestMappings").is_empty() {
        let why = "at least one request mapping is required";
        errors.required(path.child("requestMappings"), why);
    }
    let mut seen: HashSet<[&str; 3]> = HashSet::new();
    const FIELDS: [&str; 3] = ["containerName", "resourceName", "requestName"];
    for (mapping, at_mapping) in each(claim, "requestMappings", &path) {
        let parts = FIELDS.map(|field| text(mapping, field));
        let [container, resource, request] = parts;
        let mut all = list(spec, "containers").iter().chain(list(spec, "initContainers"));
        match all.find(|one| text(one, "name") == container) {
            None => {
                let why =
                    "must match the name of an entry in spec.initContainers.name or spec.containers.name";
                errors.invalid(at_mapping.child("containerName"), container, why);
            }
            Some(one) => {
                let requests = map(at(one, "/resources"), "requests");
                if !requests.is_some_and(|requests| requests.contains_key(resource)) {
                    let why = "must match the extended resource name of an entry in \
                        spec.initContainers.resources.requests or spec.containers.resources.requests";
                    errors.invalid(at_mapping.child("resourceName"), resource, why);
                }
            }
        }
        // The message places this at the status.
        well_formed(request, name::label, &path.child("requestName"), errors);
        if !seen.insert(parts) {
            errors.extend(
                FIELDS.iter().zip(parts).map(|(field, part)| Error::duplicate(at_mapping.child(field), part)),
            );
        }
    }
    required_name(claim, "resourceClaimName", name::subdomain, &path, errors);
}

fn pod_addresses(status: &Value, path: &Path, errors: &mut Errors) {
    for (one, path) in each(status, "podIPs", path) {
        address(text(one, "ip"), &path, errors);
    }
    if list(status, "podIPs").len() > 1 {
        families(status, "podIPs", "PodIP", path, errors);
    }
}

fn host_addresses(status: &Value, path: &Path, errors: &mut Errors) {
    let Some(first) = list(status, "hostIPs").first().map(|first| text(first, "ip")) else { return };
    if first != text(status, "hostIP") {
        let at = path.child("hostIPs").index(0).child("ip");
        errors.invalid(&at, first, "must be equal to `hostIP`");
    }
    for (one, path) in each(status, "hostIPs", path) {
        address(text(one, "ip"), &path, errors);
    }
    if list(status, "hostIPs").len() > 1 {
        families(status, "hostIPs", "HostIP", path, errors);
    }
}

/// Of each family there is one address.
fn families(status: &Value, field: &str, ty: &str, path: &Path, errors: &mut Errors) {
    let (all, at) = (list(status, field), path.named(field));
    let parsed: Vec<_> = all.iter().map(|one| parse_ip_sloppy(text(one, "ip"))).collect();
    if let Some(place) = parsed.iter().position(Option::is_none) {
        let wrong = text(&all[place], "ip");
        let why = format!("failed to check for dual stack with error:invalid IP[{place}]: {wrong}");
        errors.internal(&at, why);
    }
    let known = || parsed.iter().flatten();
    let both = known().any(std::net::IpAddr::is_ipv4) && known().any(std::net::IpAddr::is_ipv6);
    if !(both && known().count() == all.len()) || all.len() > 2 {
        let value: Value = all.iter().map(|one| internal::form(internal::CORE, ty, one)).collect();
        errors.invalid(&at, value, "may specify no more than one IP for each IP family");
    }
}

/// Validates the user that the first process of each container runs as.
fn users(status: &Value, field: &'static str, os: &str, path: &Path, errors: &mut Errors) {
    for (one, path) in each(status, field, path) {
        let Some((linux, path)) = child(at(one, "/user"), "linux", &path) else { continue };
        if os == "windows" {
            errors.forbidden(&path, "cannot be set for a windows pod");
        } else if os == "linux" {
            in_range(linux, "uid", IDS, &path, errors);
            in_range(linux, "gid", IDS, &path, errors);
            let at = path.child("supplementalGroups");
            for (index, group) in list(linux, "supplementalGroups").iter().enumerate() {
                if !group.as_i64().is_some_and(|group| (IDS.0..=IDS.1).contains(&group)) {
                    let why = "must be between 0 and 2147483647, inclusive";
                    errors.invalid(at.index(index), group.clone(), why);
                }
            }
        }
    }
}

/// Validates how the devices of a container are; it has asked for them, unless it is unknown.
fn health(status: &Value, container: Option<&Value>, path: &Path, errors: &mut Errors) {
    for (resource, path) in each(status, "allocatedResourcesStatus", path) {
        let this = text(resource, "name");
        if let Some(container) = container {
            let own = at(container, "/resources");
            let (asked, why) = if this.starts_with("claim:") {
                let claim = |claim: &Value| match text(claim, "request") {
                    "" => format!("claim:{}", text(claim, "name")),
                    request => format!("claim:{}/{request}", text(claim, "name")),
                };
                let why = "must match one of the container's resource claims in a format \
                    'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";
                (list(own, "claims").iter().any(|one| claim(one) == this), why)
            } else {
                let asked = map(own, "requests").is_some_and(|requests| requests.contains_key(this));
                (asked, "must match one of the container's resource requests")
            };
            if !asked {
                errors.invalid(path.child("name"), this, why);
            }
        }
        let mut seen: HashSet<&str> = HashSet::new();
        for (device, path) in each(resource, "resources", &path) {
            let (health, id) = (text(device, "health"), text(device, "resourceID"));
            let known = ["Healthy", "Unhealthy", "Unknown"];
            if !known.contains(&health) {
                errors.not_supported(path.child("health"), health, &known);
            }
            if let Some(message) = get(device, "message").and_then(Value::as_str) {
                let at = path.child("message");
                if message.is_empty() {
                    errors.required(&at, "must be non-empty if specified");
                } else if message.len() > MAX_MESSAGE {
                    errors.too_long(&at, MAX_MESSAGE);
                }
            }
            if !seen.insert(id) {
                errors.duplicate(path.child("resourceID"), id);
            }
        }
    }
}
