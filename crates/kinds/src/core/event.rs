//! The kind Event of the core group, and the checks of events of both groups.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/>.

pub(crate) mod printer;

use json_tree::Value;

use crate::kind::{CREATES_ON_UPDATE, Checks, Dependents, Kind, Pass, Printer, Strategy, passes};
use crate::validation::name::{self, NameRule};
use crate::validation::read::{at, get, text};
use apimachinery::selector::field::{Label, SelectableFields, Source};
use field::{AddError, Error, Path};

/// The labels of events, in both groups.
pub(crate) const LABELS: &[Label] = &[
    ("involvedObject.kind", Source::FirstOf(&["/involvedObject/kind", "/regarding/kind"])),
    ("involvedObject.namespace", Source::FirstOf(&["/involvedObject/namespace", "/regarding/namespace"])),
    ("involvedObject.name", Source::FirstOf(&["/involvedObject/name", "/regarding/name"])),
    ("involvedObject.uid", Source::FirstOf(&["/involvedObject/uid", "/regarding/uid"])),
    ("involvedObject.apiVersion", Source::FirstOf(&["/involvedObject/apiVersion", "/regarding/apiVersion"])),
    (
        "involvedObject.resourceVersion",
        Source::FirstOf(&["/involvedObject/resourceVersion", "/regarding/resourceVersion"]),
    ),
    ("involvedObject.fieldPath", Source::FirstOf(&["/involvedObject/fieldPath", "/regarding/fieldPath"])),
    ("reason", Source::At("/reason", "")),
    ("reportingComponent", Source::FirstOf(&["/reportingComponent", "/reportingController"])),
    (
        "source",
        Source::FirstOf(&[
            "/source/component",
            "/deprecatedSource/component",
            "/reportingComponent",
            "/reportingController",
        ]),
    ),
    ("type", Source::At("/type", "")),
];

/// The kind Event.
pub(crate) struct Event;

impl Kind for Event {
    const GROUP: &'static str = "";
    const RESOURCE: &'static str = "events";
    const SELECTABLE_FIELDS: Option<&'static SelectableFields> = Some(&SelectableFields::of(true, LABELS));
    const STRATEGY: Strategy = Strategy { dependents: Dependents::Unsupported, ..CREATES_ON_UPDATE };
    const NAME: NameRule = NameRule::PathSegment;
    const CHECKS_NEW_METADATA: bool = false;
    const UPDATE_PASSES: &'static [Pass] = passes::SPEC;

    fn checks() -> Checks {
        Checks::none().validate(create)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

/// The fields that an event with an `eventTime` must have, and how many bytes each may have.
const REPORTED: [(&str, usize); 3] = [("reportingInstance", 128), ("action", 128), ("reason", 128)];
const MESSAGE_LENGTH: usize = 1024;

/// Validates an event of the core group.
fn create(object: &Value) -> Vec<Error> {
    any(object, "reportingComponent")
}

/// Validates an event of either group. `controller` is that group's name for the reporting controller.
pub(crate) fn any(object: &Value, controller: &str) -> Vec<Error> {
    let namespace = text(at(object, "/metadata"), "namespace");
    let about = text(at(object, "/involvedObject"), "namespace");
    let is_new = get(object, "eventTime").is_some();
    // What lives in no namespace has its events in the namespace default.
    let agrees = match (about, is_new) {
        ("", true) => matches!(namespace, "default" | "kube-system"),
        ("", false) => matches!(namespace, "" | "default"),
        (about, is_new) => is_new || about == namespace,
    };
    let mut errors = Vec::new();
    if !agrees {
        let path = Path::new("involvedObject").child("namespace");
        errors.invalid(&path, about, "does not match event.namespace");
    }
    if is_new {
        errors.extend(reported(object, controller));
    }
    let path = Path::new("namespace");
    errors.extend(name::subdomain(namespace).into_iter().map(|why| Error::invalid(&path, namespace, why)));
    errors
}

/// Validates the fields that say who reports what.
fn reported(object: &Value, controller: &str) -> Vec<Error> {
    let (this, path) = (text(object, "reportingComponent"), Path::new(controller));
    let mut errors = Vec::new();
    if this.is_empty() {
        errors.required(&path, "");
    }
    errors.extend(name::qualified_name(this).into_iter().map(|why| Error::invalid(&path, this, why)));
    let too_long = |field: &str, max: usize| {
        Error::invalid(Path::new(field), "", format!("can have at most {max} characters"))
    };
    for (field, max) in REPORTED {
        let value = text(object, field);
        if value.is_empty() {
            errors.required(Path::new(field), "");
        }
        if value.len() > max {
            errors.push(too_long(field, max));
        }
    }
    if text(object, "message").len() > MESSAGE_LENGTH {
        errors.push(too_long("message", MESSAGE_LENGTH));
    }
    errors
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check;

    #[test]
    fn events() {
        let event =
            |about: &str| json!({"metadata": {"namespace": "a"}, "involvedObject": {"namespace": about}});
        check(&create(&event("a")), "");
        check(
            &create(
                &json!({"metadata": {"namespace": "a"}, "eventTime": "t", "reportingComponent": "x", "action": "A",
                "reason": "R", "reportingInstance": "i".repeat(129), "involvedObject": {"namespace": "a"}}),
            ),
            "reportingInstance: Invalid value: \"\": can have at most 128 characters",
        );
        check(
            &create(&event("default")),
            "involvedObject.namespace: Invalid value: \"default\": does not match event.namespace",
        );
    }
}
