//! Pods, and templates of pods.

mod containers;
mod paths;

use std::collections::HashSet;

use json_tree::Value;

use crate::core::persistent_volume_claim::warnings::claim_spec;
use crate::core::pod::annotations::SECCOMP;
use crate::core::volume_source::warnings::sources;
use crate::validation::name;
use crate::validation::warnings::{address, annotations, fractional, integer, labels, list};
use field::{Path, quote};

const CRITICAL: &str = "scheduler.alpha.kubernetes.io/critical-pod";

/// Annotations that nothing reads any more.
const ANNOTATIONS: &[(&str, &str)] = &[
    (CRITICAL, "non-functional in v1.16+; use the \"priorityClassName\" field instead"),
    ("security.alpha.kubernetes.io/sysctls", "non-functional in v1.11+; use the \"sysctls\" field instead"),
    (
        "security.alpha.kubernetes.io/unsafe-sysctls",
        "non-functional in v1.11+; use the \"sysctls\" field instead",
    ),
];

const NULL_SELECTOR: &str = "a null labelSelector results in matching no pod";

/// A new pod; those who change pods are programs, which are not warned.
pub(crate) fn warn(pod: &Value, old: Option<&Value>) -> Vec<String> {
    if old.is_some() {
        return Vec::new();
    }
    let mut warnings = containers::app_armor(pod);
    let errors = name::label(pod["metadata"].text("name"));
    if !errors.is_empty() {
        warnings.push(format!(
            "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label \
             is recommended: [{}]",
            errors.join(" ")
        ));
    }
    warnings.extend(common(pod, &Path::default(), false));
    warnings
}

/// A template of pods at `path`.
pub(crate) fn template(template: &Value, path: &Path) -> Vec<String> {
    common(template, path, true)
}

fn common(pod: &Value, path: &Path, is_template: bool) -> Vec<String> {
    let (spec, at) = (&pod["spec"], path.child("spec"));
    let annotated = |key: &str| pod["metadata"]["annotations"].get(key).is_some();
    let mut warnings = scheduling(spec, &at);
    for (key, message) in ANNOTATIONS.iter().filter(|(key, _)| annotated(key)) {
        warnings.push(format!("{}: {message}", annotations(path).key(key)));
    }
    for (index, volume) in list(spec, "volumes").iter().enumerate() {
        let at = at.child("volumes").index(index);
        warnings.extend(sources(volume, &at));
        let claim = &volume["ephemeral"]["volumeClaimTemplate"]["spec"];
        let at = at.child("ephemeral").child("volumeClaimTemplate").child("spec");
        warnings.extend(claim_spec(claim, &at));
    }
    warnings.extend(paths::overlapping(spec));
    let (aliases, secrets) = (list(spec, "hostAliases"), list(spec, "imagePullSecrets"));
    warnings.extend(repeated(aliases, "ip", &at.child("hostAliases")));
    warnings.extend(repeated(secrets, "name", &at.child("imagePullSecrets")));
    for (index, _) in secrets.iter().enumerate().filter(|(_, secret)| secret.text("name").is_empty()) {
        let at = at.child("imagePullSecrets").index(index).child("name");
        warnings.push(format!("{at}: invalid empty name \"\""));
    }
    for name in ["memory", "ephemeral-storage"] {
        warnings.extend(fractional(&spec["overhead"], name, &at.child("overhead")));
    }
    if spec["securityContext"]["seccompProfile"].is_null() && annotated(SECCOMP) {
        let key = annotations(path).key(SECCOMP);
        warnings.push(format!("{key}: non-functional in v1.27+; use the \"seccompProfile\" field instead"));
    }
    warnings.extend(containers::all(pod, path, is_template));
    if integer(spec, "terminationGracePeriodSeconds") < 0 {
        let at = at.child("terminationGracePeriodSeconds");
        warnings.push(format!("{at}: must be >= 0; negative values are invalid and will be treated as 1"));
    }
    warnings.extend(pod_affinity(&spec["affinity"], &at.child("affinity")));
    let path = at.child("dnsConfig").child("nameservers");
    for (index, server) in list(&spec["dnsConfig"], "nameservers").iter().enumerate() {
        warnings.extend(address::warning(server.as_str().unwrap_or_default(), &path.index(index)));
    }
    for (index, alias) in aliases.iter().enumerate() {
        let path = at.child("hostAliases").index(index).child("ip");
        warnings.extend(address::warning(alias.text("ip"), &path));
    }
    warnings
}

