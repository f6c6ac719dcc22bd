//! The kind APIService.
//!
//! See <https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/>.

mod printer;
mod strategy;

pub use strategy::local_status;

use json_tree::Value;

use crate::kind::{Checks, Kind, Pass, Paths, Printer, Strategy, passes};
use crate::validation::checks::{named, required};
use crate::validation::name;
use crate::validation::name::NameRule;
use crate::validation::read::{at, get, integer, is_true, list, text};
use crate::validation::values::port_number;
use field::{AddError, Error, Path, quote};

/// The kind APIService.
pub(crate) struct APIService;

impl Kind for APIService {
    const GROUP: &'static str = "apiregistration.k8s.io";
    const RESOURCE: &'static str = "apiservices";
    const STORAGE_PREFIX: Option<&'static str> = Some("apiregistration.k8s.io/apiservices");
    const STRATEGY: Strategy = strategy::STRATEGY;
    const RESET_FIELDS: &'static [(&'static str, Paths)] = &[("status", &[&["spec"], &["metadata"]])];
    const NAME: NameRule = NameRule::PathSegment;
    const UPDATE_PASSES: &'static [Pass] = passes::UPDATE_CREATE;

    fn checks() -> Checks {
        Checks::none().validate_name(own_name).validate(create).validate_part("status", update_status)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

/// Validates a name, which is made of what it registers.
fn own_name(object: &Value) -> Vec<Error> {
    let spec = at(object, "/spec");
    let required_name = [text(spec, "version"), ".", text(spec, "group")].concat();
    let this = text(at(object, "/metadata"), "name");
    let mut errors = Vec::new();
    if !this.is_empty() && name::path_segment(this).is_empty() && this != required_name {
        let why = format!("must be `spec.version+\".\"+spec.group`: {}", quote(&required_name));
        errors.invalid(Path::new("metadata").child("name"), this, why);
    }
    errors
}

/// Validates an APIService, the registration of a group's version.
fn create(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let (version, group) = (text(spec, "version"), text(spec, "group"));
    let mut errors = Vec::new();
    if !group.is_empty() {
        errors.extend(named(group, name::subdomain, &path.child("group")));
    } else if version != "v1" {
        let why = "only v1 may have an empty group and it better be legacy kube";
        errors.required(path.child("group"), why);
    }
    errors.extend(named(version, name::dns1035_label, &path.child("version")));
    for (field, max) in [("groupPriorityMinimum", 20000), ("versionPriority", 1000)] {
        let priority = integer(spec, field).unwrap_or_default();
        if !(1..=max).contains(&priority) {
            let why = format!("must be positive and less than {max}");
            errors.invalid(path.child(field), priority, why);
        }
    }
    errors.extend(server(spec, &path));
    errors
}

/// Validates how the server of the version is found and trusted.
fn server(spec: &Value, path: &Path) -> Vec<Error> {
    let bundle = text(spec, "caBundle");
    let insecure = is_true(spec, "insecureSkipTLSVerify");
    let mut errors = Vec::new();
    let at_insecure = path.child("insecureSkipTLSVerify");
    let Some(service) = get(spec, "service") else {
        if !bundle.is_empty() {
            let size = bundle.trim_end_matches('=').len() * 3 / 4;
            let why = "local APIServices may not have a caBundle";
            errors.invalid(path.child("caBundle"), format!("{size} bytes"), why);
        }
        if insecure {
            let why = "local APIServices may not have insecureSkipTLSVerify";
            errors.invalid(&at_insecure, true, why);
        }
        return errors;
    };
    let path = path.child("service");
    errors.extend(required(service, &["namespace", "name"], &path));
    let (port, at) = (integer(service, "port").unwrap_or_default(), path.child("port"));
    errors.extend(
        port_number(port, &at)
            .map(|error| Error::invalid(&at, port, format!("port is not valid: {}", error.detail))),
    );
    if insecure && !bundle.is_empty() {
        errors.invalid(&at_insecure, true, "may not be true if caBundle is present");
    }
    errors
}

/// Validates the status of an APIService.
fn update_status(object: &Value, _: &Value) -> Vec<Error> {
    const KNOWN: [&str; 3] = ["True", "False", "Unknown"];
    let path = Path::new("status").child("conditions");
    let conditions = list(at(object, "/status"), "conditions").iter().enumerate();
    conditions
        .map(|(index, condition)| (index, text(condition, "status")))
        .filter(|(_, status)| !KNOWN.contains(status))
        .map(|(index, status)| Error::not_supported(path.index(index).child("status"), status, &KNOWN))
        .collect()
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check;

    #[test]
    fn registrations() {
        let service = |name: &str, priority: i64, more: Value| {
            let mut spec = json!({"group": "a.io", "version": "v1", "groupPriorityMinimum": priority, "versionPriority": 1});
            if let (Some(spec), Value::Object(more)) = (spec.as_object_mut(), more) {
                spec.extend(more);
            }
            let service = json!({"metadata": {"name": name}, "spec": spec});
            [own_name(&service), create(&service)].concat()
        };
        check(&service("v1.a.io", 1, json!({})), "");
        check(
            &service("x", 0, json!({})),
            "[metadata.name: Invalid value: \"x\": must be `spec.version+\".\"+spec.group`: \"v1.a.io\", \
             spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000]",
        );
        check(
            &service("v1.a.io", 1, json!({"insecureSkipTLSVerify": true, "caBundle": "AAAA"})),
            "[spec.caBundle: Invalid value: \"3 bytes\": local APIServices may not have a caBundle, \
             spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify]",
        );
        check(
            &service("v1.a.io", 1, json!({"service": {"name": "n", "port": 443}})),
            "spec.service.namespace: Required value",
        );
    }
}
