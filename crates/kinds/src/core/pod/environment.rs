//! The environment of a container, and references to fields of its pod.
//!
//! See <https://kubernetes.io/docs/tasks/inject-data-application/define-environment-variable-container/> and
//! <https://kubernetes.io/docs/concepts/workloads/pods/downward-api/>.

use json_tree::Value;
use schema::quantity::Quantity;

use super::all_containers;
use super::check::{
    Errors, child, each, named, no_backsteps, required, required_name, variable_name, well_formed,
};
use crate::validation::name;
use crate::validation::read::{at, get, list, text};
use field::{AddError, Error, Path};

/// The fields of a pod that a variable can have as its value.
const FIELDS: [&str; 9] = [
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];
/// The fields of a pod that a file in a volume can hold.
pub(super) const FILE_FIELDS: [&str; 5] =
    ["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"];
/// The fields of a pod that can be named at all.
const LABELS: [&str; 14] = [
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.serviceAccountName",
    "spec.schedulerName",
    "status.phase",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];
const RESOURCES: [&str; 6] = [
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
];
const BYTES: [&str; 13] = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];

/// The variables of a container, and where more come from.
pub(super) fn validate(container: &Value, path: &Path, errors: &mut Errors) {
    for (variable, path) in each(container, "env", path) {
        required_name(variable, "name", variable_name, &path, errors);
        if let Some((source, path)) = child(variable, "valueFrom", &path) {
            value_from(source, !text(variable, "value").is_empty(), &path, errors);
        }
    }
    if list(container, "envFrom").is_empty() {
        return;
    }
    let at = path.child("envFrom");
    for (from, path) in each(container, "envFrom", path) {
        named(from, "prefix", variable_name, &path, errors);
        let mut sources = 0;
        for field in ["configMapRef", "secretRef"] {
            let Some((source, path)) = child(from, field, &path) else { continue };
            sources += 1;
            required(source, &["name"], &path, errors);
            if !text(source, "name").is_empty() {
                let name = text(source, "name");
                let complaints = name::NameRule::Subdomain.check_prefix(name).into_iter();
                errors.extend(complaints.map(|why| Error::invalid(path.child("name"), name, why)));
            }
        }
        // The message places these at the list.
        match sources {
            0 => {
                errors.invalid(&at, "", "must specify one of: `configMapRef` or `secretRef`");
            }
            1 => {}
            _ => errors.invalid(&at, "", "may not have more than one field specified at a time"),
        }
    }
}

/// Files that variables come from are in empty directories. The messages of this come last.
///
/// <https://kubernetes.io/docs/tasks/inject-data-application/define-environment-variable-via-file/>
pub(super) fn file_volumes(spec: &Value, path: &Path, errors: &mut Errors) {
    for (container, path) in all_containers(spec, path) {
        for (variable, path) in each(container, "env", &path) {
            let Some(key) = get(at(variable, "/valueFrom"), "fileKeyRef") else { continue };
            let this = text(key, "volumeName");
            let path = path.child("valueFrom").child("fileKeyRef").child("volumeName");
            match list(spec, "volumes").iter().rev().find(|volume| text(volume, "name") == this) {
                None => errors.not_found(&path, this),
                Some(volume) if get(volume, "emptyDir").is_none() => {
                    let why = "referenced volume must be of type emptyDir";
                    errors.invalid(&path, this, why);
                }
                Some(_) => {}
            }
        }
    }
}

