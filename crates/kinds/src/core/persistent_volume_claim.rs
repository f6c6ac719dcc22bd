//! The kind PersistentVolumeClaim.
//!
//! See <https://kubernetes.io/docs/concepts/storage/persistent-volumes/#persistentvolumeclaims>.

mod printer;
mod strategy;
pub(crate) mod warnings;

use apimachinery::storage_class::OLD_CLASS;
use json_tree::{Map, Value, json};
use schema::quantity::Quantity;

use super::persistent_volume::{MODES, access_mode_values};
use crate::core::resource_names::{amount, basic, not_positive};
use crate::kind::{Checks, Kind, Pass, Printer, Strategy};
use crate::validation::checks::{named, required, subdomain};
use crate::validation::read::{at, get, list, map, same, text};
use crate::validation::values::one_of;
use crate::validation::{go_diff, internal, label_selector, name};
use apimachinery::object::Object;
use field::{AddError, Error, Path};

/// The kind PersistentVolumeClaim.
pub(crate) struct PersistentVolumeClaim;

impl Kind for PersistentVolumeClaim {
    const GROUP: &'static str = "";
    const RESOURCE: &'static str = "persistentvolumeclaims";
    const STRATEGY: Strategy = strategy::STRATEGY;
    const UPDATE_PASSES: &'static [Pass] = &[Pass::MetadataUpdate, Pass::Create, Pass::Change];

    fn drop_disabled_fields(object: &mut Object, old: Option<&Object>) {
        drop_foreign_source(object, old.and_then(|old| old.get("spec")));
    }

