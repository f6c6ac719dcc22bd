//! Terms of affinity between pods.
//!
//! See <https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#inter-pod-affinity-and-anti-affinity>.

use apimachinery::selector::LabelSelector;
use json_tree::Value;

use crate::object::{self, list};
use crate::resource::NAMESPACES;
use crate::store::Stores;

/// A term: the pods that it means, and the label of nodes that says what is one place.
#[derive(Clone, Debug)]
pub(super) struct Term {
    /// The selector; `None` selects nothing.
    selector: Option<LabelSelector>,
    namespaces: Vec<String>,
    namespace_selector: Option<LabelSelector>,
    pub(super) topology_key: String,
    /// The weight; 0 for a term that has to be met.
    pub(super) weight: i64,
}

/// The terms of one field.
#[derive(Clone, Debug, Default)]
pub(super) struct Terms {
    pub(super) required: Vec<Term>,
    pub(super) preferred: Vec<Term>,
}

impl Terms {
    /// Reads the terms of a pod: `podAffinity` or `podAntiAffinity`.
    pub(super) fn of(pod: &Value, field: &str) -> Self {
        let Some(field) = pod.pointer("/spec/affinity").and_then(|affinity| affinity.get(field)) else {
            return Self::default();
        };
        let required = list(field, "/requiredDuringSchedulingIgnoredDuringExecution").iter();
        let preferred = list(field, "/preferredDuringSchedulingIgnoredDuringExecution").iter();
        Self {
            required: required.map(|term| Term::of(pod, term, 0)).collect(),
            preferred: preferred
                .map(|item| {
                    let term = item.get("podAffinityTerm").unwrap_or(&Value::Null);
                    Term::of(pod, term, object::int(item, "/weight"))
                })
                .collect(),
        }
    }

    /// Reports whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.required.is_empty() && self.preferred.is_empty()
    }
}

impl Term {
    fn of(pod: &Value, term: &Value, weight: i64) -> Self {
        let selector = |field| term.get(field).filter(|value| !value.is_null()).and_then(LabelSelector::of);
        let mut namespaces: Vec<String> =
            list(term, "/namespaces").iter().map(|name| name.as_text().to_owned()).collect();
        let namespace_selector = selector("namespaceSelector");
        if namespaces.is_empty() && namespace_selector.is_none() {
            namespaces.push(object::namespace(pod).to_owned());
        }
        Self {
            selector: selector("labelSelector"),
            namespaces,
            namespace_selector,
            topology_key: term.text("topologyKey").to_owned(),
            weight,
        }
    }

    /// Reports whether a term means a pod.
    pub(super) fn means(&self, pod: &Value, stores: &Stores) -> bool {
        let namespace = object::namespace(pod);
        let is_in = self.namespaces.iter().any(|own| own == namespace)
            || self.namespace_selector.as_ref().is_some_and(|selector| {
                let object = stores.of(&NAMESPACES).get(namespace);
                object.is_some_and(|object| object::selects(selector, object))
            });
        is_in && self.selector.as_ref().is_some_and(|selector| object::selects(selector, pod))
    }
}
