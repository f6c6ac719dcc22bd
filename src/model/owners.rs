//! Who owns whom: the objects that have owners, and all of them as trees.
//! See <https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/>.

use std::collections::{HashMap, HashSet};

use glass::Versions;
use json_tree::Value;
use protocol::trace::ObjectKey;
use serde::Deserialize;

use super::messages::owners as words;

/// More generations than this are not shown: owners may form a circle.
const DEEPEST: usize = 8;
/// More objects than this are not shown.
pub(crate) const MOST: usize = 200;
/// The place of the trees among the tabs beside the ribbon.
pub(crate) const TAB: usize = 3;
/// For so many revisions an object counts as new, and a deleted one is still shown.
pub(crate) const RECENT: u64 = 40;

/// The part of an object that names its owners.
#[derive(Deserialize)]
struct Owned {
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Metadata {
    #[serde(default)]
    uid: String,
    #[serde(default, rename = "ownerReferences")]
    owners: Vec<Owner>,
}

#[derive(Deserialize)]
struct Owner {
    uid: String,
}

/// Returns the UID of an object and those of its owners, as its JSON has them; `None` if it has no owners, which is not worth to be
/// read for.
fn owned(json: &[u8]) -> Option<(String, Vec<String>)> {
    const REFERENCES: &[u8] = b"\"ownerReferences\"";
    if !json.windows(REFERENCES.len()).any(|bytes| bytes == REFERENCES) {
        return None;
    }
    let Owned { metadata } = serde_json::from_slice(json).ok()?;
    let owners: Vec<String> = metadata.owners.into_iter().map(|owner| owner.uid).collect();
    (!owners.is_empty()).then_some((metadata.uid, owners))
}

/// Returns the UID of an object. (It stands before everything else that is called so.)
fn uid(json: &[u8]) -> Option<String> {
    const UID: &[u8] = b"\"uid\":\"";
    let begin = json.windows(UID.len()).position(|bytes| bytes == UID)? + UID.len();
    let end = json[begin..].iter().position(|byte| *byte == b'"')? + begin;
    String::from_utf8(json[begin..end].to_vec()).ok()
}

/// The objects that have owners, by the UID of each owner: each with its own UID.
#[derive(Default)]
pub(crate) struct Dependents(HashMap<String, Vec<(ObjectKey, String)>>);

impl Dependents {
    /// Finds the objects that have owners at a revision.
    pub(crate) fn of(versions: &Versions, revision: u64) -> Self {
        let mut found = Self::default();
        for resource in resources(versions) {
            for (key, stored) in versions.state_at(resource, revision) {
                found.add(key, &stored.json);
            }
        }
        found
    }

    fn add(&mut self, key: &ObjectKey, json: &[u8]) {
        let Some((uid, owners)) = owned(json) else { return };
        for owner in owners {
            self.0.entry(owner).or_default().push((key.clone(), uid.clone()));
        }
    }

    /// Adds what an object owns, and what that owns, each with its depth.
    pub(crate) fn below(&self, uid: &str, depth: usize, found: &mut Vec<(usize, ObjectKey)>) {
        for (key, own) in self.0.get(uid).into_iter().flatten() {
            if found.len() < MOST {
                found.push((depth, key.clone()));
                if depth < DEEPEST {
                    self.below(own, depth + 1, found);
                }
            }
        }
    }
}

/// Returns the names of all resources, sorted.
fn resources(versions: &Versions) -> Vec<&str> {
    let mut resources: Vec<&str> = versions.resources().collect();
    resources.sort_unstable();
    resources
}

/// The fate of an object in the last revisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It was there before.
    Stays,
    /// It was made in them.
    New,
    /// It is being deleted.
    Ends,
    /// It was deleted in them.
    Gone,
}

/// An object in the trees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    /// The number of owners above it.
    pub(crate) depth: usize,
    pub(crate) key: ObjectKey,
    /// How it is, in a few words; empty if there is nothing to say.
    pub(crate) says: String,
    pub(crate) fate: Fate,
}

