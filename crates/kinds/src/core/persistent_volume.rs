//! The kind PersistentVolume.
//!
//! See <https://kubernetes.io/docs/concepts/storage/persistent-volumes/>.

pub(super) mod printer;
mod sources;
mod strategy;
pub(crate) mod warnings;

use json_tree::Value;

use crate::core::resource_names::{basic, not_positive};
use crate::kind::{Checks, Kind, Pass, Printer, Strategy};
use crate::validation::checks::{named, subdomain, supported};
use crate::validation::read::{at, get, list, map, same, text};
use crate::validation::values::one_of;
use crate::validation::{go_diff, internal, node_selector};
use field::{AddError, Error, Path};

/// The kind PersistentVolume.
pub(crate) struct PersistentVolume;

impl Kind for PersistentVolume {
    const GROUP: &'static str = "";
    const RESOURCE: &'static str = "persistentvolumes";
    const STRATEGY: Strategy = strategy::STRATEGY;
    const UPDATE_PASSES: &'static [Pass] = &[Pass::Create, Pass::Create, Pass::Change];

    fn checks() -> Checks {
        Checks::none()
            .validate(create)
            .validate_update(update)
            .validate_part("status", |_, _| Vec::new())
            .warn(warnings::warn)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

const ACCESS_MODES: [&str; 4] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const RECLAIM_POLICIES: [&str; 3] = ["Delete", "Recycle", "Retain"];
pub(super) const MODES: [&str; 2] = ["Block", "Filesystem"];
/// Labels of nodes, and what has come in their place: a volume may follow.
const RENAMED: [(&str, &str); 5] = [
    ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
    ("beta.kubernetes.io/os", "kubernetes.io/os"),
    ("beta.kubernetes.io/arch", "kubernetes.io/arch"),
    ("beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"),
];

/// Validates a PersistentVolume.
fn create(object: &Value) -> Vec<Error> {
    let name = text(at(object, "/metadata"), "name");
    spec(at(object, "/spec"), name, false, &Path::new("spec"))
}

/// Validates the inline volume of a VolumeAttachment.
pub(crate) fn inline(of: &Value, path: &Path) -> Vec<Error> {
    spec(of, "", true, path)
}

fn spec(spec: &Value, name: &str, inline: bool, path: &Path) -> Vec<Error> {
    const CONTEXT: &str = "in the context of inline volumes";
    let forbidden =
        |field: &str| Error::forbidden(path.named(field), format!("may not be specified {CONTEXT}"));
    let mut errors = Vec::new();
    if inline {
        errors.extend(get(spec, "claimRef").map(|_| forbidden("claimRef")));
        errors.extend(map(spec, "capacity").filter(|map| !map.is_empty()).map(|_| forbidden("capacity")));
        if get(spec, "csi").is_none() {
            errors.required(path.child("csi"), format!("has to be specified {CONTEXT}"));
        }
    }
    errors.extend(access_modes(spec, "", path));
    if !inline {
        errors.extend(capacity(spec, &path.child("capacity")));
    }
    let policy = text(spec, "persistentVolumeReclaimPolicy");
    let at_policy = path.child("persistentVolumeReclaimPolicy");
    if !inline {
        errors.extend(one_of(spec, "persistentVolumeReclaimPolicy", &RECLAIM_POLICIES, path));
    } else if !matches!(policy, "" | "Retain") {
        errors.forbidden(&at_policy, format!("may only be Retain {CONTEXT}"));
    }
    let affinity = get(spec, "nodeAffinity");
    if let Some(affinity) = affinity {
        let at = path.child("nodeAffinity");
        match get(affinity, "required") {
            _ if inline => errors.push(forbidden("nodeAffinity")),
            Some(required) => errors.extend(node_selector::validate(required, &at.child("required"))),
            None => {
                let why = "must specify required node constraints";
                errors.required(at.child("required"), why);
            }
        }
    }
    errors.extend(sources::validate(spec, name, affinity.is_some() && !inline, path));
    let root = get(spec, "hostPath").is_some_and(|source| is_root(text(source, "path")));
    if root && policy == "Recycle" {
        let why = "may not be 'recycle' for a hostPath mount of '/'";
        errors.forbidden(&at_policy, why);
    }
    let class = text(spec, "storageClassName");
    if !class.is_empty() {
        let at = path.child("storageClassName");
        errors.extend(if inline {
            vec![forbidden("storageClassName")]
        } else {
            named(class, subdomain, &at)
        });
    }
    match get(spec, "volumeMode").and_then(Value::as_str) {
        None | Some("Filesystem") => {}
        Some(_) if inline => {
            let why = format!("may not specify volumeMode other than Filesystem {CONTEXT}");
            errors.forbidden(path.child("volumeMode"), why);
        }
        Some(_) => errors.extend(supported(spec, "volumeMode", &MODES, path)),
    }
    errors.extend(attributes_class(spec, path));
    errors
}

/// Validates the access modes of a volume or claim.
fn access_modes(spec: &Value, missing: &str, path: &Path) -> Vec<Error> {
    let (modes, path) = (list(spec, "accessModes"), path.child("accessModes"));
    if modes.is_empty() {
        return vec![Error::required(&path, missing)];
    }
    access_mode_values(modes, &path)
}

/// Validates the values of access modes; there may be none.
pub(super) fn access_mode_values(modes: &[Value], path: &Path) -> Vec<Error> {
    let known = |mode: &&Value| mode.as_str().is_some_and(|mode| ACCESS_MODES.contains(&mode));
    let mut errors: Vec<Error> = modes
        .iter()
        .filter(|mode| !known(mode))
        .map(|mode| Error::not_supported(path, mode.clone(), &ACCESS_MODES))
        .collect();
    let single = modes.iter().any(|mode| mode == "ReadWriteOncePod");
    if single && modes.iter().filter(known).any(|mode| mode != "ReadWriteOncePod") {
        errors.forbidden(path, "may not use ReadWriteOncePod with other access modes");
    }
    errors
}

fn capacity(spec: &Value, path: &Path) -> Vec<Error> {
    let capacity = map(spec, "capacity");
    let mut errors = Vec::new();
    if capacity.is_none_or(json_tree::Map::is_empty) {
        errors.required(path, "");
    }
    if !capacity.is_some_and(|capacity| capacity.contains_key("storage") && capacity.len() == 1) {
        let value = get(spec, "capacity").cloned().unwrap_or_default();
        errors.not_supported(path, value, &["storage"]);
    }
    for (resource, amount) in capacity.into_iter().flatten() {
        let path = path.key(resource);
        errors.extend(basic(amount, &path));
        errors.extend(not_positive(amount, &path));
    }
    errors
}

fn is_root(path: &str) -> bool {
    path.starts_with('/') && path.split('/').all(|part| matches!(part, "" | "." | ".."))
}

fn attributes_class(spec: &Value, path: &Path) -> Vec<Error> {
    let Some(class) = get(spec, "volumeAttributesClassName").and_then(Value::as_str) else {
        return Vec::new();
    };
    let at = path.child("volumeAttributesClassName");
    let mut errors = match class {
        "" => vec![Error::required(&at, "an empty string is disallowed")],
        class => named(class, subdomain, &at),
    };
    if get(spec, "csi").is_none() {
        let why = "has to be specified when using volumeAttributesClassName";
        errors.required(path.child("csi"), why);
    }
    errors
}

/// Validates an update of a PersistentVolume: its source and its volume mode cannot change, its node affinity only by
/// labels that were renamed, and its attributes class cannot be removed.
fn update(object: &Value, old: &Value) -> Vec<Error> {
    let (spec, was, path) = (at(object, "/spec"), at(old, "/spec"), Path::new("spec"));
    let mut errors = Vec::new();
    // A secret that is needed to grow a volume may come later.
    let mut compared = spec.clone();
    let secret = "controllerExpandSecretRef";
    if let (Some(csi), Some(before)) =
        (compared.get_mut("csi").and_then(Value::as_object_mut), get(was, "csi"))
        && get(before, secret).is_none()
    {
        csi.shift_remove(secret);
    }
    if sources::differ(&compared, was) {
        let diff = go_diff::of(internal::CORE, "PersistentVolumeSource", was, &compared);
        let why = format!("spec.persistentvolumesource is immutable after creation\n{diff}");
        errors.forbidden(path.child("persistentvolumesource"), why);
    }
    if !same(get(spec, "volumeMode"), get(was, "volumeMode")) {
        let value = get(spec, "volumeMode").cloned().unwrap_or_default();
        errors.invalid(Path::new("volumeMode"), value, "field is immutable");
    }
    let affinity = get(spec, "nodeAffinity");
    if let Some(before) = get(was, "nodeAffinity")
        && !affinity.is_some_and(|affinity| follows(affinity, before))
    {
        let value = affinity
            .map_or(Value::Null, |affinity| internal::form(internal::CORE, "VolumeNodeAffinity", affinity));
        let why = "field is immutable, except for updating from beta label to GA";
        errors.invalid(Path::new("nodeAffinity"), value, why);
    }
    let class = "volumeAttributesClassName";
    if get(was, class).is_some() && get(spec, class).is_none() {
        let why = "update from non-nil value to nil is forbidden";
        errors.forbidden(path.child(class), why);
    }
    errors
}

/// Returns whether two node affinities are the same, except for labels that were renamed.
fn follows(new: &Value, old: &Value) -> bool {
    let terms = |affinity| list(at(affinity, "/required"), "nodeSelectorTerms");
    let (new, old) = (terms(new), terms(old));
    let fields = |term, field| list(term, field);
    new.len() == old.len()
        && std::iter::zip(new, old).all(|(new, old)| {
            ["matchExpressions", "matchFields"].iter().all(|field| {
                let (new, old) = (fields(new, field), fields(old, field));
                new.len() == old.len()
                    && std::iter::zip(new, old).all(|(new, old)| requirement_follows(new, old))
            })
        })
}

fn requirement_follows(new: &Value, old: &Value) -> bool {
    let (key, before) = (text(new, "key"), text(old, "key"));
    (key == before || RENAMED.contains(&(before, key)))
        && text(new, "operator") == text(old, "operator")
        && list(new, "values") == list(old, "values")
}

#[cfg(test)]
mod tests;
