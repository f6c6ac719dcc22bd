//! Validation of the metrics of an autoscaler.
//!
//! See <https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale-walkthrough/>.

use json_tree::Value;
use schema::quantity::Quantity;

use super::Reference;
use crate::core::resource_names;
use crate::validation::name;
use crate::validation::read::{at, get, integer, text};
use field::{AddError, Error, Path};

/// The types of metrics in the order of their names, and the field that holds each.
const KINDS: [(&str, &str); 5] = [
    ("ContainerResource", "containerResource"),
    ("External", "external"),
    ("Object", "object"),
    ("Pods", "pods"),
    ("Resource", "resource"),
];

/// The fields that hold a source, in the order in which they are looked at.
const SOURCES: [&str; 5] = ["object", "external", "pods", "resource", "containerResource"];

/// Validates a metric. Of several sources, only the first is looked at.
pub(super) fn check(metric: &Value, described: Reference, path: &Path) -> Vec<Error> {
    let (kind, at_kind) = (text(metric, "type"), path.child("type"));
    let expected = KINDS.iter().find(|(known, _)| *known == kind).map(|(_, field)| *field);
    let unknown = || Error::not_supported(&at_kind, kind, &KINDS.map(|(known, _)| known));
    let mut errors = Vec::new();
    if kind.is_empty() {
        errors.required(&at_kind, "must specify a metric source type");
    }
    if expected.is_none() {
        errors.push(unknown());
    }
    let present: Vec<&str> = SOURCES.into_iter().filter(|field| get(metric, field).is_some()).collect();
    if let Some(field) = present.first() {
        errors.extend(source(field, at(metric, &format!("/{field}")), described, &path.child(field)));
    }
    match expected {
        None => errors.push(unknown()),
        Some(field) if !present.contains(&field) => {
            let why = "must populate information for the given metric source";
            errors.required(path.child(field), why);
        }
        Some(_) => {}
    }
    if present.len() > 1 {
        for field in present.into_iter().filter(|field| Some(*field) != expected) {
            errors.forbidden(path.child(field), "must populate the given metric source only");
        }
    }
    errors
}

fn source(field: &str, source: &Value, described: Reference, path: &Path) -> Vec<Error> {
    let target = at(source, "/target");
    let has = |field: &str| get(target, field).is_some();
    let (value, average, utilization) = (has("value"), has("averageValue"), has("averageUtilization"));
    let mut errors = Vec::new();
    match field {
        "object" => {
            let object = at(source, "/describedObject");
            errors.extend(described.check(object, &path.child("describedObject")));
            errors.extend(identifier(source, path));
        }
        "external" | "pods" => errors.extend(identifier(source, path)),
        _ => errors.extend(resource(field, source, path)),
    }
    let path = path.child("target");
    errors.extend(measure(target, &path));
    let (at_average, at_utilization) = (path.child("averageValue"), path.child("averageUtilization"));
    match field {
        "object" if !value && !average => {
            errors.required(&at_average, "must set either a target value or averageValue");
        }
        "external" if !value && !average => {
            let why = "must set either a target value for metric or a per-pod target";
            errors.required(&at_average, why);
        }
        "external" if value && average => {
            let why = "may not set both a target value for metric and a per-pod target";
            errors.forbidden(path.child("value"), why);
        }
        "pods" if !average => {
            errors.required(&at_average, "must specify a positive target averageValue");
        }
        "resource" | "containerResource" if !utilization && !average => {
            let why = "must set either a target raw value or a target utilization";
            errors.required(&at_utilization, why);
        }
        "resource" | "containerResource" if utilization && average => {
            let why = "may not set both a target raw value and a target utilization";
            errors.forbidden(&at_average, why);
        }
        _ => {}
    }
    errors
}

fn resource(field: &str, source: &Value, path: &Path) -> Vec<Error> {
    let (this, at) = (text(source, "name"), path.child("name"));
    let mut errors = Vec::new();
    if this.is_empty() {
        errors.required(&at, "must specify a resource name");
    }
    if field == "resource" {
        return errors;
    }
    if !this.is_empty() {
        errors.extend(resource_names::of_container(this, &at));
    }
    let (container, at) = (text(source, "container"), path.child("container"));
    if container.is_empty() {
        errors.required(&at, "must specify a container");
    } else {
        errors.extend(name::label(container).into_iter().map(|why| Error::invalid(&at, container, why)));
    }
    errors
}

/// Validates the name of a metric.
fn identifier(source: &Value, path: &Path) -> Vec<Error> {
    let (this, at) = (text(at(source, "/metric"), "name"), path.child("metric").child("name"));
    if this.is_empty() {
        return vec![Error::required(&at, "must specify a metric name")];
    }
    name::path_segment(this).into_iter().map(|why| Error::invalid(&at, this, why)).collect()
}

/// Validates the target value of a metric.
fn measure(target: &Value, path: &Path) -> Vec<Error> {
    let (kind, at) = (text(target, "type"), path.child("type"));
    let mut errors = Vec::new();
    if kind.is_empty() {
        errors.required(&at, "must specify a metric target type");
    }
    if !matches!(kind, "Utilization" | "Value" | "AverageValue") {
        errors.invalid(&at, kind, "must be either Utilization, Value, or AverageValue");
    }
    for field in ["value", "averageValue"] {
        let amount = get(target, field).and_then(Value::as_str);
        if let Some(amount) = amount
            && !Quantity::parse(amount).is_ok_and(|amount| amount.is_positive())
        {
            errors.invalid(path.child(field), amount, "must be positive");
        }
    }
    if let Some(percentage) = integer(target, "averageUtilization").filter(|percentage| *percentage < 1) {
        let at = path.child("averageUtilization");
        errors.invalid(&at, percentage, "must be greater than 0");
    }
    errors
}
