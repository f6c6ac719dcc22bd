//! The objects of a cluster in all their kept versions.

use std::collections::{BTreeMap, HashMap};

use protocol::trace::{Change, ObjectKey, Stored, Write};

/// A version of an object: the revision that made it, and the object; `None` where it was deleted.
type Version = (u64, Option<Stored>);

/// An object, the revision of its last write, and what that wrote.
type Known = (ObjectKey, u64, Stored);

/// The objects of one resource.
#[derive(Debug, Default)]
struct Objects {
    /// By their keys below the resource's, which is the order of the store.
    by_key: BTreeMap<String, (ObjectKey, Vec<Version>)>,
    /// The number of objects that exist now.
    living: usize,
}

/// The objects of a cluster in all their kept versions.
#[derive(Debug, Default)]
pub struct Versions {
    /// By `configmaps`, `deployments.apps`.
    resources: HashMap<String, Objects>,
    /// The oldest revision that is kept.
    oldest: u64,
}

impl Versions {
    /// Begins with the objects as of a revision.
    pub(crate) fn begin(revision: u64, objects: Vec<Known>) -> Self {
        let mut versions = Self { resources: HashMap::new(), oldest: revision };
        for (key, revision, object) in objects {
            versions.push(key, revision, Some(object));
        }
        versions
    }

    /// Takes a write that is newer than all others.
    pub(crate) fn write(&mut self, write: Write) {
        self.push(write.key, write.revision, write.object);
    }

    fn push(&mut self, key: ObjectKey, revision: u64, object: Option<Stored>) {
        let objects = match self.resources.get_mut(&resource_of(&key)) {
            Some(objects) => objects,
            None => self.resources.entry(resource_of(&key)).or_default(),
        };
        let path = path_of(&key.namespace, &key.name);
        let versions = &mut objects.by_key.entry(path).or_insert_with(|| (key, Vec::new())).1;
        let lived = matches!(versions.last(), Some((_, Some(_))));
        objects.living = objects.living + usize::from(object.is_some()) - usize::from(lived);
        versions.push((revision, object));
    }

    /// Forgets the versions that were overwritten before `revision`.
    pub(crate) fn compact(&mut self, revision: u64) {
        self.oldest = self.oldest.max(revision);
        for objects in self.resources.values_mut() {
            objects.by_key.retain(|_, (_, versions)| {
                let kept = versions.partition_point(|(at, _)| *at <= revision).saturating_sub(1);
                versions.drain(..kept);
                !matches!(versions.as_slice(), [(at, None)] if *at <= revision)
            });
        }
    }

    /// Returns the oldest revision that is kept, the objects as of then, and the writes since, in order.
    pub(crate) fn backup(&self) -> (u64, Vec<Known>, Vec<Write>) {
        let (mut objects, mut writes) = (Vec::new(), Vec::new());
        for (key, versions) in self.resources.values().flat_map(|objects| objects.by_key.values()) {
            let mut lives = false;
            for (revision, object) in versions {
                match object {
                    Some(object) if *revision <= self.oldest => {
                        objects.push((key.clone(), *revision, object.clone()));
                    }
                    _ if *revision <= self.oldest => {}
                    object => {
                        let change = match (lives, object) {
                            (_, None) => Change::Deleted,
                            (true, Some(_)) => Change::Updated,
                            (false, Some(_)) => Change::Created,
                        };
                        let (revision, key, object) = (*revision, key.clone(), object.clone());
                        writes.push(Write { revision, change, key, object });
                    }
                }
                lives = object.is_some();
            }
        }
        objects.sort_unstable_by(|(a, ..), (b, ..)| a.cmp(b));
        writes.sort_unstable_by(|a, b| (a.revision, &a.key).cmp(&(b.revision, &b.key)));
        (self.oldest, objects, writes)
    }

    /// Returns the oldest revision that is kept.
    pub fn oldest(&self) -> u64 {
        self.oldest
    }

    /// Returns an object of a resource (`configmaps`, `deployments.apps`) as it was at a revision; `None` if there was
    /// none, or if the revision is not kept.
    pub fn object_at(&self, resource: &str, namespace: &str, name: &str, revision: u64) -> Option<&Stored> {
        let (_, versions) = self.resources.get(resource)?.by_key.get(&path_of(namespace, name))?;
        self.at(versions, revision)
    }

    /// Returns the objects of a resource (`configmaps`, `deployments.apps`) as they were at a revision, in the order of
    /// their keys; none if the revision is not kept.
    pub fn state_at(&self, resource: &str, revision: u64) -> impl Iterator<Item = (&ObjectKey, &Stored)> {
        let objects = self.resources.get(resource).into_iter().flat_map(|objects| objects.by_key.values());
        objects.filter_map(move |(key, versions)| Some((key, self.at(versions, revision)?)))
    }

    /// Returns the resources (`configmaps`, `deployments.apps`) of which objects are known, in no order.
    pub fn resources(&self) -> impl Iterator<Item = &str> {
        self.resources.keys().map(String::as_str)
    }

    /// Returns how many objects each resource has now that has any.
    pub fn counts(&self) -> Vec<(&str, usize)> {
        let counts = self.resources.iter().map(|(resource, objects)| (resource.as_str(), objects.living));
        let mut counts: Vec<_> = counts.filter(|(_, count)| *count > 0).collect();
        counts.sort_unstable();
        counts
    }

    /// Returns the object of a write before and after it. The outer `None` of the first says that the version before is
    /// not kept.
    pub fn around(
        &self,
        key: &ObjectKey,
        revision: u64,
    ) -> Option<(Option<Option<&Stored>>, Option<&Stored>)> {
        let objects = self.resources.get(&resource_of(key))?;
        let (_, versions) = objects.by_key.get(&path_of(&key.namespace, &key.name))?;
        let at = versions.binary_search_by_key(&revision, |(at, _)| *at).ok()?;
        let before = match at.checked_sub(1) {
            Some(before) => Some(versions[before].1.as_ref()),
            None if revision > self.oldest => Some(None),
            None => None,
        };
        Some((before, versions[at].1.as_ref()))
    }

    fn at<'a>(&self, versions: &'a [Version], revision: u64) -> Option<&'a Stored> {
        if revision < self.oldest {
            return None;
        }
        let at = versions.partition_point(|(at, _)| *at <= revision);
        versions.get(at.checked_sub(1)?)?.1.as_ref()
    }
}

/// Returns the name of an object's resource: `configmaps`, `deployments.apps`.
pub fn resource_of(key: &ObjectKey) -> String {
    let dot = if key.group.is_empty() { "" } else { "." };
    [&key.resource, dot, &key.group].concat()
}

fn path_of(namespace: &str, name: &str) -> String {
    if namespace.is_empty() { name.to_owned() } else { [namespace, "/", name].concat() }
}
