//! Where a volume is: the one source that it has.
//!
//! See <https://kubernetes.io/docs/concepts/storage/persistent-volumes/#types-of-persistent-volumes>.

use serde_json::Value;

use super::super::checks::{driver_name, named, required, required_name, subdomain, texts};
use super::super::read::{get, integer, is_true, list, map, same, text};
use super::super::values::one_of;
use crate::field::{Error, Path};
use crate::validation::name;

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
#[rustfmt::skip]
const HOST_PATH_TYPES: [&str; 8] =
    ["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"];
const CACHING_MODES: [&str; 3] = ["None", "ReadOnly", "ReadWrite"];
const DISK_KINDS: [&str; 3] = ["Dedicated", "Managed", "Shared"];
const MANAGED_DISK: &str =
    "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
const BLOB_DISK: &str = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";
const SECRETS: [&str; 4] = [
    "controllerPublishSecretRef",
    "controllerExpandSecretRef",
    "nodePublishSecretRef",
    "nodeExpandSecretRef",
];
const REGISTRY: &str = "must be a host:port pair or multiple pairs separated by commas";

/// Whether two volumes are at different places.
pub(super) fn differ(spec: &Value, old: &Value) -> bool {
    SOURCES.iter().any(|(source, ..)| {
        let (new, old) = (get(spec, source), get(old, source));
        new.is_some() != old.is_some() || !same(new, old)
    })
}

/// What is wrong with the sources of a volume called `volume`.
pub(super) fn validate(spec: &Value, volume: &str, has_affinity: bool, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut count = 0;
    for (field, again, spelled, needed) in SOURCES {
        let Some(source) = get(spec, field) else { continue };
        if count > 0 && field != "flexVolume" {
            errors.push(Error::forbidden(&path.child(again), "may not specify more than 1 volume type"));
            continue;
        }
        count += 1;
        let path_of = path.child(spelled);
        errors.extend(missing(source, needed, &path_of));
        errors.extend(one(field, source, volume, &path_of));
        if field == "local" && !has_affinity {
            let why = "Local volume requires node affinity";
            errors.push(Error::required(&path.child("nodeAffinity"), why));
        }
    }
    if count == 0 {
        errors.push(Error::required(path, "must specify a volume type"));
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
                    errors.push(Error::required(&path.child(field), ""));
                }
            }
            None => errors.extend(required(source, &[field], path)),
        }
    }
    errors
}

/// What is wrong with a source beyond what it lacks.
fn one(kind: &str, source: &Value, volume: &str, path: &Path) -> Vec<Error> {
    match kind {
        "hostPath" if !text(source, "path").is_empty() => {
            let mut errors: Vec<Error> = backsteps(source, path).into_iter().collect();
            errors.extend(one_of(source, "type", &HOST_PATH_TYPES, path));
            errors
        }
        "local" => backsteps(source, path).into_iter().collect(),
        "gcePersistentDisk" | "awsElasticBlockStore" => {
            between(source, "partition", path).into_iter().collect()
        }
        "glusterfs" => match get(source, "endpointsNamespace").and_then(Value::as_str) {
            None => Vec::new(),
            Some("") => {
                let why = "if the endpointnamespace is set, it must be a valid namespace name";
                vec![Error::invalid(&path.child("endpointsNamespace"), "", why)]
            }
            Some(namespace) => named(namespace, name::label, &path.child("endpointsNamespace")),
        },
        "flocker" => flocker(source, path),
        "nfs" => {
            let at = text(source, "path");
            let relative = !at.starts_with('/');
            let error = || Error::invalid(&path.child("path"), at, "must be an absolute path");
            relative.then(error).into_iter().collect()
        }
        "quobyte" => quobyte(source, path),
        "iscsi" => iscsi(source, volume, path),
        "fc" => fibre_channel(source, path),
        "flexVolume" => flex(source, path),
        "azureFile" => {
            let empty = get(source, "secretNamespace").is_some_and(|namespace| namespace == "");
            empty.then(|| Error::required(&path.child("secretNamespace"), "")).into_iter().collect()
        }
        "azureDisk" => azure_disk(source, path),
        "storageos" => storage_os(source, path),
        "csi" => csi(source, path),
        _ => Vec::new(),
    }
}

