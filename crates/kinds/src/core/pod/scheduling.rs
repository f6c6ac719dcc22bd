//! Validation of scheduling: the nodes that a pod asks for, and what it waits for.
//!
//! See <https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/>.

use std::collections::{HashMap, HashSet};

use json_tree::{Map, Value};

use super::NAMELESS;
use super::check::{Errors, child, choice, each, named, required_name, well_formed};
use crate::validation::read::{get, integer, list, map, text};
use crate::validation::{internal, label_selector, name, node_selector};
use field::{AddError, Path};

pub(crate) const TAINT_EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
pub(super) const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

pub(super) fn affinity(spec: &Value, path: &Path, errors: &mut Errors) {
    let Some((affinity, path)) = child(spec, "affinity", path) else { return };
    if let Some((node, path)) = child(affinity, "nodeAffinity", &path) {
        if let Some((selector, path)) = child(node, REQUIRED, &path) {
            errors.extend(node_selector::validate(selector, &path));
        }
        for (term, path) in each(node, PREFERRED, &path) {
            weight(term, &path, errors);
            if let Some((term, path)) = child(term, "preference", &path) {
                // The values of a preference are not checked.
                errors.extend(node_selector::term(term, false, &path));
            }
        }
    }
    for field in ["podAffinity", "podAntiAffinity"] {
        let Some((own, path)) = child(affinity, field, &path) else { continue };
        for (term, path) in each(own, REQUIRED, &path) {
            pod_affinity_term(term, &path, errors);
        }
        for (term, path) in each(own, PREFERRED, &path) {
            weight(term, &path, errors);
            let empty = Value::Object(Map::new());
            let inner = get(term, "podAffinityTerm").unwrap_or(&empty);
            pod_affinity_term(inner, &path.child("podAffinityTerm"), errors);
        }
    }
}

fn weight(term: &Value, path: &Path, errors: &mut Errors) {
    let weight = integer(term, "weight").unwrap_or_default();
    if !(1..=100).contains(&weight) {
        errors.invalid(path.child("weight"), weight, "must be in the range 1-100");
    }
}

fn pod_affinity_term(term: &Value, path: &Path, errors: &mut Errors) {
    for field in ["labelSelector", "namespaceSelector"] {
        if let Some((selector, path)) = child(term, field, path) {
            errors.extend(label_selector::validate(selector, &path));
        }
    }
    for namespace in list(term, "namespaces") {
        // The message places this at another field.
        well_formed(namespace.as_str().unwrap_or_default(), name::label, &path.child("namespace"), errors);
    }
    label_keys(term, path, errors);
    let (key, at) = (text(term, "topologyKey"), path.child("topologyKey"));
    if key.is_empty() {
        errors.required(&at, "can not be empty");
    }
    well_formed(key, name::qualified_name, &at, errors);
}

/// Keys of labels by which the pods that a term or a constraint means are the same as this one, or others.
fn label_keys(term: &Value, path: &Path, errors: &mut Errors) {
    let (same, other) = (list(term, "matchLabelKeys"), list(term, "mismatchLabelKeys"));
    let selector = get(term, "labelSelector");
    for (field, keys) in [("matchLabelKeys", same), ("mismatchLabelKeys", other)] {
        let path = path.child(field);
        if !keys.is_empty() && selector.is_none() {
            errors.forbidden(&path, "must not be specified when labelSelector is not set");
            continue;
        }
        for (index, key) in keys.iter().enumerate() {
            well_formed(key.as_str().unwrap_or_default(), name::qualified_name, &path.index(index), errors);
        }
    }
    if let Some(selector) = selector {
        let labels = map(selector, "matchLabels").into_iter().flat_map(Map::keys);
        let mut seen: Vec<&str> = labels.map(String::as_str).collect();
        for expression in list(selector, "matchExpressions") {
            let key = text(expression, "key");
            let place = same.iter().rposition(|same| same == key);
            if let Some(place) = place.filter(|_| seen.contains(&key)) {
                let why = "exists in both matchLabelKeys and labelSelector";
                errors.invalid(path.index(place), key, why);
            }
            seen.push(key);
        }
    }
    for (index, key) in same.iter().enumerate().filter(|(_, key)| other.contains(key)) {
        let why = "exists in both matchLabelKeys and mismatchLabelKeys";
        errors.invalid(path.child("matchLabelKeys").index(index), key.clone(), why);
    }
}

