//! The conditions of a namespace that is being deleted.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/namespace-v1/#NamespaceStatus>.

use std::collections::BTreeMap;

use json_tree::{Value, json};

use crate::object;

/// The conditions in their order: type, and the reason and message of one where nothing is in the way.
const CONDITIONS: [(&str, &str, &str); 5] = [
    ("NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"),
    (
        "NamespaceDeletionGroupVersionParsingFailure",
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed",
    ),
    (
        "NamespaceDeletionContentFailure",
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    ),
    ("NamespaceContentRemaining", "ContentRemoved", "All content successfully removed"),
    ("NamespaceFinalizersRemaining", "ContentHasNoFinalizers", "All content-preserving finalizers finished"),
];

/// Obstacles to a deletion, by the types of conditions: their reasons and messages.
#[derive(Default)]
pub(super) struct Obstacles(BTreeMap<&'static str, (&'static str, String)>);

impl Obstacles {
    /// Notes that it is not known what is served.
    pub(super) fn discovery(&mut self, error: &str) {
        self.0.insert("NamespaceDeletionDiscoveryFailure", ("DiscoveryFailed", error.to_owned()));
    }

    /// Notes that some resources could not be deleted.
    pub(super) fn failures(&mut self, errors: &[String]) {
        if errors.is_empty() {
            return;
        }
        let mut sorted = errors.to_vec();
        sorted.sort_unstable();
        let message =
            format!("Failed to delete all resource types, {} remaining: {}", errors.len(), sorted.join(", "));
        self.0.insert("NamespaceDeletionContentFailure", ("ContentDeletionFailed", message));
    }

    /// Notes the objects that are left: by resources, and by the finalizers that they wait for.
    pub(super) fn left(&mut self, resources: &BTreeMap<String, usize>, finalizers: &BTreeMap<String, usize>) {
        let tell = |counts: &BTreeMap<String, usize>, word: &str| {
            let all = counts.iter().map(|(name, count)| format!("{name} {word} {count} resource instances"));
            let mut all: Vec<String> = all.collect();
            all.sort_unstable();
            all.join(", ")
        };
        if !resources.is_empty() {
            let message = format!("Some resources are remaining: {}", tell(resources, "has"));
            self.0.insert("NamespaceContentRemaining", ("SomeResourcesRemain", message));
        }
        if !finalizers.is_empty() {
            let message =
                format!("Some content in the namespace has finalizers remaining: {}", tell(finalizers, "in"));
            self.0.insert("NamespaceFinalizersRemaining", ("SomeFinalizersRemain", message));
        }
    }

    /// Brings the conditions of a namespace up to date. Returns false if they were.
    pub(super) fn set(&self, namespace: &mut Value, now: &str) -> bool {
        let status = object::child(namespace, "status");
        let mut conditions = match status.get("conditions") {
            Some(Value::Array(conditions)) => conditions.clone(),
            _ => Vec::new(),
        };
        let before = conditions.clone();
        for (kind, reason, message) in CONDITIONS {
            let (state, reason, message) = match self.0.get(kind) {
                Some((reason, message)) => ("True", *reason, message.as_str()),
                None => ("False", reason, message),
            };
            let Some(known) = conditions.iter_mut().find(|one| one.text("type") == kind) else {
                conditions.push(json!({
                    "type": kind,
                    "status": state,
                    "lastTransitionTime": now,
                    "reason": reason,
                    "message": message
                }));
                continue;
            };
            if known.text("status") != state {
                object::set(known, "lastTransitionTime", now.into());
            }
            for (key, value) in [("status", state), ("reason", reason), ("message", message)] {
                object::set(known, key, value.into());
            }
        }
        let changed = conditions != before;
        object::set(status, "conditions", Value::Array(conditions));
        changed
    }
}