fn value_from(source: &Value, has_value: bool, path: &Path, errors: &mut Errors) {
    let mut sources = 0;
    if let Some((field, path)) = child(source, "fieldRef", path) {
        sources += 1;
        field_reference(field, &FIELDS, &path, errors);
    }
    if let Some((resource, path)) = child(source, "resourceFieldRef", path) {
        sources += 1;
        resource_reference(resource, false, &path, errors);
    }
    for field in ["configMapKeyRef", "secretKeyRef"] {
        let Some((key, path)) = child(source, field, path) else { continue };
        sources += 1;
        well_formed(text(key, "name"), name::subdomain, &path.child("name"), errors);
        required_name(key, "key", name::config_key, &path, errors);
    }
    if let Some((key, path)) = child(source, "fileKeyRef", path) {
        sources += 1;
        required_name(key, "key", variable_name, &path, errors);
        required_name(key, "volumeName", name::label, &path, errors);
        required(key, &["path"], &path, errors);
        no_backsteps(text(key, "path"), &path.child("path"), errors);
    }
    let why = match (sources, has_value) {
        (0, _) => {
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
        }
        (_, true) => "may not be specified when `value` is not empty",
        (1, false) => return,
        _ => "may not have more than one field specified at a time",
    };
    errors.invalid(path, "", why);
}

/// A reference to a field of the pod, which is one of `fields`.
pub(super) fn field_reference(reference: &Value, fields: &[&str], path: &Path, errors: &mut Errors) {
    let (version, field) = (text(reference, "apiVersion"), text(reference, "fieldPath"));
    let at = path.child("fieldPath");
    if field.is_empty() {
        errors.required(&at, "");
        return;
    }
    let subscript = field.strip_suffix("']").and_then(|rest| rest.split_once("['"));
    let subscript = subscript.filter(|(field, _)| !field.is_empty());
    let unknown = if !version.is_empty() && version != "v1" {
        Some(format!("unsupported pod version: {version}"))
    } else {
        match subscript {
            Some(("metadata.annotations" | "metadata.labels", _)) => None,
            Some(_) => Some(format!("field label does not support subscript: {field}")),
            None if LABELS.contains(&field) || field == "spec.host" => None,
            None => Some(format!("field label not supported: {field}")),
        }
    };
    if let Some(why) = unknown {
        errors.invalid(&at, field, format!("error converting fieldPath: {why}"));
        return;
    }
    match subscript {
        Some(("metadata.annotations", key)) => {
            well_formed(&key.to_ascii_lowercase(), name::qualified_name, path, errors);
        }
        Some((_, key)) => well_formed(key, name::qualified_name, path, errors),
        None => {
            let field = if field == "spec.host" { "spec.nodeName" } else { field };
            if !fields.contains(&field) {
                errors.not_supported(&at, field, fields);
            }
        }
    }
}

/// A reference to a resource of a container, which a volume has to name.
pub(super) fn resource_reference(reference: &Value, in_volume: bool, path: &Path, errors: &mut Errors) {
    let resource = text(reference, "resource");
    let huge = ["limits.hugepages-", "requests.hugepages-"].iter().any(|prefix| resource.starts_with(prefix));
    if in_volume && text(reference, "containerName").is_empty() {
        errors.required(path.child("containerName"), "");
    } else if resource.is_empty() {
        errors.required(path.child("resource"), "");
    } else if !RESOURCES.contains(&resource) && !huge {
        errors.not_supported(path.child("resource"), resource, &RESOURCES);
    }
    let Some(divisor) = get(reference, "divisor").and_then(Quantity::of) else { return };
    if divisor == Quantity::count(0) {
        return;
    }
    let divisor = divisor.to_string();
    let of_bytes = |what: &str| {
        format!(
            "only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the \
             {what} resource"
        )
    };
    let is_bytes = BYTES.contains(&divisor.as_str());
    let why = match resource {
        "limits.cpu" | "requests.cpu" if !matches!(divisor.as_str(), "1" | "1m") => {
            "only divisor's values 1m and 1 are supported with the cpu resource".to_owned()
        }
        "limits.memory" | "requests.memory" if !is_bytes => of_bytes("memory"),
        "limits.ephemeral-storage" | "requests.ephemeral-storage" if !is_bytes => {
            of_bytes("local ephemeral storage")
        }
        _ if huge && !is_bytes => of_bytes("hugepages"),
        _ => return,
    };
    errors.invalid(path.child("divisor"), resource, why);
}
