//! The source of a PersistentVolume: it has exactly one.
//!
//! See <https://kubernetes.io/docs/concepts/storage/persistent-volumes/#types-of-persistent-volumes>.

use json_tree::Value;

use super::super::volume_source::{self, Target};
use crate::validation::checks::{driver_name, required, required_name, subdomain};
use crate::validation::name;
use crate::validation::read::{get, list, same, text};
use field::{AddError, Error, Path};

/// A field of a source that must be there; `secretRef.name` only if there is a `secretRef`.
type Required = &'static [&'static str];

/// The sources, in the order in which the API server looks for them, how the path of one is spelled where there is one
/// too many, how it is spelled otherwise, and what must be in it.
#[rustfmt::skip]
const SOURCES: [(&str, &str, &str, Required); 22] = [
    ("hostPath", "hostPath", "hostPath", &["path"]),
    ("gcePersistentDisk", "gcePersistentDisk", "persistentDisk", &["pdName"]),
    ("awsElasticBlockStore", "awsElasticBlockStore", "awsElasticBlockStore", &["volumeID"]),
    ("glusterfs", "glusterfs", "glusterfs", &["endpoints", "path"]),
    ("flocker", "flocker", "flocker", &[]),
    ("nfs", "nfs", "nfs", &["server", "path"]),
    ("rbd", "rbd", "rbd", &["monitors", "image"]),
    ("quobyte", "quobyte", "quobyte", &[]),
    ("cephfs", "cephFS", "cephfs", &["monitors"]),
    ("iscsi", "iscsi", "iscsi", &["targetPortal"]),
    ("cinder", "cinder", "cinder", &["volumeID", "secretRef.name", "secretRef.namespace"]),
    ("fc", "fc", "fc", &[]),
    ("flexVolume", "flexVolume", "flexVolume", &["driver"]),
    ("azureFile", "azureFile", "azureFile", &["secretName", "shareName"]),
    ("vsphereVolume", "vsphereVolume", "vsphereVolume", &["volumePath"]),
    ("photonPersistentDisk", "photonPersistentDisk", "photonPersistentDisk", &["pdID"]),
    ("portworxVolume", "portworxVolume", "portworxVolume", &["volumeID"]),
    ("azureDisk", "azureDisk", "azureDisk", &["diskName", "diskURI"]),
    ("scaleIO", "scaleIO", "scaleIO", &["gateway", "system", "volumeName"]),
    ("local", "local", "local", &["path"]),
    ("storageos", "storageos", "storageos", &[]),
    ("csi", "csi", "csi", &[]),
];
const SECRETS: [&str; 4] = [
    "controllerPublishSecretRef",
    "controllerExpandSecretRef",
    "nodePublishSecretRef",
    "nodeExpandSecretRef",
];
/// Returns whether two volumes have different sources.
pub(super) fn differ(spec: &Value, old: &Value) -> bool {
    SOURCES.iter().any(|(source, ..)| {
        let (new, old) = (get(spec, source), get(old, source));
        new.is_some() != old.is_some() || !same(new, old)
    })
}

/// Validates the sources of a volume called `volume`.
pub(super) fn validate(spec: &Value, volume: &str, has_affinity: bool, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut count = 0;
    for (field, again, spelled, needed) in SOURCES {
        let Some(source) = get(spec, field) else { continue };
        if count > 0 && field != "flexVolume" {
            errors.forbidden(path.child(again), "may not specify more than 1 volume type");
            continue;
        }
        count += 1;
        let path_of = path.child(spelled);
        errors.extend(missing(source, needed, &path_of));
        errors.extend(one(field, source, volume, &path_of));
        if field == "local" && !has_affinity {
            let why = "Local volume requires node affinity";
            errors.required(path.child("nodeAffinity"), why);
        }
    }
    if count == 0 {
        errors.required(path, "must specify a volume type");
    }
    errors
}

fn missing(source: &Value, needed: Required, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    for field in needed {
        match field.split_once('.') {
            Some((outer, inner)) => {
                let inner = get(source, outer).map(|value| required(value, &[inner], &path.child(outer)));
                errors.extend(inner.into_iter().flatten());
            }
            None if *field == "monitors" => {
                if list(source, field).is_empty() {
                    errors.required(path.child(field), "");
                }
            }
            None => errors.extend(required(source, &[field], path)),
        }
    }
    errors
}

/// Validates a source, apart from its required fields.
fn one(kind: &str, source: &Value, volume: &str, path: &Path) -> Vec<Error> {
    match kind {
        "hostPath" => volume_source::host_path(source, path),
        "local" => volume_source::backsteps(source, path).into_iter().collect(),
        "gcePersistentDisk" | "awsElasticBlockStore" => volume_source::partition(source, path),
        "glusterfs" => volume_source::glusterfs(source, path),
        "flocker" => volume_source::flocker(source, path),
        "nfs" => volume_source::nfs(source, path),
        "quobyte" => volume_source::quobyte(source, path),
        "iscsi" => {
            let (portal, at) = (text(source, "targetPortal"), path.child("targetportal"));
            let long = volume_source::initiator_length(source, volume, &at, portal);
            let mut errors: Vec<Error> = long.into_iter().collect();
            errors.extend(volume_source::iscsi(source, Target::OfPersistentVolume, path));
            errors
        }
        "fc" => volume_source::fibre_channel(source, path),
        "flexVolume" => volume_source::flex(source, path),
        "azureFile" => {
            let empty = get(source, "secretNamespace").is_some_and(|namespace| namespace == "");
            empty.then(|| Error::required(path.child("secretNamespace"), "")).into_iter().collect()
        }
        "azureDisk" => volume_source::azure_disk(source, path),
        "storageos" => volume_source::storage_os(source, &["name", "namespace"], path),
        "csi" => csi(source, path),
        _ => Vec::new(),
    }
}

fn csi(source: &Value, path: &Path) -> Vec<Error> {
    let mut errors = driver_name(text(source, "driver"), &path.child("driver"));
    errors.extend(required(source, &["volumeHandle"], path));
    for field in SECRETS {
        if let Some(secret) = get(source, field) {
            let path = path.child(field);
            errors.extend(required_name(secret, "name", subdomain, &path));
            errors.extend(required_name(secret, "namespace", name::label, &path));
        }
    }
    errors
}
