//! Where a volume comes from.
//!
//! See <https://kubernetes.io/docs/concepts/storage/volumes/#volume-types>.

use serde_json::{Map, Value};

use super::super::check::{
    Errors, choice, descending_path, in_range, is_blank, named, no_backsteps, required, required_name,
    set_choice, well_formed,
};
use super::{claim, files};
use crate::defaults::quantity::Quantity;
use crate::field::{Error, Path};
use crate::validation::{
    kinds::read::{at, get, is_true, list, map, text},
    name,
};

/// One way to make a volume.
struct Source {
    field: &'static str,
    /// Its place in the message of one too many, which has a slip here and there.
    another: &'static str,
    /// Its place in other messages.
    place: &'static str,
    /// What it does not do without.
    required: &'static [&'static str],
    /// What else is checked.
    check: fn(&Value, &Path, &mut Errors),
}

const fn of(field: &'static str, required: &'static [&'static str]) -> Source {
    Source { field, another: field, place: field, required, check: |_, _, _| {} }
}

const fn checked(
    field: &'static str,
    required: &'static [&'static str],
    check: fn(&Value, &Path, &mut Errors),
) -> Source {
    Source { check, ..of(field, required) }
}

/// In the order in which kube-apiserver looks for them.
#[rustfmt::skip]
const SOURCES: &[Source] = &[
    checked("emptyDir", &[], empty_dir),
    checked("hostPath", &["path"], host_path),
    checked("gitRepo", &["repository"], git_repo),
    Source { place: "persistentDisk", ..checked("gcePersistentDisk", &["pdName"], partition) },
    checked("awsElasticBlockStore", &["volumeID"], partition),
    checked("secret", &["secretName"], files::keys),
    checked("nfs", &["server", "path"], nfs),
    checked("iscsi", &["targetPortal"], iscsi),
    of("glusterfs", &["endpoints", "path"]),
    checked("flocker", &[], flocker),
    of("persistentVolumeClaim", &["claimName"]),
    of("rbd", &["monitors", "image"]),
    checked("cinder", &["volumeID"], secret_name),
    Source { another: "cephFS", ..of("cephfs", &["monitors"]) },
    checked("quobyte", &[], quobyte),
    Source { another: "downwarAPI", ..checked("downwardAPI", &[], files::downward) },
    checked("fc", &[], fibre_channel),
    checked("flexVolume", &["driver"], flex),
    checked("configMap", &["name"], files::keys),
    of("azureFile", &["secretName", "shareName"]),
    of("vsphereVolume", &["volumePath"]),
    of("photonPersistentDisk", &["pdID"]),
    of("portworxVolume", &["volumeID"]),
    checked("azureDisk", &["diskName", "diskURI"], azure_disk),
    checked("storageos", &[], storage_os),
    checked("projected", &[], files::projected),
    of("scaleIO", &["gateway", "system", "volumeName"]),
    checked("csi", &["driver"], csi),
    checked("ephemeral", &["volumeClaimTemplate"], ephemeral),
    checked("image", &[], image),
];

const HOST_PATHS: [&str; 8] =
    ["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"];
const HOST_PORTS: &str = "must be a host:port pair or multiple pairs separated by commas";

/// A volume has one source; one that says nothing is an empty directory by default. `claim` is the name of the claim that an ephemeral one is given.
pub(super) fn validate(volume: &Value, claim: Option<&str>, in_pod: bool, path: &Path, errors: &mut Errors) {
    let this = text(volume, "name");
    let mut given = 0;
    for source in SOURCES {
        let Some(value) = get(volume, source.field) else { continue };
        given += 1;
        if given > 1 {
            errors.push(Error::forbidden(
                &path.child(source.another),
                "may not specify more than 1 volume type",
            ));
        } else {
            let at = path.child(source.place);
            required(value, source.required, &at, errors);
            if in_pod && source.field == "image" {
                required(value, &["reference"], &at, errors);
            }
            (source.check)(value, &at, errors);
        }
        let portal = text(value, "targetPortal");
        if source.field == "iscsi"
            && get(value, "initiatorName").is_some()
            && this.len() + 1 + portal.len() > 64
        {
            let why = "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if \
                iscsi.initiatorName is specified.";
            errors.push(Error::invalid(&path.child("name"), this, why));
        }
        if given == 1
            && source.field == "ephemeral"
            && let Some(claim) = claim.filter(|_| !this.is_empty())
        {
            let quoted = crate::field::quote(claim);
            let why = name::subdomain(claim).into_iter().map(|why| format!("PVC name {quoted}: {why}"));
            errors.extend(why.map(|why| Error::invalid(&path.child("name"), this, why)));
        }
    }
}

