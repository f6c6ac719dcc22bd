//! Places of volumes that pods name themselves and PersistentVolumes too.
//!
//! See <https://kubernetes.io/docs/concepts/storage/volumes/#volume-types>.

pub(crate) mod warnings;

use json_tree::Value;

use crate::validation::checks::{named, optional_name, required, required_name, texts};
use crate::validation::name;
use crate::validation::read::{get, integer, is_true, map, text};
use crate::validation::values::one_of;
use field::{AddError, Error, Path};

const HOST_PATHS: [&str; 8] =
    ["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"];
const HOST_PORTS: &str = "must be a host:port pair or multiple pairs separated by commas";
const MANAGED_DISK: &str =
    "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
const BLOB_DISK: &str = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";

/// A file or a directory of the node, whose path is there.
pub(super) fn host_path(source: &Value, path: &Path) -> Vec<Error> {
    if text(source, "path").is_empty() {
        return Vec::new();
    }
    let mut errors: Vec<Error> = backsteps(source, path).into_iter().collect();
    errors.extend(one_of(source, "type", &HOST_PATHS, path));
    errors
}

/// The error of a path with `..` as one of its parts.
pub(super) fn backsteps(source: &Value, path: &Path) -> Option<Error> {
    let place = text(source, "path");
    let up = place.split('/').any(|part| part == "..");
    up.then(|| Error::invalid(path.child("path"), place, "must not contain '..'"))
}

/// A part of a disk; none is fine too, though the message leaves that out.
pub(super) fn partition(source: &Value, path: &Path) -> Vec<Error> {
    between(source, "partition", 1, path).into_iter().collect()
}

fn between(source: &Value, field: &str, least: u8, path: &Path) -> Option<Error> {
    let number = integer(source, field).filter(|number| !(0..=255).contains(number))?;
    let why = format!("must be between {least} and 255, inclusive");
    Some(Error::invalid(path.named(field), number, why))
}

pub(super) fn nfs(source: &Value, path: &Path) -> Vec<Error> {
    let place = text(source, "path");
    let relative = !place.starts_with('/');
    let error = || Error::invalid(path.child("path"), place, "must be an absolute path");
    relative.then(error).into_iter().collect()
}

/// The owner of an iSCSI target: a PersistentVolume's target has special rules.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    OfPod,
    OfPersistentVolume,
}

/// A target of iSCSI, and who one is to it.
pub(super) fn iscsi(source: &Value, target: Target, path: &Path) -> Vec<Error> {
    const ANY: &str = "must be valid format";
    const BEGINNING: &str = "must be valid format starting with iqn, eui, or naa";
    let complaint = |name: &str, unknown: &'static str| match name.get(..3) {
        Some("iqn") if is_iqn(name) => None,
        Some("eui") if is_numbered(name, 16) => None,
        Some("naa") if is_numbered(name, 32) => None,
        Some("iqn" | "eui" | "naa") => Some(ANY),
        _ => Some(unknown),
    };
    let (iqn, persistent) = (text(source, "iqn"), target == Target::OfPersistentVolume);
    let mut errors = required(source, &["iqn"], path);
    if !iqn.is_empty() {
        let why = complaint(iqn, if persistent { ANY } else { BEGINNING });
        errors.extend(why.map(|why| Error::invalid(path.child("iqn"), iqn, why)));
    }
    errors.extend(between(source, "lun", 0, path));
    let (secret, at_secret) = (get(source, "secretRef"), path.child("secretRef"));
    match secret {
        None if is_true(source, "chapAuthDiscovery") || is_true(source, "chapAuthSession") => {
            errors.required(&at_secret, "");
        }
        Some(secret) if persistent => errors.extend(required(secret, &["name"], &at_secret)),
        _ => {}
    }
    if let Some(initiator) = get(source, "initiatorName").and_then(Value::as_str) {
        let why = complaint(initiator, if persistent { ANY } else { BEGINNING });
        errors.extend(why.map(|why| Error::invalid(path.child("initiatorname"), initiator, why)));
    }
    errors
}

/// The error of a volume whose name is too long for what it says of itself to its target.
pub(super) fn initiator_length(source: &Value, volume: &str, path: &Path, value: &str) -> Option<Error> {
    get(source, "initiatorName")?;
    let why = "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if \
        iscsi.initiatorName is specified.";
    let long = volume.len() + 1 + text(source, "targetPortal").len() > 64;
    long.then(|| Error::invalid(path, value, why))
}

/// `iqn.2001-04.com.example:storage`
fn is_iqn(name: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let rest_of = |rest: &str| {
        let (date, rest) = rest.split_once('.')?;
        let (year, month) = date.split_once('-')?;
        let (authority, unique) = rest.split_once(':')?;
        let fine = year.len() == 4 && digits(year) && month.len() == 2 && digits(month);
        let named = authority.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
        let unique_fine =
            !unique.contains([',', ';', '*', '&', '$', '|']) && !unique.contains(char::is_whitespace);
        Some(fine && named && !authority.is_empty() && unique_fine && !unique.is_empty())
    };
    name.match_indices("iqn.").any(|(start, found)| rest_of(&name[start + found.len()..]).unwrap_or_default())
}

/// A name of three letters, another character and so many letters and digits.
fn is_numbered(name: &str, count: usize) -> bool {
    let mut rest = name.chars().skip(3);
    let any = rest.next().is_some_and(|c| c != '\n');
    any && rest.clone().count() == count && rest.all(|c| c.is_ascii_alphanumeric())
}

