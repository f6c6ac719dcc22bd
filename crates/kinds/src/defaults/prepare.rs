//! The fields that the strategies' `PrepareForCreate` adds to a new object, from what is in it.

use json_tree::{Map, Value, json};

use super::Fill;
use apimachinery::typed_object::{TypedObject, insert_sorted};

/// Package, type and function.
pub(super) const FILLS: &[(&str, &str, Fill)] = &[
    ("k8s.io/api/core/v1", "Namespace", namespace),
    ("k8s.io/api/core/v1", "Pod", pod),
    ("k8s.io/api/core/v1", "PersistentVolumeClaim", data_source),
    ("k8s.io/api/apps/v1", "DaemonSet", daemon_set),
    ("k8s.io/api/batch/v1", "Job", job),
];

/// The finalizer that keeps a namespace until it is empty.
fn namespace(namespace: &mut TypedObject<'_>) {
    let Some(mut spec) = namespace.ensure("spec") else {
        return;
    };
    let mut finalizers = spec.list("finalizers").to_vec();
    if !finalizers.iter().any(|finalizer| finalizer == "kubernetes") {
        finalizers.push("kubernetes".into());
        spec.set("finalizers", finalizers);
    }
}

/// The generation of a DaemonSet's template is an annotation, long deprecated.
fn daemon_set(set: &mut TypedObject<'_>) {
    add_to(set, "annotations", &[("deprecated.daemonset.template.generation", "1")]);
}

/// A job finds its pods by its uid, unless it says that it has a selector of its own.
///
/// See <https://kubernetes.io/docs/concepts/workloads/controllers/job/#specifying-your-own-pod-selector>.
fn job(job: &mut TypedObject<'_>) {
    let (mut uid, mut name) = (String::new(), String::new());
    if let Some(metadata) = job.child("metadata") {
        uid = metadata.text("uid").to_owned();
        name = metadata.text("name").to_owned();
    }
    let Some(mut spec) = job.ensure("spec") else {
        return;
    };
    if spec.get("manualSelector") == Some(&Value::Bool(true)) {
        return;
    }
    if let Some(mut selector) = spec.ensure("selector") {
        add(&mut selector, "matchLabels", &[(CONTROLLER_UID, uid.as_str())]);
    }
    if let Some(mut template) = spec.ensure("template") {
        let labels = [
            (CONTROLLER_UID, uid.as_str()),
            ("batch.kubernetes.io/job-name", name.as_str()),
            ("controller-uid", uid.as_str()),
            ("job-name", name.as_str()),
        ];
        add_to(&mut template, "labels", &labels);
    }
}

const CONTROLLER_UID: &str = "batch.kubernetes.io/controller-uid";

fn pod(pod: &mut TypedObject<'_>) {
    app_armor(pod);
    label_keys(pod);
}

/// Terms that name keys of the pod's own labels get its values of them as part of their selectors.
///
/// See <https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#matchlabelkeys>.
fn label_keys(pod: &mut TypedObject<'_>) {
    let labels = pod.get("metadata").and_then(|metadata| metadata.get("labels"));
    let Some(labels) = labels.and_then(Value::as_object).cloned() else {
        return;
    };
    let Some(mut spec) = pod.child("spec") else {
        return;
    };
    spec.for_each("topologySpreadConstraints", |constraint| select_by_labels(constraint, &labels));
    let Some(mut affinity) = spec.child("affinity") else {
        return;
    };
    for kind in ["podAffinity", "podAntiAffinity"] {
        let Some(mut terms) = affinity.child(kind) else {
            continue;
        };
        terms.for_each("requiredDuringSchedulingIgnoredDuringExecution", |term| {
            select_by_labels(term, &labels)
        });
        terms.for_each("preferredDuringSchedulingIgnoredDuringExecution", |weighted| {
            if let Some(mut term) = weighted.child("podAffinityTerm") {
                select_by_labels(&mut term, &labels);
            }
        });
    }
}

fn select_by_labels(term: &mut TypedObject<'_>, labels: &Map<String, Value>) {
    let mut added = Vec::new();
    for (field, operator) in [("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn")] {
        for key in term.list(field).iter().filter_map(Value::as_str) {
            if let Some(value) = labels.get(key) {
                added.push(json!({"key": key, "operator": operator, "values": [value]}));
            }
        }
    }
    let Some(mut selector) = term.child("labelSelector") else {
        return;
    };
    if !added.is_empty() {
        let mut expressions = selector.list("matchExpressions").to_vec();
        expressions.extend(added);
        selector.set("matchExpressions", expressions);
    }
}

