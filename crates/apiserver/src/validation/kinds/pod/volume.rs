//! The volumes of a pod.

use std::collections::HashSet;

use serde_json::Value;

use crate::field::{Error, Path};
use crate::validation::{
    kinds::read::{get, text},
    name,
};

/// The types of volumes, in the order in which the API server looks for them, and the field without which a type
/// says nothing.
const TYPES: [(&str, &str); 16] = [
    ("emptyDir", ""),
    ("hostPath", "path"),
    ("gitRepo", "repository"),
    ("gcePersistentDisk", "pdName"),
    ("awsElasticBlockStore", "volumeID"),
    ("secret", "secretName"),
    ("nfs", "server"),
    ("iscsi", "targetPortal"),
    ("configMap", "name"),
    ("cephfs", ""),
    ("persistentVolumeClaim", "claimName"),
    ("downwardAPI", ""),
    ("fc", ""),
    ("projected", ""),
    ("csi", "driver"),
    ("ephemeral", "volumeClaimTemplate"),
];

/// What is wrong with `volumes`, and the names of those that are right.
pub(super) fn validate<'a>(volumes: &'a [Value], path: &Path) -> (Vec<Error>, HashSet<&'a str>) {
    let (mut errors, mut names) = (Vec::new(), HashSet::new());
    for (index, volume) in volumes.iter().enumerate() {
        let path = path.index(index);
        let mut of_volume = source(volume, &path);
        let (at, this) = (path.child("name"), text(volume, "name"));
        if this.is_empty() {
            of_volume.push(Error::required(&at, ""));
        } else {
            of_volume.extend(name::label(this).into_iter().map(|why| Error::invalid(&at, this, why)));
        }
        if names.contains(this) {
            of_volume.push(Error::duplicate(&at, this));
        }
        if of_volume.is_empty() {
            names.insert(this);
        }
        errors.extend(of_volume);
    }
    (errors, names)
}

fn source(volume: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut given = TYPES.into_iter().filter_map(|(kind, field)| Some((kind, field, get(volume, kind)?)));
    if let Some((kind, field, source)) = given.next()
        && !field.is_empty()
        && get(source, field).is_none_or(|value| value == "")
    {
        errors.push(Error::required(&path.child(kind).child(field), ""));
    }
    let why = "may not specify more than 1 volume type";
    errors.extend(given.map(|(kind, ..)| Error::forbidden(&path.child(kind), why)));
    errors
}
