//! The containers of a pod together: those that do its work, those that come before, and those for debugging.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/pods/init-containers/>,
//! <https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/> and
//! <https://kubernetes.io/docs/concepts/workloads/pods/ephemeral-containers/>.

use std::collections::HashSet;

use json_tree::Value;

use super::check::{Errors, choice, each};
use super::{Context, container, probe};
use crate::validation::read::{get, integer, list, text};
use field::{AddError, Path};

const RESTART_POLICIES: [&str; 3] = ["Always", "Never", "OnFailure"];
/// The actions of a restart rule. Messages name the first one only.
const ACTIONS: [&str; 2] = ["Restart", "RestartAllContainers"];
const MAX_RULES: usize = 20;
const MAX_EXIT_CODES: usize = 255;

/// Fields that an ephemeral container must not have.
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
        errors.required(path.child("containers"), "");
        return;
    }
    let mut names: HashSet<&str> = HashSet::new();
    for (one, path) in each(spec, "containers", path) {
        container::validate(one, pod, &path, errors);
        add_name(text(one, "name"), &mut names, &path, errors);
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
        let this = text(one, "name");
        // Init containers without a name differ, from each other at least.
        if !this.is_empty() || names.contains(this) {
            add_name(this, &mut names, &path, errors);
        }
        host_ports(std::slice::from_ref(one), &at_list, errors);
        if is_sidecar(one) {
            probe::all(one, pod.grace, &path, errors);
            continue;
        }
        for field in ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] {
            if get(one, field).is_some() {
                let why = "may not be set for init containers without restartPolicy=Always";
                errors.forbidden(path.child(field), why);
            }
        }
        for (policy, path) in each(one, "resizePolicy", &path) {
            if text(policy, "restartPolicy") == "RestartContainer" {
                let why = "must not be set to 'RestartContainer' for non-sidecar initContainers";
                errors.invalid(path.child("restartPolicy"), "RestartContainer", why);
            }
        }
    }
}

/// Returns whether an init container is a sidecar: it keeps running beside the other containers.
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
        add_name(text(one, "name"), &mut names, &path, errors);
        let target = text(one, "targetContainerName");
        if !target.is_empty() && !others.contains(target) {
            errors.not_found(path.child("targetContainerName"), target);
        }
        let why = "cannot be set for an Ephemeral Container";
        // Resources are there in any case, empty ones too.
        let is_given = |field: &&str| match get(one, field) {
            Some(Value::Object(map)) if *field == "resources" => !map.is_empty(),
            value => value.is_some(),
        };
        for field in NOT_EPHEMERAL.into_iter().filter(is_given) {
            errors.forbidden(path.child(field), why);
        }
        for (mount, path) in each(one, "volumeMounts", &path) {
            for field in ["subPath", "subPathExpr"] {
                if !text(mount, field).is_empty() {
                    errors.forbidden(path.child(field), why);
                }
            }
        }
    }
}

/// The names of all containers differ.
fn add_name<'a>(this: &'a str, names: &mut HashSet<&'a str>, path: &Path, errors: &mut Errors) {
    if !names.insert(this) {
        errors.duplicate(path.child("name"), this);
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
        errors.required(path.child("restartPolicy"), why);
    }
    if rules.len() > MAX_RULES {
        errors.too_many(path.child("restartPolicyRules"), rules.len(), MAX_RULES);
    }
    for (rule, path) in each(container, "restartPolicyRules", path) {
        let action = text(rule, "action");
        if !ACTIONS.contains(&action) {
            errors.not_supported(path.child("action"), action, &ACTIONS);
        }
        let path = path.child("exitCodes");
        let Some(codes) = get(rule, "exitCodes") else {
            errors.required(&path, "must be specified");
            continue;
        };
        let operator = text(codes, "operator");
        if !matches!(operator, "In" | "NotIn") {
            errors.not_supported(path.child("operator"), operator, &["In", "NotIn"]);
        }
        let values = list(codes, "values").len();
        if values > MAX_EXIT_CODES {
            errors.too_many(path.child("values"), values, MAX_EXIT_CODES);
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
                errors.duplicate(path.child("hostPort"), host);
            } else {
                taken.insert(host);
            }
        }
    }
}