/// An object, as it is found.
struct Found<'v> {
    key: &'v ObjectKey,
    json: &'v [u8],
    uid: String,
    owners: Vec<String>,
}

/// Returns the objects of a namespace, or of all for an empty one, that own others or are owned, and the Pods, as trees at a
/// revision: each object follows its owner. Those without an owner that exists come first.
pub(crate) fn trees(versions: &Versions, revision: u64, namespace: &str) -> Vec<Node> {
    let before = revision.saturating_sub(RECENT).max(versions.oldest());
    let at = |revision| {
        let resources = resources(versions).into_iter().filter(|resource| !resource.starts_with("events"));
        let all = resources.flat_map(move |resource| versions.state_at(resource, revision));
        let is_meant =
            |key: &ObjectKey| namespace.is_empty() || key.namespace.is_empty() || key.namespace == namespace;
        find(all.filter(|(key, _)| is_meant(key)).map(|(key, stored)| (key, &stored.json[..])))
    };
    grow(at(revision), at(before))
}

/// Returns the trees of objects, given those that there are, and those that there were a short time before.
fn grow<'v>(mut objects: Vec<Found<'v>>, older: Vec<Found<'v>>) -> Vec<Node> {
    let uids = |objects: &[Found<'_>]| objects.iter().map(|found| found.uid.clone()).collect::<HashSet<_>>();
    let (now, then) = (uids(&objects), uids(&older));
    objects.extend(older.into_iter().filter(|found| !now.contains(&found.uid)));
    schema::sort_by(&mut objects, |a, b| a.key.cmp(b.key));
    let all = uids(&objects);
    let mut below: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut roots = Vec::new();
    for (place, found) in objects.iter().enumerate() {
        let mut is_root = true;
        for owner in found.owners.iter().filter(|owner| all.contains(*owner)) {
            below.entry(owner).or_default().push(place);
            is_root = false;
        }
        if is_root {
            roots.push(place);
        }
    }
    let mut trees = Trees { objects: &objects, below, now, then, seen: HashSet::new(), nodes: Vec::new() };
    // Owners in a circle have none above them.
    for place in roots.into_iter().chain(0..objects.len()) {
        if !trees.seen.contains(&place) {
            trees.add(place, 0);
        }
    }
    trees.nodes
}

/// Finds the objects that own others or are owned, and the Pods.
fn find<'v>(all: impl Iterator<Item = (&'v ObjectKey, &'v [u8])>) -> Vec<Found<'v>> {
    let mut found = Vec::new();
    let mut others = Vec::new();
    for (key, json) in all {
        match owned(json) {
            Some((uid, owners)) => found.push(Found { key, json, uid, owners }),
            None => others.extend(uid(json).map(|uid| Found { key, json, uid, owners: Vec::new() })),
        }
    }
    let owners: HashSet<String> = found.iter().flat_map(|found| found.owners.iter().cloned()).collect();
    found.extend(others.into_iter().filter(|other| is_pod(other.key) || owners.contains(&other.uid)));
    found
}

fn is_pod(key: &ObjectKey) -> bool {
    key.group.is_empty() && key.resource == "pods"
}

/// The trees, while they are made.
struct Trees<'v> {
    objects: &'v [Found<'v>],
    /// The places of the dependents of each owner.
    below: HashMap<&'v str, Vec<usize>>,
    /// The UIDs of those that exist, and of those that did before.
    now: HashSet<String>,
    then: HashSet<String>,
    /// The places of those that have been added.
    seen: HashSet<usize>,
    nodes: Vec<Node>,
}