fn empty_dir(source: &Value, path: &Path, errors: &mut Errors) {
    let limit = get(source, "sizeLimit").and_then(Value::as_str).and_then(Quantity::parse);
    if limit.is_some_and(|limit| Quantity::count(0).exceeds(limit)) {
        let why = "SizeLimit field must be a valid resource quantity";
        errors.push(Error::forbidden(&path.child("sizeLimit"), why));
    }
}

fn host_path(source: &Value, path: &Path, errors: &mut Errors) {
    if !text(source, "path").is_empty() {
        no_backsteps(text(source, "path"), &path.child("path"), errors);
        set_choice(source, "type", &HOST_PATHS, path, errors);
    }
}

fn git_repo(source: &Value, path: &Path, errors: &mut Errors) {
    descending_path(text(source, "directory"), &path.child("directory"), errors);
}

fn partition(source: &Value, path: &Path, errors: &mut Errors) {
    let before = errors.len();
    in_range(source, "partition", (0, 255), path, errors);
    // The message leaves out that none is fine too.
    for error in &mut errors[before..] {
        error.detail = "must be between 1 and 255, inclusive".to_owned();
    }
}

fn nfs(source: &Value, path: &Path, errors: &mut Errors) {
    if !text(source, "path").starts_with('/') {
        errors.push(Error::invalid(&path.child("path"), text(source, "path"), "must be an absolute path"));
    }
}

fn iscsi(source: &Value, path: &Path, errors: &mut Errors) {
    required(source, &["iqn"], path, errors);
    let initiator = get(source, "initiatorName").and_then(Value::as_str);
    let names = [Some(text(source, "iqn")).filter(|name| !name.is_empty()), initiator];
    for (index, (name, field)) in names.into_iter().zip(["iqn", "initiatorname"]).enumerate() {
        if index == 1 {
            in_range(source, "lun", (0, 255), path, errors);
            let authenticates = is_true(source, "chapAuthDiscovery") || is_true(source, "chapAuthSession");
            if authenticates && get(source, "secretRef").is_none() {
                errors.push(Error::required(&path.child("secretRef"), ""));
            }
        }
        let Some(name) = name else { continue };
        let why = match name.get(..3) {
            Some("iqn") if is_iqn(name) => continue,
            Some("eui") if is_numbered(name, 16) => continue,
            Some("naa") if is_numbered(name, 32) => continue,
            Some("iqn" | "eui" | "naa") => "must be valid format",
            _ => "must be valid format starting with iqn, eui, or naa",
        };
        errors.push(Error::invalid(&path.child(field), name, why));
    }
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

fn flocker(source: &Value, path: &Path, errors: &mut Errors) {
    let (name, uuid) = (text(source, "datasetName"), text(source, "datasetUUID"));
    match (name.is_empty(), uuid.is_empty()) {
        (true, true) => {
            errors.push(Error::required(path, "one of datasetName and datasetUUID is required"));
        }
        (false, false) => {
            let why = "datasetName and datasetUUID can not be specified simultaneously";
            errors.push(Error::invalid(path, "resource", why));
        }
        _ => {}
    }
    if name.contains('/') {
        errors.push(Error::invalid(&path.child("datasetName"), name, "must not contain '/'"));
    }
}

fn secret_name(source: &Value, path: &Path, errors: &mut Errors) {
    if let Some(secret) = get(source, "secretRef") {
        required(secret, &["name"], &path.child("secretRef"), errors);
    }
}

fn quobyte(source: &Value, path: &Path, errors: &mut Errors) {
    let registry = text(source, "registry");
    if registry.is_empty() {
        errors.push(Error::required(&path.child("registry"), HOST_PORTS));
    } else if text(source, "tenant").len() >= 65 {
        let why = "must be a UUID and may not exceed a length of 64 characters";
        errors.push(Error::required(&path.child("tenant"), why));
    } else {
        let wrong = registry.split(',').filter(|pair| !is_host_port(pair));
        errors.extend(wrong.map(|_| Error::invalid(&path.child("registry"), registry, HOST_PORTS)));
    }
    required(source, &["volume"], path, errors);
}

fn is_host_port(text: &str) -> bool {
    match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, port)) => port.starts_with(':') && !port[1..].contains(':') && !host.contains(['[', ']']),
        None => text.matches(':').count() == 1 && !text.contains(['[', ']']),
    }
}