/// The annotations that were AppArmor's first form fill the fields that took their place.
///
/// See <https://kubernetes.io/docs/tutorials/security/apparmor/>.
fn app_armor(pod: &mut TypedObject<'_>) {
    const PREFIX: &str = "container.apparmor.security.beta.kubernetes.io/";
    let annotations = pod.get("metadata").and_then(|metadata| metadata.get("annotations"));
    let Some(annotations) = annotations.and_then(Value::as_object) else {
        return;
    };
    let profiles: Vec<(String, Value)> = annotations
        .iter()
        .filter_map(|(key, value)| Some((key.strip_prefix(PREFIX)?.to_owned(), profile(value.as_str()?)?)))
        .collect();
    if profiles.is_empty() {
        return;
    }
    let Some(mut spec) = pod.child("spec") else {
        return;
    };
    let text = |holder: &str, field: &str| spec.get(holder)?.get(field).cloned();
    if text("os", "name").is_some_and(|os| os == "windows") {
        return;
    }
    let shared = text("securityContext", "appArmorProfile");
    for list in ["initContainers", "containers"] {
        spec.for_each(list, |container| {
            let name = container.text("name");
            let own = profiles.iter().find(|(own, profile)| own == name && shared.as_ref() != Some(profile));
            if let Some((_, profile)) = own
                && let Some(mut context) = container.ensure("securityContext")
            {
                context.default("appArmorProfile", profile.clone());
            }
        });
    }
}

/// The profile that an annotation means, if it is a valid one.
pub(crate) fn profile(annotation: &str) -> Option<Value> {
    const LONGEST: usize = 4095;
    match annotation {
        "unconfined" => Some(json!({"type": "Unconfined"})),
        "runtime/default" => Some(json!({"type": "RuntimeDefault"})),
        _ => {
            let name = annotation.strip_prefix("localhost/")?;
            let valid = !name.is_empty() && name.trim() == name && name.len() <= LONGEST;
            valid.then(|| json!({"type": "Localhost", "localhostProfile": name}))
        }
    }
}

/// A claim's two fields for where its data comes from become the same.
///
/// See <https://kubernetes.io/docs/concepts/storage/persistent-volumes/#cross-namespace-data-sources>.
fn data_source(claim: &mut TypedObject<'_>) {
    let Some(mut spec) = claim.child("spec") else {
        return;
    };
    drop_other_source(&mut spec);
    align_sources(&mut spec);
}

/// Leaves only claims and snapshots in the older one of the fields, unless the newer one is there too.
pub(crate) fn drop_other_source(spec: &mut TypedObject<'_>) {
    if spec.get("dataSourceRef").is_none()
        && spec.get("dataSource").is_some_and(|source| !is_claim_or_snapshot(source))
    {
        spec.remove("dataSource");
    }
}

/// Makes the fields for where a claim's data comes from the same, if one of them is not there.
pub(crate) fn align_sources(spec: &mut TypedObject<'_>) {
    match (spec.get("dataSource").cloned(), spec.get("dataSourceRef").cloned()) {
        (Some(source), None) => spec.set("dataSourceRef", source),
        (None, Some(reference)) => {
            let namespace = reference.get("namespace").and_then(Value::as_str).unwrap_or_default();
            if namespace.is_empty() {
                let kept = |(key, value): (&String, &Value)| {
                    (key != "namespace").then(|| (key.clone(), value.clone()))
                };
                let source: Map<String, Value> =
                    reference.as_object().into_iter().flatten().filter_map(kept).collect();
                spec.set("dataSource", source);
            }
        }
        _ => {}
    }
}

fn is_claim_or_snapshot(source: &Value) -> bool {
    let text = |name: &str| source.get(name).and_then(Value::as_str).unwrap_or_default();
    matches!(
        (text("apiGroup"), text("kind")),
        ("", "PersistentVolumeClaim") | ("snapshot.storage.k8s.io", "VolumeSnapshot")
    )
}

/// Adds entries to a map of an object's metadata, where it does not have them.
fn add_to(object: &mut TypedObject<'_>, map: &str, entries: &[(&str, &str)]) {
    if let Some(mut metadata) = object.ensure("metadata") {
        add(&mut metadata, map, entries);
    }
}

fn add(object: &mut TypedObject<'_>, field: &str, entries: &[(&str, &str)]) {
    let mut map = object.map(field).cloned().unwrap_or_default();
    for (key, value) in entries {
        if !map.contains_key(*key) {
            insert_sorted(&mut map, key, Value::from(*value));
        }
    }
    object.set(field, map);
}
