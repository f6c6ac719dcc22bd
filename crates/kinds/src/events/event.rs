//! The kind Event of the group events.k8s.io. All events are stored as those of the core group.

pub(crate) mod conversion;

use json_tree::Value;

use crate::core::event::{self, any, printer};
use crate::kind::{Checks, Kind, Pass, Printer};
use crate::validation::internal;
use crate::validation::metadata::{self, Rules, immutable};
use crate::validation::name::NameRule;
use crate::validation::read::{at, get, integer, same, text};
use apimachinery::selector::field::SelectableFields;
use field::{AddError, Error, Path};

/// The kind Event.
pub(crate) struct Event;

impl Kind for Event {
    const GROUP: &'static str = "events.k8s.io";
    const RESOURCE: &'static str = "events";
    const SELECTABLE_FIELDS: Option<&'static SelectableFields> = Some(&SelectableFields {
        aliases: &[
            ("reason", "reason"),
            ("regarding.kind", "involvedObject.kind"),
            ("regarding.namespace", "involvedObject.namespace"),
            ("regarding.name", "involvedObject.name"),
            ("regarding.uid", "involvedObject.uid"),
            ("regarding.apiVersion", "involvedObject.apiVersion"),
            ("regarding.resourceVersion", "involvedObject.resourceVersion"),
            ("regarding.fieldPath", "involvedObject.fieldPath"),
            ("reportingController", "reportingComponent"),
            ("type", "type"),
        ],
        only_aliases: true,
        ..SelectableFields::of(true, event::LABELS)
    });
    const NAME: NameRule = NameRule::PathSegment;
    const UPDATE_PASSES: &'static [Pass] = &[Pass::Change];

    fn checks() -> Checks {
        Checks::none().validate(create).validate_update(update)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

/// The rules for the metadata of an event of the group events.k8s.io.
const RULES: Rules =
    Rules { name: NameRule::Subdomain, generate_name: true, namespaced: true, known_finalizers: true };

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

/// Validates a new event of the group events.k8s.io. All events are stored as the core group's.
fn create(object: &Value) -> Vec<Error> {
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
fn update(object: &Value, old: &Value) -> Vec<Error> {
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

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check;

    #[test]
    fn events() {
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