fn fibre_channel(source: &Value, path: &Path, errors: &mut Errors) {
    let (targets, wwids) = (list(source, "targetWWNs"), list(source, "wwids"));
    let at = path.child("targetWWNs");
    if targets.is_empty() && wwids.is_empty() {
        errors.push(Error::required(&at, "must specify either targetWWNs or wwids, but not both"));
    }
    if !targets.is_empty() && !wwids.is_empty() {
        let why = "targetWWNs and wwids can not be specified simultaneously";
        errors.push(Error::invalid(&at, targets.to_vec(), why));
    }
    if !targets.is_empty() {
        if get(source, "lun").is_none() {
            errors.push(Error::required(&path.child("lun"), "lun is required if targetWWNs is specified"));
        }
        in_range(source, "lun", (0, 255), path, errors);
    }
}

fn flex(source: &Value, path: &Path, errors: &mut Errors) {
    for key in map(source, "options").into_iter().flat_map(Map::keys) {
        let namespace = key.split('/').next().unwrap_or_default().to_lowercase();
        let namespace = format!(".{namespace}");
        if namespace.ends_with(".kubernetes.io") || namespace.ends_with(".k8s.io") {
            let why = "kubernetes.io and k8s.io namespaces are reserved";
            errors.push(Error::invalid(&path.child("options").key(key), key.as_str(), why));
        }
    }
}

fn azure_disk(source: &Value, path: &Path, errors: &mut Errors) {
    set_choice(source, "cachingMode", &["None", "ReadOnly", "ReadWrite"], path, errors);
    set_choice(source, "kind", &["Dedicated", "Managed", "Shared"], path, errors);
    let (kind, uri) = (get(source, "kind").and_then(Value::as_str), text(source, "diskURI"));
    let expected = match kind {
        Some("Managed") if !uri.starts_with("/subscriptions/") => {
            "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"
        }
        Some(kind) if kind != "Managed" && !uri.starts_with("https://") => {
            "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"
        }
        _ => return,
    };
    errors.push(Error::not_supported(&path.child("diskURI"), uri, &[expected]));
}

fn storage_os(source: &Value, path: &Path, errors: &mut Errors) {
    required_name(source, "volumeName", name::label, path, errors);
    named(source, "volumeNamespace", name::label, path, errors);
    secret_name(source, path, errors);
}

fn csi(source: &Value, path: &Path, errors: &mut Errors) {
    let driver = text(source, "driver");
    let at = path.child("driver");
    if driver.len() > 63 {
        errors.push(Error::too_long(&at, 63));
    }
    let complaints = name::subdomain(&driver.to_lowercase());
    errors.extend(complaints.into_iter().map(|why| Error::invalid(&at, driver, why)));
    if let Some(secret) = get(source, "nodePublishSecretRef") {
        required(secret, &["name"], &path.child("nodePublishSecretRef"), errors);
        if !is_blank(secret, "name") {
            // The message places this at the source.
            well_formed(text(secret, "name"), name::subdomain, &path.child("name"), errors);
        }
    }
}

fn ephemeral(source: &Value, path: &Path, errors: &mut Errors) {
    if get(source, "volumeClaimTemplate").is_some() {
        claim::template(at(source, "/volumeClaimTemplate"), &path.child("volumeClaimTemplate"), errors);
    }
}

fn image(source: &Value, path: &Path, errors: &mut Errors) {
    choice(source, "pullPolicy", &["Always", "IfNotPresent", "Never"], path, errors);
}
