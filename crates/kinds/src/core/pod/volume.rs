//! The volumes of a pod.
//!
//! See <https://kubernetes.io/docs/concepts/storage/volumes/>.

mod claim;
mod files;
mod source;

use std::collections::{HashMap, HashSet};

use json_tree::Value;

use super::check::{Errors, child, each, required_name};
use crate::validation::name;
use crate::validation::read::{at, get, text};
use field::{AddError, Path};

/// Checks the volumes of a spec, and gives those that are right by their names. `pod` is the name of the pod; a template
/// has none.
pub(super) fn all<'a>(
    spec: &'a Value,
    pod: Option<&str>,
    path: &Path,
    errors: &mut Errors,
) -> HashMap<&'a str, &'a Value> {
    let in_pod = pod.is_some();
    let pod = pod.filter(|pod| !pod.is_empty());
    let claim_of = |volume: &str| pod.map(|pod| format!("{pod}-{volume}"));
    let mut right: HashMap<&str, &Value> = HashMap::new();
    let mut made: HashSet<String> = HashSet::new();
    for (volume, _) in each(spec, "volumes", path) {
        made.extend(get(volume, "ephemeral").and_then(|_| claim_of(text(volume, "name"))));
    }
    for (volume, path) in each(spec, "volumes", path) {
        let (mut own, this) = (Vec::new(), text(volume, "name"));
        source::validate(volume, claim_of(this).as_deref(), in_pod, &path, &mut own);
        required_name(volume, "name", name::label, &path, &mut own);
        if right.contains_key(this) {
            own.duplicate(path.child("name"), this);
        }
        if own.is_empty() {
            right.insert(this, volume);
        }
        errors.append(&mut own);
        let claim = text(at(volume, "/persistentVolumeClaim"), "claimName");
        if made.contains(claim) {
            let why = "must not reference a PVC that gets created for an ephemeral volume";
            let path = path.child("persistentVolumeClaim").child("claimName");
            errors.invalid(&path, claim, why);
        }
    }
    right
}

/// A token of a service account is for pods that have one.
pub(super) fn tokens(spec: &Value, path: &Path, errors: &mut Errors) {
    if !text(spec, "serviceAccountName").is_empty() || !text(spec, "serviceAccount").is_empty() {
        return;
    }
    for (volume, path) in each(spec, "volumes", path) {
        let Some((projected, path)) = child(volume, "projected", &path) else { continue };
        for (source, path) in each(projected, "sources", &path) {
            if let Some((_, path)) = child(source, "serviceAccountToken", &path) {
                let why = "must not be specified when serviceAccountName is not set";
                errors.forbidden(&path, why);
            }
        }
    }
}
