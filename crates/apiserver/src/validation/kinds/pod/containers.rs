//! The containers of a pod together: those that do its work, those that come before, and those for debugging.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/pods/init-containers/>,
//! <https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/> and
//! <https://kubernetes.io/docs/concepts/workloads/pods/ephemeral-containers/>.

use std::collections::HashSet;

use json_tree::Value;

use super::Context;
use super::check::{Errors, choice, each};
use super::{container, probe};
use crate::validation::kinds::read::{get, integer, list, text};
use field::{Error, Path};

const RESTART_POLICIES: [&str; 3] = ["Always", "Never", "OnFailure"];
const ACTIONS: [&str; 2] = ["Restart", "RestartAllContainers"];
const MAX_RULES: usize = 20;
const MAX_EXIT_CODES: usize = 255;

/// What an ephemeral container has in no case.
const NOT_EPHEMERAL: [&str; 9] = [
    "ports",
    "resources",
    "resizePolicy",
    "restartPolicy",
    "restartPolicyRules",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "lifecycle",
];

pub(super) fn validate(spec: &Value, pod: &Context<'_>, path: &Path, errors: &mut Errors) {
    regular(spec, pod, path, errors);
    initial(spec, pod, path, errors);
    ephemeral(spec, pod, path, errors);
}

fn regular(spec: &Value, pod: &Context<'_>, path: &Path, errors: &mut Errors) {
    if list(spec, "containers").is_empty() {
        errors.push(Error::required(&path.child("containers"), ""));
        return;
    }
    let mut names: HashSet<&str> = HashSet::new();
    for (one, path) in each(spec, "containers", path) {
        container::validate(one, pod, &path, errors);
        add_name(one, &mut names, &path, errors);
        probe::all(one, pod.grace, &path, errors);
        restarts(one, &path, errors);
    }
    host_ports(list(spec, "containers"), &path.child("containers"), errors);
}

fn initial(spec: &Value, pod: &Context<'_>, path: &Path, errors: &mut Errors) {
    let mut names: HashSet<&str> = list(spec, "containers").iter().map(|one| text(one, "name")).collect();
    let at_list = path.child("initContainers");
    for (one, path) in each(spec, "initContainers", path) {
        container::validate(one, pod, &path, errors);
        restarts(one, &path, errors);
        add_name(one, &mut names, &path, errors);
        host_ports(std::slice::from_ref(one), &at_list, errors);
        if is_sidecar(one) {
            probe::all(one, pod.grace, &path, errors);
            continue;
        }
        for field in ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] {
            if get(one, field).is_some() {
                let why = "may not be set for init containers without restartPolicy=Always";
                errors.push(Error::forbidden(&path.child(field), why));
            }
        }
    }
}

/// Whether an init container goes on running beside the others.
pub(super) fn is_sidecar(container: &Value) -> bool {
    text(container, "restartPolicy") == "Always"
}

fn ephemeral(spec: &Value, pod: &Context<'_>, path: &Path, errors: &mut Errors) {
    let others = list(spec, "containers").iter().chain(list(spec, "initContainers"));
    let others: HashSet<&str> = others.map(|one| text(one, "name")).collect();
    let mut names = others.clone();
    for (one, path) in each(spec, "ephemeralContainers", path) {
        container::validate(one, pod, &path, errors);
        container::image(one, &path, errors);
        add_name(one, &mut names, &path, errors);
        let target = text(one, "targetContainerName");
        if !target.is_empty() && !others.contains(target) {
            errors.push(Error::not_found(&path.child("targetContainerName"), target));
        }
        let why = "cannot be set for an Ephemeral Container";
        for field in NOT_EPHEMERAL.into_iter().filter(|field| get(one, field).is_some_and(is_set)) {
            errors.push(Error::forbidden(&path.child(field), why));
        }
        for (mount, path) in each(one, "volumeMounts", &path) {
            for field in ["subPath", "subPathExpr"] {
                if !text(mount, field).is_empty() {
                    errors.push(Error::forbidden(&path.child(field), why));
                }
            }
        }
    }
}

fn is_set(value: &Value) -> bool {
    match value {
        Value::Object(map) => !map.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => true,
    }
}

/// The names of all containers differ.
fn add_name<'a>(container: &'a Value, names: &mut HashSet<&'a str>, path: &Path, errors: &mut Errors) {
    let this = text(container, "name");
    if !this.is_empty() && !names.insert(this) {
        errors.push(Error::duplicate(&path.child("name"), this));
    }
}

/// When a container restarts, if not when its pod says.
///
/// <https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#container-restart-rules>
fn restarts(container: &Value, path: &Path, errors: &mut Errors) {
    choice(container, "restartPolicy", &RESTART_POLICIES, path, errors);
    let rules = list(container, "restartPolicyRules");
    if !rules.is_empty() && get(container, "restartPolicy").is_none() {
        let why = "must specify restartPolicy when restart rules are used";
        errors.push(Error::required(&path.child("restartPolicy"), why));
    }
    if rules.len() > MAX_RULES {
        errors.push(Error::too_long(&path.child("restartPolicyRules"), MAX_RULES));
    }
    for (rule, path) in each(container, "restartPolicyRules", path) {
        let action = text(rule, "action");
        if !ACTIONS.contains(&action) {
            errors.push(Error::not_supported(&path.child("action"), action, &ACTIONS));
        }
        let path = path.child("exitCodes");
        let Some(codes) = get(rule, "exitCodes") else {
            errors.push(Error::required(&path, "must be specified"));
            continue;
        };
        let operator = text(codes, "operator");
        if !matches!(operator, "In" | "NotIn") {
            errors.push(Error::not_supported(&path.child("operator"), operator, &["In", "NotIn"]));
        }
        if list(codes, "values").len() > MAX_EXIT_CODES {
            errors.push(Error::too_long(&path.child("values"), MAX_EXIT_CODES));
        }
    }
}

/// A port of the host is for one container.
fn host_ports(containers: &[Value], path: &Path, errors: &mut Errors) {
    let mut taken: HashSet<String> = HashSet::new();
    for (index, container) in containers.iter().enumerate() {
        for (port, path) in each(container, "ports", &path.index(index)) {
            let Some(number) = integer(port, "hostPort").filter(|number| *number != 0) else { continue };
            let host = format!("{}/{}/{number}", text(port, "protocol"), text(port, "hostIP"));
            if taken.contains(&host) {
                errors.push(Error::duplicate(&path.child("hostPort"), host));
            } else {
                taken.insert(host);
            }
        }
    }
}