fn backsteps(source: &Value, path: &Path) -> Option<Error> {
    let place = text(source, "path");
    let up = place.split('/').any(|part| part == "..");
    up.then(|| Error::invalid(&path.child("path"), place, "must not contain '..'"))
}

fn between(source: &Value, field: &str, path: &Path) -> Option<Error> {
    let number = integer(source, field).filter(|number| !(0..=255).contains(number))?;
    let least = if field == "partition" { 1 } else { 0 };
    let why = format!("must be between {least} and 255, inclusive");
    Some(Error::invalid(&path.child(field), number, why))
}

fn flocker(source: &Value, path: &Path) -> Vec<Error> {
    let (dataset, uuid) = (text(source, "datasetName"), text(source, "datasetUUID"));
    let mut errors = Vec::new();
    match (dataset.is_empty(), uuid.is_empty()) {
        (true, true) => {
            errors.push(Error::required(path, "one of datasetName and datasetUUID is required"));
        }
        (false, false) => {
            let why = "datasetName and datasetUUID can not be specified simultaneously";
            errors.push(Error::invalid(path, "resource", why));
        }
        _ => {}
    }
    if dataset.contains('/') {
        errors.push(Error::invalid(&path.child("datasetName"), dataset, "must not contain '/'"));
    }
    errors
}

fn quobyte(source: &Value, path: &Path) -> Vec<Error> {
    let registry = text(source, "registry");
    let at = path.child("registry");
    let mut errors = Vec::new();
    if registry.is_empty() {
        errors.push(Error::required(&at, REGISTRY));
    } else if text(source, "tenant").len() >= 65 {
        let why = "must be a UUID and may not exceed a length of 64 characters";
        errors.push(Error::required(&path.child("tenant"), why));
    } else {
        let wrong = registry.split(',').filter(|pair| !is_host_and_port(pair));
        errors.extend(wrong.map(|_| Error::invalid(&at, registry, REGISTRY)));
    }
    errors.extend(required(source, &["volume"], path));
    errors
}

/// Whether Go would split it into a host and a port, neither of which it looks at.
fn is_host_and_port(text: &str) -> bool {
    match text.rsplit_once(':') {
        Some((host, port)) => {
            let bracketed = host.starts_with('[') && host.ends_with(']');
            !port.contains(['[', ']']) && (bracketed || !host.contains([':', '[', ']']))
        }
        None => false,
    }
}

fn iscsi(source: &Value, volume: &str, path: &Path) -> Vec<Error> {
    let portal = text(source, "targetPortal");
    let initiator = get(source, "initiatorName").and_then(Value::as_str);
    let mut errors = Vec::new();
    if initiator.is_some() && volume.len() + 1 + portal.len() > 64 {
        let why = "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if \
            iscsi.initiatorName is specified.";
        errors.push(Error::invalid(&path.child("targetportal"), portal, why));
    }
    let (iqn, at) = (text(source, "iqn"), path.child("iqn"));
    if iqn.is_empty() {
        errors.push(Error::required(&at, ""));
    } else if !is_iscsi_name(iqn).unwrap_or_default() {
        errors.push(Error::invalid(&at, iqn, "must be valid format"));
    }
    errors.extend(between(source, "lun", path));
    let secret = get(source, "secretRef");
    if secret.is_none() && (is_true(source, "chapAuthDiscovery") || is_true(source, "chapAuthSession")) {
        errors.push(Error::required(&path.child("secretRef"), ""));
    }
    if let Some(secret) = secret {
        errors.extend(required(secret, &["name"], &path.child("secretRef")));
    }
    if let Some(initiator) = initiator {
        let why = match is_iscsi_name(initiator) {
            Some(true) => return errors,
            Some(false) => "must be valid format",
            None => "must be valid format starting with iqn, eui, or naa",
        };
        errors.push(Error::invalid(&path.child("initiatorname"), initiator, why));
    }
    errors
}

/// Whether a name of a target or initiator has the form that its beginning promises. `None`: it begins in no known way.
fn is_iscsi_name(text: &str) -> Option<bool> {
    let coded = |length: usize| {
        let rest = text.get(4..).unwrap_or_default();
        text.len() == 4 + length && rest.bytes().all(|b| b.is_ascii_alphanumeric())
    };
    match text.get(..3)? {
        // The name may begin anywhere as long as it goes on to the end.
        "iqn" => Some(text.match_indices("iqn.").any(|(at, _)| is_iqn(&text[at + 4..]))),
        "eui" => Some(coded(16)),
        "naa" => Some(coded(32)),
        _ => None,
    }
}

