//! Volumes of files that Kubernetes writes: keys of secrets and config maps, fields of the pod, tokens, bundles.
//!
//! See <https://kubernetes.io/docs/concepts/storage/projected-volumes/>.

use std::collections::HashSet;

use json_tree::Value;

use super::super::check::{Errors, child, each, file_path, mode, required, well_formed};
use super::super::environment::{FILE_FIELDS, field_reference, resource_reference};
use crate::validation::read::{get, integer, text};
use crate::validation::{internal, label_selector, name};
use field::{AddError, Error, Path};

/// The keys of a secret or a config map, and the mode of the files that they become.
pub(super) fn keys(source: &Value, path: &Path, errors: &mut Errors) {
    mode(source, "defaultMode", path, errors);
    for (item, path) in each(source, "items", path) {
        key(item, &path, errors);
    }
}

fn key(item: &Value, path: &Path, errors: &mut Errors) {
    required(item, &["key", "path"], path, errors);
    file_path(text(item, "path"), &path.child("path"), errors);
    mode(item, "mode", path, errors);
}

/// Fields of the pod.
pub(super) fn downward(source: &Value, path: &Path, errors: &mut Errors) {
    mode(source, "defaultMode", path, errors);
    for (file, _) in each(source, "items", path) {
        downward_file(file, path, errors);
    }
}

/// A file with a field of the pod. The messages place it where the list is.
fn downward_file(file: &Value, path: &Path, errors: &mut Errors) {
    required(file, &["path"], path, errors);
    file_path(text(file, "path"), &path.child("path"), errors);
    let resource = child(file, "resourceFieldRef", path);
    if let Some((field, at)) = child(file, "fieldRef", path) {
        field_reference(field, &FILE_FIELDS, &at, errors);
        if resource.is_some() {
            let why = "fieldRef and resourceFieldRef can not be specified simultaneously";
            errors.invalid(path, "resource", why);
        }
    } else if let Some((resource, at)) = resource {
        resource_reference(resource, true, &at, errors);
    } else {
        errors.required(path, "one of fieldRef and resourceFieldRef is required");
    }
    mode(file, "mode", path, errors);
}

/// Several sources in one directory, where no two files may have the same path.
pub(super) fn projected(source: &Value, path: &Path, errors: &mut Errors) {
    mode(source, "defaultMode", path, errors);
    let mut paths = Paths { seen: HashSet::new(), at: path };
    for (source, at) in each(source, "sources", path) {
        let mut sources = 0;
        for kind in ["secret", "configMap"] {
            let Some((source, at)) = child(source, kind, &at) else { continue };
            sources += 1;
            required(source, &["name"], &at, errors);
            for (item, at) in each(source, "items", &at) {
                key(item, &at, errors);
                paths.add(text(item, "path"), text(source, "name"), errors);
            }
        }
        if let Some((source, at)) = child(source, "downwardAPI", &at) {
            sources += 1;
            for (file, _) in each(source, "items", &at) {
                downward_file(file, &at, errors);
                paths.add(text(file, "path"), text(file, "path"), errors);
            }
        }
        if let Some((source, at)) = child(source, "serviceAccountToken", &at) {
            sources += 1;
            token(source, &at, path, errors);
        }
        if let Some((source, at)) = child(source, "clusterTrustBundle", &at) {
            sources += 1;
            bundle(source, &at, errors);
            let place = text(source, "path");
            // Unlike those of others, an empty path counts.
            if !paths.seen.insert(place) {
                errors.invalid(path, place, "conflicting duplicate paths");
            }
        }
        sources += usize::from(get(source, "podCertificate").is_some());
        if sources > 1 {
            errors.forbidden(&at, "may not specify more than 1 volume type per source");
        }
    }
}

/// The paths that are taken in a projected volume.
struct Paths<'a> {
    seen: HashSet<&'a str>,
    at: &'a Path,
}

impl<'a> Paths<'a> {
    fn add(&mut self, place: &'a str, value: &str, errors: &mut Errors) {
        if !place.is_empty() && !self.seen.insert(place) {
            errors.invalid(self.at, value, "conflicting duplicate paths");
        }
    }
}

/// A token of the service account; its path is placed at the volume.
fn token(source: &Value, path: &Path, volume: &Path, errors: &mut Errors) {
    let seconds = integer(source, "expirationSeconds");
    let why = match seconds {
        Some(seconds) if seconds < 600 => Some("may not specify a duration less than 10 minutes"),
        Some(seconds) if seconds > 1 << 32 => Some("may not specify a duration larger than 2^32 seconds"),
        _ => None,
    };
    if let (Some(seconds), Some(why)) = (seconds, why) {
        errors.invalid(path.child("expirationSeconds"), seconds, why);
    }
    required(source, &["path"], volume, errors);
    file_path(text(source, "path"), &volume.child("path"), errors);
}

/// Certificates, by the name of their bundle or by their signer.
fn bundle(source: &Value, path: &Path, errors: &mut Errors) {
    let given = |field: &str| get(source, field).and_then(Value::as_str);
    match (given("name"), given("signerName")) {
        (Some(_), Some(_)) => {
            let value = internal::form(internal::CORE, "ClusterTrustBundleProjection", source);
            errors.invalid(path, value, "only one of name and signerName may be used");
        }
        (Some(bundle), None) => {
            let at = path.child("name");
            if bundle.is_empty() {
                errors.required(&at, "must be a valid object name");
            }
            // The name of a signer's bundle begins with it, its slash as a colon.
            let own = bundle.rsplit_once(':').map_or(bundle, |(_, own)| own);
            let complaints = name::subdomain(own).into_iter();
            let complaints = complaints.map(|why| format!("not a valid clustertrustbundlename: {why}"));
            errors.extend(complaints.map(|why| Error::invalid(&at, bundle, why)));
            if let Some(selector) = get(source, "labelSelector") {
                let why = "labelSelector must be unset if name is specified";
                errors.invalid(path.child("labelSelector"), selector.clone(), why);
            }
        }
        (None, Some(signer)) => {
            let at = path.child("signerName");
            if signer.is_empty() {
                errors.required(&at, "must be a valid signer name");
            }
            match signer.split_once('/') {
                Some((domain, _)) if domain.contains('.') => {
                    well_formed(domain, name::subdomain, &at, errors);
                }
                _ => {
                    let why =
                        "must be a fully qualified domain and path of the form 'example.com/signer-name'";
                    errors.invalid(&at, signer, why);
                }
            }
            if let Some(selector) = get(source, "labelSelector") {
                errors.extend(label_selector::validate(selector, &path.child("labelSelector")));
            }
        }
        (None, None) => errors.required(path, "either name or signerName must be specified"),
    }
    required(source, &["path"], path, errors);
    file_path(text(source, "path"), &path.child("path"), errors);
}