pub(super) fn flocker(source: &Value, path: &Path) -> Vec<Error> {
    let (dataset, uuid) = (text(source, "datasetName"), text(source, "datasetUUID"));
    let mut errors = Vec::new();
    match (dataset.is_empty(), uuid.is_empty()) {
        (true, true) => {
            errors.required(path, "one of datasetName and datasetUUID is required");
        }
        (false, false) => {
            let why = "datasetName and datasetUUID can not be specified simultaneously";
            errors.invalid(path, "resource", why);
        }
        _ => {}
    }
    if dataset.contains('/') {
        errors.invalid(path.child("datasetName"), dataset, "must not contain '/'");
    }
    errors
}

pub(super) fn quobyte(source: &Value, path: &Path) -> Vec<Error> {
    let (registry, at) = (text(source, "registry"), path.child("registry"));
    let mut errors = Vec::new();
    if registry.is_empty() {
        errors.required(&at, HOST_PORTS);
    } else if text(source, "tenant").len() >= 65 {
        let why = "must be a UUID and may not exceed a length of 64 characters";
        errors.required(path.child("tenant"), why);
    } else {
        let wrong = registry.split(',').filter(|pair| !is_host_and_port(pair));
        errors.extend(wrong.map(|_| Error::invalid(&at, registry, HOST_PORTS)));
    }
    errors.extend(required(source, &["volume"], path));
    errors
}

/// Returns whether Go would split the text into a host and a port. Go checks neither of them.
fn is_host_and_port(text: &str) -> bool {
    match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, port)) => {
            let port = port.strip_prefix(':');
            port.is_some_and(|port| !port.contains([':', '[', ']'])) && !host.contains('[')
        }
        None => text.matches(':').count() == 1 && !text.contains(['[', ']']),
    }
}

pub(super) fn fibre_channel(source: &Value, path: &Path) -> Vec<Error> {
    let (targets, ids) = (texts(source, "targetWWNs"), texts(source, "wwids"));
    let at = path.child("targetWWNs");
    let mut errors = Vec::new();
    if targets.is_empty() && ids.is_empty() {
        errors.required(&at, "must specify either targetWWNs or wwids, but not both");
    }
    if targets.is_empty() {
        return errors;
    }
    if !ids.is_empty() {
        let why = "targetWWNs and wwids can not be specified simultaneously";
        errors.invalid(&at, targets, why);
    }
    if get(source, "lun").is_none() {
        errors.required(path.child("lun"), "lun is required if targetWWNs is specified");
    }
    errors.extend(between(source, "lun", 0, path));
    errors
}

pub(super) fn flex(source: &Value, path: &Path) -> Vec<Error> {
    let options = map(source, "options").into_iter().flat_map(json_tree::Map::keys);
    let reserved = options.filter(|key| {
        let namespace = key.split('/').next().unwrap_or_default();
        let namespace = format!(".{}", namespace.to_ascii_lowercase());
        namespace.ends_with(".kubernetes.io") || namespace.ends_with(".k8s.io")
    });
    let why = "kubernetes.io and k8s.io namespaces are reserved";
    reserved.map(|key| Error::invalid(path.child("options").key(key), key.as_str(), why)).collect()
}

pub(super) fn azure_disk(source: &Value, path: &Path) -> Vec<Error> {
    let mut errors: Vec<Error> = Vec::new();
    errors.extend(one_of(source, "cachingMode", &["None", "ReadOnly", "ReadWrite"], path));
    errors.extend(one_of(source, "kind", &["Dedicated", "Managed", "Shared"], path));
    let (kind, uri) = (get(source, "kind").and_then(Value::as_str), text(source, "diskURI"));
    let expected = match kind {
        Some("Managed") if !uri.starts_with("/subscriptions/") => MANAGED_DISK,
        Some(kind) if kind != "Managed" && !uri.starts_with("https://") => BLOB_DISK,
        _ => return errors,
    };
    errors.not_supported(path.child("diskURI"), uri, &[expected]);
    errors
}

/// A volume of StorageOS; `secret` are the fields that a reference to a secret has to have.
pub(super) fn storage_os(source: &Value, secret: &[&'static str], path: &Path) -> Vec<Error> {
    let mut errors = required_name(source, "volumeName", name::label, path);
    errors.extend(optional_name(source, "volumeNamespace", name::label, path));
    if let Some(reference) = get(source, "secretRef") {
        errors.extend(required(reference, secret, &path.child("secretRef")));
    }
    errors
}

/// The namespace of the endpoints of GlusterFS, which must be one if it is there.
pub(super) fn glusterfs(source: &Value, path: &Path) -> Vec<Error> {
    let at = path.child("endpointsNamespace");
    match get(source, "endpointsNamespace").and_then(Value::as_str) {
        None => Vec::new(),
        Some("") => {
            let why = "if the endpointnamespace is set, it must be a valid namespace name";
            vec![Error::invalid(&at, "", why)]
        }
        Some(namespace) => named(namespace, name::label, &at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_targets() {
        let check = |text: &str, expected: bool| {
            let found = is_iqn(text) || is_numbered(text, if text.starts_with("eui") { 16 } else { 32 });
            assert_eq!(found, expected, "{text}");
        };
        check("iqn.2015-02.example.com:test", true);
        check("iqn.2015-02.example.com:", false);
        check("iqn.15-02.example.com:test", false);
        check("iqn.é", false);
        check("iqn.2éééé:test", false);
        check("eui.0123456789abcdef", true);
        check("eui.0123", false);
        check("naa.01234567890123456789012345678901", true);
        check("x", false);
    }

    #[test]
    fn hosts_and_ports() {
        let check = |text: &str, expected: bool| assert_eq!(is_host_and_port(text), expected, "{text}");
        check("a:1", true);
        check("[::1]:1", true);
        check("a", false);
        check("a:b:1", false);
        check("[::1]", false);
        check("[::1]x:1", false);
        check("[a]b]:1", false);
    }
}