    fn checks() -> Checks {
        Checks::none()
            .validate(create)
            .validate_update(update)
            .validate_part("status", update_status)
            .warn(warnings::warn)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

/// `CrossNamespaceVolumeDataSource`: data comes out of the claim's own namespace, unless it had a source before.
fn drop_foreign_source(claim: &mut Object, before: Option<&Value>) {
    let had_source = before.is_some_and(|spec| spec.get("dataSourceRef").is_some());
    let Some(Value::Object(spec)) = claim.get_mut("spec") else { return };
    let namespace = spec.get("dataSourceRef").and_then(|source| source.get("namespace"));
    let foreign = namespace.and_then(Value::as_str).is_some_and(|namespace| !namespace.is_empty());
    if foreign && !had_source {
        spec.shift_remove("dataSourceRef");
    }
}

const FIELDS: [&str; 8] = [
    "accessModes",
    "selector",
    "volumeName",
    "storageClassName",
    "volumeMode",
    "dataSource",
    "dataSourceRef",
    "volumeAttributesClassName",
];
const RESIZE_STATES: [&str; 5] = [
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
    "NodeResizePending",
];

/// Validates a PersistentVolumeClaim.
pub(crate) fn create(object: &Value) -> Vec<Error> {
    spec(at(object, "/spec"), &Path::new("spec"))
}

/// Validates the spec of a claim, or of the template of one.
pub(crate) fn spec(spec: &Value, path: &Path) -> Vec<Error> {
    let (modes, at_modes) = (list(spec, "accessModes"), path.child("accessModes"));
    let mut errors = Vec::new();
    if modes.is_empty() {
        errors.required(&at_modes, "at least 1 access mode is required");
    }
    if let Some(selector) = get(spec, "selector") {
        errors.extend(label_selector::validate(selector, &path.child("selector")));
    }
    errors.extend(access_mode_values(modes, &at_modes));
    let at_size = path.child("resources").key("storage");
    match get(at(spec, "/resources/requests"), "storage") {
        None => errors.required(&at_size, ""),
        Some(size) => match not_positive(size, &at_size) {
            Some(error) => errors.push(error),
            None => errors.extend(amount("storage", size, &at_size)),
        },
    }
    errors.extend(class(spec, "storageClassName", path));
    errors.extend(one_of(spec, "volumeMode", &MODES, path));
    for field in ["dataSource", "dataSourceRef"] {
        if let Some(source) = get(spec, field) {
            errors.extend(data_source(source, &path.child(field)));
        }
    }
    if let (Some(source), Some(reference)) = (get(spec, "dataSource"), get(spec, "dataSourceRef")) {
        let alike =
            ["apiGroup", "kind", "name"].iter().all(|field| get(source, field) == get(reference, field));
        if !text(reference, "namespace").is_empty() {
            let why = "may not be specified when dataSourceRef.namespace is specified";
            errors.invalid(path, json!({}), why);
        } else if !alike {
            errors.invalid(path, json!({}), "must match dataSourceRef");
        }
    }
    errors.extend(class(spec, "volumeAttributesClassName", path));
    errors
}

fn class(spec: &Value, field: &str, path: &Path) -> Vec<Error> {
    let class = text(spec, field);
    if class.is_empty() { Vec::new() } else { named(class, subdomain, &path.named(field)) }
}

fn data_source(source: &Value, path: &Path) -> Vec<Error> {
    let mut errors = required(source, &["name", "kind"], path);
    let (group, kind) = (text(source, "apiGroup"), text(source, "kind"));
    if group.is_empty() && kind != "PersistentVolumeClaim" {
        let why = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
        errors.invalid(path, kind, why);
    }
    if !group.is_empty() {
        errors.extend(named(group, name::subdomain, &path.child("apiGroup")));
    }
    let namespace = text(source, "namespace");
    if !namespace.is_empty() {
        errors.extend(named(namespace, name::label, &path.child("namespace")));
    }
    errors
}

/// Validates an update of a PersistentVolumeClaim: the spec is immutable, except for the volume name and the class
/// where there was none, and the size and the attributes class of a bound claim.
fn update(object: &Value, old: &Value) -> Vec<Error> {
    let (new_spec, was, path) = (at(object, "/spec"), at(old, "/spec"), Path::new("spec"));
    let mut errors = Vec::new();
    let (mut new, mut before) = (fields_of(new_spec), fields_of(was));
    if text(was, "volumeName").is_empty() {
        take(&mut before, &new, "volumeName");
    }
    let annotation = |object| get(at(object, "/metadata/annotations"), OLD_CLASS).and_then(Value::as_str);
    let (old_class, new_class) = (annotation(old), annotation(object));
    let chosen = get(new_spec, "storageClassName").and_then(Value::as_str);
    let had_class = get(was, "storageClassName").is_some();
    if old_class.is_some()
        && !had_class
        && chosen == old_class
        && (new_class.is_none() || new_class == old_class)
    {
        new.shift_remove("storageClassName");
    } else {
        if old_class.unwrap_or_default() != new_class.unwrap_or_default() {
            let at = Path::new("metadata").child("annotations").child(OLD_CLASS);
            errors.invalid(&at, new_class.unwrap_or_default(), "field is immutable");
        }
        if chosen.is_some() && !had_class && (old_class.is_none() || old_class == chosen) {
            new.shift_remove("storageClassName");
        }
    }
    let is_bound = text(at(object, "/status"), "phase") == "Bound";
    if is_bound {
        keep_size(&mut new, was);
        take(&mut new, &before, "volumeAttributesClassName");
    }
    let (new, before) = (Value::Object(new), Value::Object(before));
    if differ(&new, &before) {
        let diff = go_diff::of(internal::CORE, "PersistentVolumeClaimSpec", &before, &new);
        let why = format!(
            "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound \
             claims\n{diff}"
        );
        errors.forbidden(&path, why);
    }
    let size = |spec: &Value, place: &str| {
        let zero = Quantity::count(0);
        Quantity::of(at(spec, place)).unwrap_or(zero)
    };
    let asked = size(new_spec, "/resources/requests/storage");
    let less = size(was, "/resources/requests/storage").exceeds(&asked);
    if less && !asked.exceeds(&size(old, "/status/capacity/storage")) {
        let at = path.child("resources").child("requests").child("storage");
        errors.forbidden(&at, "field can not be less than status.capacity");
    }
    if !same(get(new_spec, "volumeMode"), get(was, "volumeMode")) {
        let value = get(new_spec, "volumeMode").cloned().unwrap_or_default();
        errors.invalid(Path::new("volumeMode"), value, "field is immutable");
    }
    let class = "volumeAttributesClassName";
    let applied = get(at(old, "/status"), "currentVolumeAttributesClassName").is_some();
    if applied && get(was, class) != get(new_spec, class) {
        let what = match get(new_spec, class) {
            None => "nil",
            Some(name) if name == "" => "empty string",
            Some(_) => return errors,
        };
        let why =
            format!("update to {what} is forbidden when status.currentVolumeAttributesClassName is not nil");
        errors.forbidden(path.child(class), why);
    }
    errors
}

fn fields_of(spec: &Value) -> Map<String, Value> {
    spec.as_object().cloned().unwrap_or_default()
}

/// Makes a field what it is in another object.
fn take(fields: &mut Map<String, Value>, from: &Map<String, Value>, field: &str) {
    match from.get(field) {
        Some(value) => {
            fields.insert(field.to_owned(), value.clone());
        }
        None => {
            fields.shift_remove(field);
        }
    }
}

fn keep_size(fields: &mut Map<String, Value>, was: &Value) {
    let requests = fields.get_mut("resources").and_then(|resources| resources.get_mut("requests"));
    if let Some(Value::Object(requests)) = requests {
        let size = get(at(was, "/resources/requests"), "storage").cloned();
        requests.insert("storage".to_owned(), size.unwrap_or_else(|| "0".into()));
    }
}

fn differ(new: &Value, old: &Value) -> bool {
    let resources = |spec, field| get(at(spec, "/resources"), field);
    FIELDS.iter().any(|field| !same(get(new, field), get(old, field)))
        || ["limits", "requests"].iter().any(|field| !same(resources(new, field), resources(old, field)))
}

/// Validates the status of a claim.
fn update_status(object: &Value, _: &Value) -> Vec<Error> {
    let (status, path) = (at(object, "/status"), Path::new("status"));
    let mut errors = Vec::new();
    if list(at(object, "/spec"), "accessModes").is_empty() {
        errors.required(Path::new("Spec").child("accessModes"), "");
    }
    for (resource, amount) in map(status, "capacity").into_iter().flatten() {
        errors.extend(basic(amount, &path.child("capacity").key(resource)));
    }
    let at = path.child("allocatedResourceStatuses");
    for (resource, state) in map(status, "allocatedResourceStatuses").into_iter().flatten() {
        errors.extend(resource_key(resource, &at));
        if !state.as_str().is_some_and(|state| RESIZE_STATES.contains(&state)) {
            errors.not_supported(&at, resource.as_str(), &RESIZE_STATES);
        }
    }
    let at = path.child("allocatedResources");
    for (resource, size) in map(status, "allocatedResources").into_iter().flatten() {
        let of_key = resource_key(resource, &at);
        if !of_key.is_empty() {
            errors.extend(of_key);
            continue;
        }
        let at = at.key(resource);
        match basic(size, &at) {
            Some(error) => errors.push(error),
            None => errors.extend(amount("storage", size, &at)),
        }
    }
    errors
}

fn resource_key(resource: &str, path: &Path) -> Vec<Error> {
    let errors = named(resource, name::qualified_name, path);
    let native = !resource.contains('/') || resource.contains("kubernetes.io/");
    if errors.is_empty() && native && resource != "storage" {
        return vec![Error::not_supported(path, resource, &["storage"])];
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validation::check;

    fn claim(more: Value) -> Value {
        let mut spec =
            json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}});
        if let (Some(spec), Value::Object(more)) = (spec.as_object_mut(), more) {
            spec.extend(more);
        }
        json!({"metadata": {}, "spec": spec, "status": {"phase": "Pending"}})
    }

