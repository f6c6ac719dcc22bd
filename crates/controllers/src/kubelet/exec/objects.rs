//! The objects that a container refers to.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use apiserver::ServiceRange;
use json_tree::Value;

use super::variables::Environment;
use crate::object::list;
use crate::pod_claims::claimed;

/// The resource of claims of volumes.
const CLAIMS: &str = "persistentvolumeclaims";

/// A reference to an object in the namespace of a pod.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) struct Reference {
    pub(in super::super) resource: &'static str,
    pub(in super::super) name: String,
}

impl Reference {
    pub(in super::super) fn config_map(name: &str) -> Self {
        Self { resource: "configmaps", name: name.to_owned() }
    }

    pub(in super::super) fn secret(name: &str) -> Self {
        Self { resource: "secrets", name: name.to_owned() }
    }

    /// Returns that to the claim behind a volume of a pod, if there is one.
    pub(super) fn claim(pod: &Value, volume: &Value) -> Option<Self> {
        let found = claimed(pod).find(|own| own.volume.text("name") == volume.text("name"))?;
        Some(Self { resource: CLAIMS, name: found.claim })
    }

    /// Reports whether it is that to a claim. A program can be run without: its volume is empty then.
    pub(in super::super) fn is_claim(&self) -> bool {
        self.resource == CLAIMS
    }
}

/// The objects that a container refers to, as far as there are such, the range of the cluster's services, and the variables of those in its
/// namespace.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Objects {
    pub(super) services: ServiceRange,
    pub(in super::super) links: Arc<Environment>,
    known: BTreeMap<Reference, Value>,
    absent: BTreeSet<Reference>,
}

impl Objects {
    /// None yet, in a cluster with this range of services.
    pub(in super::super) fn new(services: ServiceRange) -> Self {
        Self { services, ..Self::default() }
    }

    /// Adds an object.
    pub(in super::super) fn insert(&mut self, reference: Reference, object: Value) {
        self.known.insert(reference, object);
    }

    /// Adds that there is no such object.
    pub(in super::super) fn insert_absent(&mut self, reference: Reference) {
        self.absent.insert(reference);
    }

    /// Reports whether it is known that there is no such object.
    pub(in super::super) fn is_absent(&self, reference: &Reference) -> bool {
        self.absent.contains(reference)
    }

    /// Returns an object, if it is known.
    pub(in super::super) fn get(&self, reference: &Reference) -> Option<&Value> {
        self.known.get(reference)
    }
}

#[cfg(test)]
impl<const N: usize> From<[(Reference, Value); N]> for Objects {
    fn from(known: [(Reference, Value); N]) -> Self {
        Self { known: known.into(), ..Self::default() }
    }
}

/// Returns the references of a container: those of its environment, and of the volumes that it mounts.
pub(in super::super) fn references(pod: &Value, container: &Value) -> BTreeSet<Reference> {
    let mut found = BTreeSet::new();
    for variable in list(container, "/env") {
        add(&mut found, variable, ("/valueFrom/configMapKeyRef/name", "/valueFrom/secretKeyRef/name"));
    }
    for source in list(container, "/envFrom") {
        add(&mut found, source, ("/configMapRef/name", "/secretRef/name"));
    }
    for volume in list(pod, "/spec/volumes") {
        let name = volume.text("name");
        if !list(container, "/volumeMounts").iter().any(|mount| mount.text("name") == name) {
            continue;
        }
        add(&mut found, volume, ("/configMap/name", "/secret/secretName"));
        found.extend(Reference::claim(pod, volume));
        for source in list(volume, "/projected/sources") {
            add(&mut found, source, ("/configMap/name", "/secret/name"));
        }
    }
    found
}

fn add(found: &mut BTreeSet<Reference>, value: &Value, (config_map, secret): (&str, &str)) {
    let name = |pointer| Some(value.text_at(pointer)).filter(|name| !name.is_empty());
    found.extend(name(config_map).map(Reference::config_map));
    found.extend(name(secret).map(Reference::secret));
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[test]
    fn references_of_containers() {
        let pod = json!({"spec": {"volumes": [
            {"name": "a", "configMap": {"name": "c1"}},
            {"name": "b", "secret": {"secretName": "s1"}},
            {"name": "p", "projected": {"sources": [{"configMap": {"name": "c2"}}, {"secret": {"name": "s2"}}]}},
            {"name": "d", "persistentVolumeClaim": {"claimName": "v1"}},
            {"name": "other", "configMap": {"name": "no"}}
        ]}});
        let container = json!({
            "env": [
                {"name": "A", "valueFrom": {"configMapKeyRef": {"name": "c3", "key": "k"}}},
                {"name": "B", "valueFrom": {"secretKeyRef": {"name": "s1", "key": "k"}}},
                {"name": "C", "value": "c"}
            ],
            "envFrom": [{"configMapRef": {"name": "c4"}}, {"secretRef": {"name": "s3"}}],
            "volumeMounts": [{"name": "a"}, {"name": "b"}, {"name": "p"}, {"name": "d"}, {"name": "missing"}]
        });
        let found = references(&pod, &container);
        let found: Vec<String> = found.iter().map(|own| [own.resource, "/", &own.name].concat()).collect();
        let expected = "configmaps/c1 configmaps/c2 configmaps/c3 configmaps/c4 persistentvolumeclaims/v1 secrets/s1 secrets/s2 secrets/s3";
        assert_eq!(found.join(" "), expected);
        assert!(references(&json!(null), &json!(7)).is_empty());
    }
}
