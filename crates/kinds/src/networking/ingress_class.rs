//! The kind IngressClass.
//!
//! See <https://kubernetes.io/docs/concepts/services-networking/ingress/#ingress-class>.

mod printer;

use json_tree::Value;

use crate::kind::{Checks, Kind, Pass, Printer, Strategy, TRACKED, passes};
use crate::networking::ingress::reference;
use crate::validation::checks::{named, supported, unchanged};
use crate::validation::name;
use crate::validation::read::{at, get, text};
use field::{AddError, Error, Path};

/// The kind IngressClass.
pub(crate) struct IngressClass;

impl Kind for IngressClass {
    const GROUP: &'static str = "networking.k8s.io";
    const RESOURCE: &'static str = "ingressclasses";
    const STRATEGY: Strategy = TRACKED;
    const UPDATE_PASSES: &'static [Pass] = passes::UPDATE_CREATE;

    fn checks() -> Checks {
        Checks::none().validate(create).validate_update(update)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

const MAX_CONTROLLER: usize = 250;
const SCOPES: [&str; 2] = ["Cluster", "Namespace"];
const PATH_FORMAT: &str = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+";

/// Validates an IngressClass.
fn create(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let mut errors = controller(text(spec, "controller"), &path.child("controller"));
    if let Some(of) = get(spec, "parameters") {
        errors.extend(parameters(of, &path.child("parameters")));
    }
    errors
}

/// Validates an update of an IngressClass.
fn update(object: &Value, old: &Value) -> Vec<Error> {
    unchanged(at(object, "/spec"), at(old, "/spec"), &["controller"], &Path::new("spec"))
}

fn controller(controller: &str, path: &Path) -> Vec<Error> {
    if controller.is_empty() {
        return vec![Error::required(path, "")];
    }
    let mut errors = Vec::new();
    if controller.len() > MAX_CONTROLLER {
        errors.too_long(path, MAX_CONTROLLER);
    }
    match controller.split_once('/') {
        Some((host, rest)) if !host.is_empty() && !rest.is_empty() => {
            errors.extend(named(host, name::subdomain, path));
            if !rest.bytes().all(|b| b.is_ascii_alphanumeric() || b"/-._~%!$&'()*+,;=:".contains(&b)) {
                let why = format!("Invalid path (regex used for validation is '{PATH_FORMAT}')");
                errors.invalid(path, rest, why);
            }
        }
        _ => {
            let why = "must be a domain-prefixed path (such as \"acme.io/foo\")";
            errors.invalid(path, controller, why);
        }
    }
    errors
}

fn parameters(of: &Value, path: &Path) -> Vec<Error> {
    let mut errors = reference(of, path);
    let (namespace, at) = (get(of, "namespace"), path.child("namespace"));
    match get(of, "scope").and_then(Value::as_str) {
        None => errors.required(path.child("scope"), ""),
        Some("Namespace") => match namespace {
            None => errors.required(&at, "`parameters.scope` is set to 'Namespace'"),
            Some(namespace) => {
                errors.extend(named(namespace.as_str().unwrap_or_default(), name::label, &at));
            }
        },
        Some("Cluster") => {
            let why = "`parameters.scope` is set to 'Cluster'";
            errors.extend(namespace.map(|_| Error::forbidden(&at, why)));
        }
        Some(_) => errors.extend(supported(of, "scope", &SCOPES, path)),
    }
    errors
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check;

    #[test]
    fn ingress_classes() {
        let class = |controller: &str| json!({"spec": {"controller": controller}});
        check(&create(&class("a.io/b")), "");
        check(&create(&class("")), "spec.controller: Required value");
        check(
            &create(&class("plain")),
            "spec.controller: Invalid value: \"plain\": must be a domain-prefixed path (such as \"acme.io/foo\")",
        );
        check(
            &update(&class("a.io/c"), &class("a.io/b")),
            "spec.controller: Invalid value: \"a.io/c\": field is immutable",
        );
    }

    #[test]
    fn parameters_of_classes() {
        let class = |parameters: Value| json!({"spec": {"controller": "a.io/b", "parameters": parameters}});
        check(&create(&class(json!({"kind": "K", "name": "n", "scope": "Namespace", "namespace": "s"}))), "");
        check(
            &create(&class(json!({"kind": "K/L", "scope": "Cluster", "namespace": "s"}))),
            "[spec.parameters.kind: Invalid value: \"K/L\": may not contain '/', spec.parameters.name: Required value, \
             spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster']",
        );
    }
}