    #[test]
    fn claims() {
        check(&create(&claim(json!({}))), "");
        check(
            &create(&claim(json!({"accessModes": ["Nope"], "resources": {}, "volumeMode": "Tape"}))),
            "[spec.accessModes: Unsupported value: \"Nope\": supported values: \"ReadOnlyMany\", \"ReadWriteMany\", \"ReadWriteOnce\", \"ReadWriteOncePod\", \
             spec.resources[storage]: Required value, \
             spec.volumeMode: Unsupported value: \"Tape\": supported values: \"Block\", \"Filesystem\"]",
        );
        check(
            &create(&claim(json!({"accessModes": [], "resources": {"requests": {"storage": "-1"}}}))),
            "[spec.accessModes: Required value: at least 1 access mode is required, \
             spec.resources[storage]: Invalid value: \"-1\": must be greater than zero]",
        );
    }

    #[test]
    fn sources() {
        check(
            &create(&claim(json!({"dataSource": {"kind": "VolumeSnapshot", "name": "s"},
                "dataSourceRef": {"kind": "PersistentVolumeClaim", "name": ""}}))),
            "[spec.dataSource: Invalid value: \"VolumeSnapshot\": must be 'PersistentVolumeClaim' when referencing the default apiGroup, \
             spec.dataSourceRef.name: Required value, spec: Invalid value: {}: must match dataSourceRef]",
        );
    }

    #[test]
    fn what_is_asked_for_stays() {
        let old = claim(json!({}));
        check(&update(&claim(json!({"volumeName": "v"})), &old), "");
        check(&update(&claim(json!({"storageClassName": "c"})), &old), "");
        check(
            &update(&claim(json!({"accessModes": ["ReadWriteMany"]})), &old),
            "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n@@ -1,6 +1,6 @@\n {\n  \"AccessModes\": [\n-  \"ReadWriteOnce\"\n+  \"ReadWriteMany\"\n  ],\n  \"Selector\": null,\n  \"Resources\": {\n",
        );
        let bound = |size: &str| {
            let mut claim = claim(json!({"resources": {"requests": {"storage": size}}}));
            claim["status"] = json!({"phase": "Bound", "capacity": {"storage": "2Gi"}});
            claim
        };
        check(&update(&bound("4Gi"), &bound("3Gi")), "");
        let of_class = |class: Value| {
            let mut claim = bound("3Gi");
            claim["spec"]["volumeAttributesClassName"] = class;
            claim["status"]["currentVolumeAttributesClassName"] = "a".into();
            claim
        };
        check(&update(&of_class(json!("b")), &of_class(json!("a"))), "");
        check(
            &update(&of_class(json!(null)), &of_class(json!("a"))),
            "spec.volumeAttributesClassName: Forbidden: update to nil is forbidden when status.currentVolumeAttributesClassName is not nil",
        );
        check(
            &update(&of_class(json!("")), &of_class(json!("a"))),
            "spec.volumeAttributesClassName: Forbidden: update to empty string is forbidden when status.currentVolumeAttributesClassName is not nil",
        );
        check(
            &update(&bound("1Gi"), &bound("3Gi")),
            "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity",
        );
    }
}