impl Trees<'_> {
    fn add(&mut self, place: usize, depth: usize) {
        let found = &self.objects[place];
        if self.nodes.len() >= MOST || depth > DEEPEST {
            return;
        }
        self.seen.insert(place);
        let object: Value = serde_json::from_slice(found.json).unwrap_or_default();
        let fate = if !self.now.contains(&found.uid) {
            Fate::Gone
        } else if object.pointer("/metadata/deletionTimestamp").is_some() {
            Fate::Ends
        } else if !self.then.contains(&found.uid) {
            Fate::New
        } else {
            Fate::Stays
        };
        self.nodes.push(Node { depth, key: found.key.clone(), says: says(found.key, &object, fate), fate });
        for place in self.below.get(found.uid.as_str()).cloned().unwrap_or_default() {
            self.add(place, depth + 1);
        }
    }
}

/// The numbers that say how workloads are: how many of their Pods are as they should be, and how many should be.
/// See <https://kubernetes.io/docs/concepts/workloads/controllers/>.
const READY: &[(&str, &str, &str)] = &[
    ("daemonsets", "/status/numberReady", "/status/desiredNumberScheduled"),
    ("deployments", "/status/readyReplicas", "/spec/replicas"),
    ("replicasets", "/status/readyReplicas", "/spec/replicas"),
    ("replicationcontrollers", "/status/readyReplicas", "/spec/replicas"),
    ("statefulsets", "/status/readyReplicas", "/spec/replicas"),
];

/// Returns how an object is.
fn says(key: &ObjectKey, object: &Value, fate: Fate) -> String {
    let number = |pointer: &str| object.pointer(pointer).and_then(Value::as_i64).unwrap_or_default();
    match fate {
        Fate::Gone => return words::GONE.to_owned(),
        Fate::Ends => {
            let finalizers = object.pointer("/metadata/finalizers").and_then(Value::as_array);
            let finalizers: Vec<&str> = finalizers.into_iter().flatten().filter_map(Value::as_str).collect();
            return words::ends(&finalizers);
        }
        Fate::New | Fate::Stays => {}
    }
    if is_pod(key) {
        return pod(object);
    }
    if key.resource == "jobs" {
        return words::job(number("/status/succeeded"), number("/status/failed"), number("/status/active"));
    }
    let row = READY.iter().find(|(resource, ..)| *resource == key.resource);
    row.map(|(_, ready, wanted)| words::ready(number(ready), number(wanted))).unwrap_or_default()
}

