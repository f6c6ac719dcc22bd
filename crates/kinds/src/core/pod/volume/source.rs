//! Validation of volume sources.
//!
//! See <https://kubernetes.io/docs/concepts/storage/volumes/#volume-types>.

use json_tree::Value;
use schema::quantity::Quantity;

use super::super::check::{Errors, descending_path, is_blank, required, well_formed};
use super::{claim, files};
use crate::core::volume_source;
use crate::core::volume_source::Target;
use crate::validation::checks::driver_name;
use crate::validation::name;
use crate::validation::read::{at, get, text};
use crate::validation::values::one_of;
use field::{AddError, Error, Path};

/// One way to make a volume.
struct Source {
    field: &'static str,
    /// The name of the field in the error about more than one source, which has a slip here and there.
    another: &'static str,
    /// The name of the field in other errors.
    place: &'static str,
    /// The fields that are required.
    required: &'static [&'static str],
    /// The other checks of the source.
    check: fn(&Value, &Path) -> Vec<Error>,
}

const fn of(field: &'static str, required: &'static [&'static str]) -> Source {
    Source { field, another: field, place: field, required, check: |_, _| Vec::new() }
}

const fn checked(
    field: &'static str,
    required: &'static [&'static str],
    check: fn(&Value, &Path) -> Vec<Error>,
) -> Source {
    Source { check, ..of(field, required) }
}

/// In the order in which kube-apiserver looks for them.
#[rustfmt::skip]
const SOURCES: &[Source] = &[
    checked("emptyDir", &[], empty_dir),
    checked("hostPath", &["path"], volume_source::host_path),
    checked("gitRepo", &["repository"], git_repo),
    Source { place: "persistentDisk", ..checked("gcePersistentDisk", &["pdName"], volume_source::partition) },
    checked("awsElasticBlockStore", &["volumeID"], volume_source::partition),
    checked("secret", &["secretName"], |source, path| collected(files::keys, source, path)),
    checked("nfs", &["server", "path"], volume_source::nfs),
    checked("iscsi", &["targetPortal"], |source, path| volume_source::iscsi(source, Target::OfPod, path)),
    of("glusterfs", &["endpoints", "path"]),
    checked("flocker", &[], volume_source::flocker),
    of("persistentVolumeClaim", &["claimName"]),
    of("rbd", &["monitors", "image"]),
    checked("cinder", &["volumeID"], secret_name),
    Source { another: "cephFS", ..of("cephfs", &["monitors"]) },
    checked("quobyte", &[], volume_source::quobyte),
    Source { another: "downwarAPI", ..checked("downwardAPI", &[], |source, path| collected(files::downward, source, path)) },
    checked("fc", &[], volume_source::fibre_channel),
    checked("flexVolume", &["driver"], volume_source::flex),
    checked("configMap", &["name"], |source, path| collected(files::keys, source, path)),
    of("azureFile", &["secretName", "shareName"]),
    of("vsphereVolume", &["volumePath"]),
    of("photonPersistentDisk", &["pdID"]),
    of("portworxVolume", &["volumeID"]),
    checked("azureDisk", &["diskName", "diskURI"], volume_source::azure_disk),
    checked("storageos", &[], |source, path| volume_source::storage_os(source, &["name"], path)),
    checked("projected", &[], |source, path| collected(files::projected, source, path)),
    of("scaleIO", &["gateway", "system", "volumeName"]),
    checked("csi", &[], csi),
    checked("ephemeral", &["volumeClaimTemplate"], ephemeral),
    checked("image", &[], image),
];

/// A volume has one source; one that says nothing is an empty directory by default. `claim` is the name of the claim that an ephemeral one is given.
pub(super) fn validate(volume: &Value, claim: Option<&str>, in_pod: bool, path: &Path, errors: &mut Errors) {
    let this = text(volume, "name");
    let mut given = 0;
    for source in SOURCES {
        let Some(value) = get(volume, source.field) else { continue };
        given += 1;
        if given > 1 {
            errors.forbidden(path.child(source.another), "may not specify more than 1 volume type");
        } else {
            let at = path.child(source.place);
            required(value, source.required, &at, errors);
            if in_pod && source.field == "image" {
                required(value, &["reference"], &at, errors);
            }
            errors.extend((source.check)(value, &at));
        }
        if source.field == "iscsi" {
            errors.extend(volume_source::initiator_length(value, this, &path.child("name"), this));
        }
        if given == 1
            && source.field == "ephemeral"
            && let Some(claim) = claim.filter(|_| !this.is_empty())
        {
            let quoted = field::quote(claim);
            let why = name::subdomain(claim).into_iter().map(|why| format!("PVC name {quoted}: {why}"));
            errors.extend(why.map(|why| Error::invalid(path.child("name"), this, why)));
        }
    }
}

/// Returns the errors that a check adds.
fn collected(check: fn(&Value, &Path, &mut Errors), source: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    check(source, path, &mut errors);
    errors
}

fn empty_dir(source: &Value, path: &Path) -> Vec<Error> {
    let limit = get(source, "sizeLimit").and_then(Quantity::of);
    let negative = limit.is_some_and(|limit| Quantity::count(0).exceeds(&limit));
    let why = "SizeLimit field must be a valid resource quantity";
    negative.then(|| Error::forbidden(path.child("sizeLimit"), why)).into_iter().collect()
}

fn git_repo(source: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    descending_path(text(source, "directory"), &path.child("directory"), &mut errors);
    errors
}

fn secret_name(source: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    if let Some(secret) = get(source, "secretRef") {
        required(secret, &["name"], &path.child("secretRef"), &mut errors);
    }
    errors
}

fn csi(source: &Value, path: &Path) -> Vec<Error> {
    let mut errors = driver_name(text(source, "driver"), &path.child("driver"));
    if let Some(secret) = get(source, "nodePublishSecretRef") {
        required(secret, &["name"], &path.child("nodePublishSecretRef"), &mut errors);
        if !is_blank(secret, "name") {
            // The message places this at the source.
            well_formed(text(secret, "name"), name::subdomain, &path.child("name"), &mut errors);
        }
    }
    errors
}

fn ephemeral(source: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    if get(source, "volumeClaimTemplate").is_some() {
        let path = path.child("volumeClaimTemplate");
        claim::template(at(source, "/volumeClaimTemplate"), &path, &mut errors);
    }
    errors
}

fn image(source: &Value, path: &Path) -> Vec<Error> {
    one_of(source, "pullPolicy", &["Always", "IfNotPresent", "Never"], path).into_iter().collect()
}
