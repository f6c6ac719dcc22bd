//! Event.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/>.

pub(crate) mod printer;

use json_tree::Value;

use crate::kind::{CREATES_ON_UPDATE, Checks, Dependents, Kind, Pass, Printer, Strategy, passes};
use crate::validation::internal;
use crate::validation::metadata::{self, Rules, immutable};
use crate::validation::name::{self, NameRule};
use crate::validation::read::{at, get, integer, same, text};
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
        Checks::none().validate(create_core)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

/// How the metadata of an event of the group events.k8s.io has to be.
const RULES: Rules =
    Rules { name: NameRule::Subdomain, generate_name: true, namespaced: true, known_finalizers: true };

/// The fields that an event with an `eventTime` must have, and how many bytes each may have.
const REPORTED: [(&str, usize); 3] = [("reportingInstance", 128), ("action", 128), ("reason", 128)];
const MESSAGE_LENGTH: usize = 1024;

/// Fields, as the core group calls them, that stay as they are, before the event's time and after it.
const FIXED: [(&str, &str); 7] = [
    ("involvedObject", "involvedObject"),
    ("reason", "reason"),
    ("message", "message"),
    ("source", "source"),
    ("firstTimestamp", "firstTimestamp"),
    ("lastTimestamp", "lastTimestamp"),
    ("count", "count"),
];
const FIXED_TOO: [(&str, &str); 7] = [
    // The API server looks at the reason twice.
    ("reason", "reason"),
    ("type", "type"),
    ("eventTime", "eventTime"),
    ("action", "action"),
    ("related", "related"),
    ("reportingComponent", "reportingController"),
    ("reportingInstance", "reportingInstance"),
];

/// Validates an event of the core group.
fn create_core(object: &Value) -> Vec<Error> {
    any(object, "reportingComponent")
}

/// Validates a new event of the group events.k8s.io. All events are stored as the core group's.
pub(crate) fn create(object: &Value) -> Vec<Error> {
    let mut errors = any(object, "reportingController");
    errors.extend(metadata::validate(object, &RULES));
    errors.extend(series(object));
    if get(object, "eventTime").is_none() {
        errors.required(Path::new("eventTime"), "");
    }
    let kind = text(object, "type");
    let mut wrong = |field: &str, why: &str| errors.invalid(Path::new(field), "", why);
    if !matches!(kind, "Normal" | "Warning") {
        wrong("type", &format!("has invalid value: {kind}"));
    }
    for field in ["firstTimestamp", "lastTimestamp"] {
        if get(object, field).is_some() {
            wrong(field, "needs to be unset");
        }
    }
    if integer(object, "count").unwrap_or_default() != 0 {
        wrong("count", "needs to be unset");
    }
    let source = at(object, "/source");
    if !text(source, "component").is_empty() || !text(source, "host").is_empty() {
        wrong("source", "needs to be unset");
    }
    errors
}

/// Validates an update of an event of the group events.k8s.io: only its series may change.
pub(crate) fn update(object: &Value, old: &Value) -> Vec<Error> {
    let mut errors = any(object, "reportingController");
    errors.extend(metadata::validate_update(object, old, &RULES));
    if !same(get(object, "series"), get(old, "series")) {
        errors.extend(series(object));
    }
    for (field, shown) in FIXED.into_iter().chain(FIXED_TOO) {
        if !same(get(object, field), get(old, field)) {
            let value = get(object, field).cloned().unwrap_or_else(|| zero(field));
            let value = match field {
                "involvedObject" | "related" if value.is_object() => {
                    internal::form(internal::CORE, "ObjectReference", &value)
                }
                "source" => internal::form(internal::CORE, "EventSource", &value),
                _ => value,
            };
            errors.push(immutable(&Path::new(shown), value));
        }
    }
    errors
}

/// Returns the value that a missing field reads as.
fn zero(field: &str) -> Value {
    match field {
        "firstTimestamp" | "lastTimestamp" | "eventTime" | "related" | "involvedObject" | "source" => {
            Value::Null
        }
        "count" => 0.into(),
        _ => "".into(),
    }
}

fn series(object: &Value) -> Vec<Error> {
    let Some(series) = get(object, "series") else { return Vec::new() };
    let mut errors = Vec::new();
    if integer(series, "count").unwrap_or_default() < 2 {
        errors.invalid(Path::new("series.count"), "", "should be at least 2");
    }
    if get(series, "lastObservedTime").is_none() {
        errors.required(Path::new("series.lastObservedTime"), "");
    }
    errors
}

/// Validates an event of either group. `controller` is that group's name for the reporting controller.
fn any(object: &Value, controller: &str) -> Vec<Error> {
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
        check(&create_core(&event("a")), "");
        check(
            &create_core(
                &json!({"metadata": {"namespace": "a"}, "eventTime": "t", "reportingComponent": "x", "action": "A",
                "reason": "R", "reportingInstance": "i".repeat(129), "involvedObject": {"namespace": "a"}}),
            ),
            "reportingInstance: Invalid value: \"\": can have at most 128 characters",
        );
        check(
            &create_core(&event("default")),
            "involvedObject.namespace: Invalid value: \"default\": does not match event.namespace",
        );
        check(
            &create(&json!({"metadata": {"name": "a", "namespace": "a"}})),
            "[involvedObject.namespace: Invalid value: \"\": does not match event.namespace, \
             eventTime: Required value, type: Invalid value: \"\": has invalid value: ]",
        );
        let new = json!({"metadata": {"name": "a", "namespace": "a"}, "eventTime": "t", "type": "Normal",
            "reportingComponent": "x y", "count": 1, "series": {"count": 1}, "involvedObject": {"namespace": "b"}});
        check(
            &create(&new),
            "[reportingController: Invalid value: \"x y\": name part must consist of alphanumeric characters, '-', '_' or '.', \
             and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for \
             validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'), reportingInstance: Required value, \
             action: Required value, reason: Required value, series.count: Invalid value: \"\": should be at least 2, \
             series.lastObservedTime: Required value, count: Invalid value: \"\": needs to be unset]",
        );
    }

    #[test]
    fn only_the_series_of_an_event_goes_on() {
        let old = json!({"metadata": {"name": "a", "namespace": "a", "resourceVersion": "1"}, "eventTime": "t",
            "type": "Normal", "reportingComponent": "x", "reportingInstance": "i", "action": "A", "reason": "R",
            "involvedObject": {"namespace": "a", "name": "p"}});
        let mut new = old.clone();
        new["series"] = json!({"count": 2, "lastObservedTime": "u"});
        check(&update(&new, &old), "");
        new["series"]["count"] = 1.into();
        new["involvedObject"]["name"] = "q".into();
        new["count"] = 1.into();
        new["reportingComponent"] = "y".into();
        new["reason"] = "S".into();
        let reasons = update(&new, &old).iter().filter(|error| error.field == "reason").count();
        assert_eq!(reasons, 2);
        check(
            &update(&new, &old),
            "[series.count: Invalid value: \"\": should be at least 2, involvedObject: Invalid value: \
             {\"Kind\":\"\",\"Namespace\":\"a\",\"Name\":\"q\",\"UID\":\"\",\"APIVersion\":\"\",\"ResourceVersion\":\"\",\
             \"FieldPath\":\"\"}: field is immutable, reason: Invalid value: \"S\": field is immutable, count: Invalid value: 1: field is immutable, \
             reportingController: Invalid value: \"y\": field is immutable]",
        );
    }
}