/// Returns the phase of a Pod, or what a container of it waits for, and its node.
fn pod(pod: &Value) -> String {
    let text = |pointer: &str| pod.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let containers = pod.pointer("/status/containerStatuses").and_then(Value::as_array);
    let waiting = containers.into_iter().flatten().find_map(|container| {
        container.pointer("/state/waiting/reason")?.as_str().filter(|reason| *reason != "ContainerCreating")
    });
    words::pod(waiting.unwrap_or(text("/status/phase")), text("/spec/nodeName"))
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    fn key(name: &str) -> ObjectKey {
        ObjectKey { name: name.to_owned(), ..ObjectKey::default() }
    }

    #[test]
    fn what_an_object_owns_is_a_tree() {
        let mut dependents = Dependents::default();
        let add = |dependents: &mut Dependents, name: &str, owner: &str| {
            let object = json!({"metadata": {"uid": name, "ownerReferences": [{"uid": owner, "name": "x"}]}});
            dependents.add(&key(name), object.to_string().as_bytes());
        };
        for (name, owner) in [("rs", "deploy"), ("pod-0", "rs"), ("pod-1", "rs"), ("other", "x")] {
            add(&mut dependents, name, owner);
        }
        dependents.add(&key("free"), br#"{"metadata":{"uid":"free"}}"#);
        let below = |dependents: &Dependents, uid: &str| {
            let mut found = Vec::new();
            dependents.below(uid, 0, &mut found);
            found.into_iter().map(|(depth, key)| format!("{depth} {}", key.name)).collect::<Vec<_>>()
        };
        assert_eq!(below(&dependents, "deploy"), ["0 rs", "1 pod-0", "1 pod-1"]);
        assert_eq!(below(&dependents, "free"), [""; 0]);
        // Who owns himself has a tree that ends.
        add(&mut dependents, "self", "self");
        assert_eq!(below(&dependents, "self").len(), DEEPEST + 1);
    }

    /// An object: its resource, name (which is its UID, too), the UIDs of its owners, and its other fields.
    type Sample = (&'static str, &'static str, &'static [&'static str], Value);

    fn objects(samples: &[Sample]) -> Vec<(ObjectKey, String)> {
        let object = |(resource, name, owners, more): &Sample| {
            let owners: Vec<Value> = owners.iter().map(|uid| json!({"uid": uid})).collect();
            let mut object = json!({"metadata": {"name": name, "uid": name}});
            if !owners.is_empty() {
                object["metadata"]["ownerReferences"] = owners.into();
            }
            for (key, value) in more.as_object().unwrap() {
                match key.as_str() {
                    "metadata" => object[key.as_str()]["deletionTimestamp"] = value.clone(),
                    _ => object[key.as_str()] = value.clone(),
                }
            }
            (ObjectKey { resource: (*resource).to_owned(), ..key(name) }, object.to_string())
        };
        samples.iter().map(object).collect()
    }

    #[track_caller]
    fn check(now: &[Sample], before: &[Sample], expected: &[&str]) {
        let (now, before) = (objects(now), objects(before));
        let found = |objects| {
            let objects: &Vec<(ObjectKey, String)> = objects;
            find(objects.iter().map(|(key, json)| (key, json.as_bytes())))
        };
        let nodes = grow(found(&now), found(&before));
        let line = |node: &Node| {
            let Node { depth, key, says, fate } = node;
            format!("{}{} {says} {fate:?}", "  ".repeat(*depth), key.name)
        };
        assert_eq!(nodes.iter().map(line).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn objects_stand_below_their_owners() {
        let pod = |phase: &str| json!({"status": {"phase": phase}, "spec": {"nodeName": "node-1"}});
        let set = json!({"spec": {"replicas": 2}, "status": {"readyReplicas": 1}});
        let waits = json!({"status": {"phase": "Pending", "containerStatuses": [
            {"state": {"waiting": {"reason": "ImagePullBackOff"}}},
        ]}});
        let now = [
            ("deployments", "web", &[][..], set.clone()),
            ("replicasets", "web-1", &["web"][..], set.clone()),
            ("pods", "a", &["web-1"][..], pod("Running")),
            ("pods", "b", &["web-1"][..], waits),
            ("pods", "alone", &[][..], json!({})),
            ("configmaps", "free", &[][..], json!({})),
        ];
        let before =
            [now[0].clone(), now[1].clone(), now[2].clone(), ("pods", "c", &["web-1"][..], pod("Running"))];
        check(
            &now,
            &before,
            &[
                "web 1/2 ready Stays",
                "  web-1 1/2 ready Stays",
                "    a Running on node-1 Stays",
                "    b ImagePullBackOff New",
                "    c deleted Gone",
                "alone  New",
            ],
        );
        check(&[], &[], &[]);
    }

    #[test]
    fn trees_end_wherever_owners_lead() {
        let none = || json!({});
        // Whose owner is gone stands alone; two owners have it below both of them; a circle begins somewhere.
        let ends = json!({"metadata": "2027-01-15T08:00:00Z"});
        check(&[("pods", "orphan", &["x"], none())], &[], &["orphan  New"]);
        let shared = [
            ("configmaps", "a", &[][..], none()),
            ("configmaps", "b", &[][..], ends),
            ("secrets", "s", &["a", "b"][..], none()),
        ];
        check(&shared, &shared, &["a  Stays", "  s  Stays", "b Terminating Ends", "  s  Stays"]);
        let circle = [("configmaps", "a", &["b"][..], none()), ("configmaps", "b", &["a"][..], none())];
        let circle = objects(&circle);
        let found = find(circle.iter().map(|(key, json)| (key, json.as_bytes())));
        assert_eq!(grow(found, Vec::new()).len(), DEEPEST + 1);
    }
}