/// <https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/>
pub(super) fn spread(spec: &Value, path: &Path, errors: &mut Errors) {
    let pair = |one| (text(one, "topologyKey"), text(one, "whenUnsatisfiable"));
    let all = list(spec, "topologySpreadConstraints").iter().enumerate();
    let last: HashMap<(&str, &str), usize> = all.map(|(index, one)| (pair(one), index)).collect();
    for (index, (one, path)) in each(spec, "topologySpreadConstraints", path).enumerate() {
        let skew = integer(one, "maxSkew").unwrap_or_default();
        if skew <= 0 {
            errors.invalid(path.child("maxSkew"), skew, "must be greater than zero");
        }
        let (key, action) = pair(one);
        if key.is_empty() {
            errors.required(path.child("topologyKey"), "can not be empty");
        }
        let actions = ["DoNotSchedule", "ScheduleAnyway"];
        if !actions.contains(&action) {
            errors.not_supported(path.child("whenUnsatisfiable"), action, &actions);
        }
        if last.get(&(key, action)).is_some_and(|last| *last > index) {
            let at = path.child("{topologyKey, whenUnsatisfiable}");
            errors.duplicate(&at, format!("{{{key}, {action}}}"));
        }
        if let Some(domains) = integer(one, "minDomains") {
            let at = path.child("minDomains");
            if domains <= 0 {
                errors.invalid(&at, domains, "must be greater than zero");
            }
            if action != "DoNotSchedule" {
                let why = format!("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}");
                errors.invalid(&at, domains, why);
            }
        }
        for field in ["nodeAffinityPolicy", "nodeTaintsPolicy"] {
            choice(one, field, &["Honor", "Ignore"], &path, errors);
        }
        label_keys(one, &path, errors);
        if let Some((selector, path)) = child(one, "labelSelector", &path) {
            errors.extend(label_selector::validate(selector, &path));
        }
    }
}

/// <https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/>
pub(crate) fn tolerations(spec: &Value, path: &Path, errors: &mut Errors) {
    for (toleration, path) in each(spec, "tolerations", path) {
        let (operator, at) = (text(toleration, "operator"), path.child("operator"));
        let (value, effect) = (text(toleration, "value"), text(toleration, "effect"));
        named(toleration, "key", name::qualified_name, &path, errors);
        if text(toleration, "key").is_empty() && operator != "Exists" {
            let why =
                "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
            errors.invalid(&at, operator, why);
        }
        if get(toleration, "tolerationSeconds").is_some() && effect != "NoExecute" {
            let why = "effect must be 'NoExecute' when `tolerationSeconds` is set";
            errors.invalid(path.child("effect"), effect, why);
        }
        match operator {
            "" | "Equal" => {
                let complaints = name::label_value(value);
                if !complaints.is_empty() {
                    errors.invalid(&at, value, complaints.join(";"));
                }
            }
            "Exists" if !value.is_empty() => {
                errors.invalid(&at, value, "value must be empty when `operator` is 'Exists'");
            }
            "Exists" => {}
            // These are known, but not to be used yet.
            "Lt" | "Gt" => {
                errors.not_supported(&at, operator, &["Equal", "Exists", "Lt", "Gt"]);
            }
            _ => errors.not_supported(&at, operator, &["Equal", "Exists"]),
        }
        choice(toleration, "effect", &TAINT_EFFECTS, &path, errors);
    }
}

/// <https://kubernetes.io/docs/concepts/scheduling-eviction/pod-scheduling-readiness/>
pub(super) fn gates(spec: &Value, path: &Path, errors: &mut Errors) {
    let mut seen: HashSet<&str> = HashSet::new();
    for (gate, path) in each(spec, "schedulingGates", path) {
        let this = text(gate, "name");
        well_formed(this, name::qualified_name, &path, errors);
        if !seen.insert(this) {
            errors.duplicate(&path, this);
        }
    }
}

/// The claims of a pod for devices.
///
/// <https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/>
pub(super) fn claims(spec: &Value, is_static: bool, path: &Path, errors: &mut Errors) {
    let mut seen: HashSet<&str> = HashSet::new();
    for (claim, path) in each(spec, "resourceClaims", path) {
        if is_static {
            errors.forbidden(Path::new(NAMELESS), "static pods do not support resource claims");
            continue;
        }
        let this = text(claim, "name");
        if seen.contains(&this) {
            errors.duplicate(path.child("name"), this);
        } else {
            required_name(claim, "name", name::label, &path, errors);
            if !this.is_empty() {
                seen.insert(this);
            }
        }
        let sources = ["resourceClaimName", "resourceClaimTemplateName"];
        let why = match sources.map(|field| get(claim, field).is_some()) {
            [true, true] => {
                Some("at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified")
            }
            [false, false] => Some("must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"),
            _ => None,
        };
        if let Some(why) = why {
            let value = internal::form(internal::CORE, "PodResourceClaim", claim);
            errors.invalid(&path, value, why);
        }
        for field in sources {
            if let Some(name) = get(claim, field).and_then(Value::as_str) {
                well_formed(name, name::subdomain, &path.child(field), errors);
            }
        }
    }
}