/// The part after `iqn.`: a month, a domain, and what its owner calls the target.
fn is_iqn(rest: &str) -> bool {
    let Some((month, rest)) = rest.split_at_checked(8) else { return false };
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if !month.is_ascii() {
        return false;
    }
    let is_month = digits(&month[..4]) && &month[4..5] == "-" && digits(&month[5..7]) && month.ends_with('.');
    let owner = |c: char| !c.is_ascii_whitespace() && !",;*&$|".contains(c);
    is_month
        && rest.split_once(':').is_some_and(|(domain, target)| {
            !domain.is_empty()
                && domain.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'.')
                && !target.is_empty()
                && target.chars().all(owner)
        })
}

fn fibre_channel(source: &Value, path: &Path) -> Vec<Error> {
    let (targets, ids) = (texts(source, "targetWWNs"), texts(source, "wwids"));
    let at = path.child("targetWWNs");
    let mut errors = Vec::new();
    if targets.is_empty() && ids.is_empty() {
        errors.push(Error::required(&at, "must specify either targetWWNs or wwids, but not both"));
    }
    if targets.is_empty() {
        return errors;
    }
    if !ids.is_empty() {
        let why = "targetWWNs and wwids can not be specified simultaneously";
        errors.push(Error::invalid(&at, targets, why));
    }
    if integer(source, "lun").is_none() {
        errors.push(Error::required(&path.child("lun"), "lun is required if targetWWNs is specified"));
    }
    errors.extend(between(source, "lun", path));
    errors
}

fn flex(source: &Value, path: &Path) -> Vec<Error> {
    let options = map(source, "options").into_iter().flat_map(serde_json::Map::keys);
    let reserved = options.filter(|key| {
        let namespace = key.split('/').next().unwrap_or_default();
        let namespace = format!(".{}", namespace.to_lowercase());
        namespace.ends_with(".kubernetes.io") || namespace.ends_with(".k8s.io")
    });
    let why = "kubernetes.io and k8s.io namespaces are reserved";
    reserved.map(|key| Error::invalid(&path.child("options").key(key), key.as_str(), why)).collect()
}

fn azure_disk(source: &Value, path: &Path) -> Vec<Error> {
    let (uri, kind) = (text(source, "diskURI"), text(source, "kind"));
    let mut errors: Vec<Error> = Vec::new();
    errors.extend(one_of(source, "cachingMode", &CACHING_MODES, path));
    errors.extend(one_of(source, "kind", &DISK_KINDS, path));
    let form = match kind {
        "" => return errors,
        "Managed" if !uri.starts_with("/subscriptions/") => MANAGED_DISK,
        "Managed" => return errors,
        _ if uri.starts_with("https://") => return errors,
        _ => BLOB_DISK,
    };
    errors.push(Error::not_supported(&path.child("diskURI"), uri, &[form]));
    errors
}

fn storage_os(source: &Value, path: &Path) -> Vec<Error> {
    let mut errors = required_name(source, "volumeName", name::label, path);
    let namespace = text(source, "volumeNamespace");
    if !namespace.is_empty() {
        errors.extend(named(namespace, name::label, &path.child("volumeNamespace")));
    }
    if let Some(secret) = get(source, "secretRef") {
        errors.extend(required(secret, &["name", "namespace"], &path.child("secretRef")));
    }
    errors
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_targets() {
        let check = |text: &str, expected: Option<bool>| assert_eq!(is_iscsi_name(text), expected, "{text}");
        check("iqn.2015-02.example.com:test", Some(true));
        check("iqn.2015-02.example.com:", Some(false));
        check("iqn.15-02.example.com:test", Some(false));
        check("iqn.é", Some(false));
        check("iqn.2éééé:test", Some(false));
        check("eui.0123456789abcdef", Some(true));
        check("eui.0123", Some(false));
        check("naa.01234567890123456789012345678901", Some(true));
        check("x", None);
        check("xyz", None);
    }

    #[test]
    fn hosts_and_ports() {
        let check = |text: &str, expected: bool| assert_eq!(is_host_and_port(text), expected, "{text}");
        check("a:1", true);
        check("[::1]:1", true);
        check("a", false);
        check("a:b:1", false);
    }
}