/// Labels of nodes by which the pod wants to be placed.
fn scheduling(spec: &Value, at: &Path) -> Vec<String> {
    let mut warnings = Vec::new();
    for key in spec["nodeSelector"].as_object().into_iter().flat_map(|selector| selector.keys()) {
        if let Some(message) = labels::deprecation(key) {
            warnings.push(format!("{}: {message}", at.child("nodeSelector").key(key)));
        }
    }
    let (affinity, path) = (&spec["affinity"]["nodeAffinity"], at.child("affinity").child("nodeAffinity"));
    let required = "requiredDuringSchedulingIgnoredDuringExecution";
    let terms = list(&affinity[required], "nodeSelectorTerms");
    warnings.extend(labels::terms(terms, &path.child(required).child("nodeSelectorTerms")));
    let preferred = "preferredDuringSchedulingIgnoredDuringExecution";
    for (index, term) in list(affinity, preferred).iter().enumerate() {
        let path = path.child(preferred).index(index).child("preference");
        warnings.extend(labels::term(&term["preference"], true, &path));
    }
    for (index, constraint) in list(spec, "topologySpreadConstraints").iter().enumerate() {
        let at = at.child("topologySpreadConstraints").index(index);
        let key = constraint.text("topologyKey");
        if let Some(message) = labels::deprecation(key) {
            warnings.push(format!("{}: {key} is {message}", at.child("topologyKey")));
        }
        if constraint["labelSelector"].is_null() {
            warnings.push(format!("{}: {NULL_SELECTOR}", at.child("labelSelector")));
        }
    }
    warnings
}

/// Terms of pod affinity that match nothing.
fn pod_affinity(affinity: &Value, path: &Path) -> Vec<String> {
    let mut warnings = Vec::new();
    for kind in ["podAffinity", "podAntiAffinity"] {
        let (own, path) = (&affinity[kind], path.child(kind));
        let required = "requiredDuringSchedulingIgnoredDuringExecution";
        for (index, term) in list(own, required).iter().enumerate() {
            if term["labelSelector"].is_null() {
                let at = path.child(required).index(index).child("labelSelector");
                warnings.push(format!("{at}: {NULL_SELECTOR}"));
            }
        }
        let preferred = "preferredDuringSchedulingIgnoredDuringExecution";
        for (index, term) in list(own, preferred).iter().enumerate() {
            if term["podAffinityTerm"]["labelSelector"].is_null() {
                let at = path.child(preferred).index(index).child("podAffinityTerm").child("labelSelector");
                warnings.push(format!("{at}: {NULL_SELECTOR}"));
            }
        }
    }
    warnings
}

/// Items of a list that have what one before them has.
fn repeated(items: &[Value], field: &str, path: &Path) -> Vec<String> {
    let mut seen = HashSet::new();
    let twice = items.iter().enumerate().filter(|(_, item)| !seen.insert(item.text(field)));
    twice
        .map(|(index, item)| {
            format!("{}: duplicate {field} {}", path.index(index).named(field), quote(item.text(field)))
        })
        .collect()
}

/// The warnings that a write of the status of a pod earns: of addresses in it.
pub(crate) fn of_status(pod: &Value) -> Vec<String> {
    let mut warnings = Vec::new();
    for field in ["podIPs", "hostIPs"] {
        let path = Path::new("status").child(field);
        for (index, item) in list(&pod["status"], field).iter().enumerate() {
            warnings.extend(address::warning(item.text("ip"), &path.index(index).child("ip")));
        }
    }
    warnings
}
