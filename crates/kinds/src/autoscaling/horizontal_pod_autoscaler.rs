//! The kind HorizontalPodAutoscaler, as `autoscaling/v2` has it.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale/>.

mod behavior;
pub(crate) mod conversion;
mod metric;
mod printer;

use json_tree::Value;

use crate::kind::{Checks, Kind, Printer};
use crate::validation::name;
use crate::validation::read::{at, get, integer, list, text};
use crate::validation::values::not_negative;
use field::{AddError, Error, Path};

/// The kind HorizontalPodAutoscaler.
pub(crate) struct HorizontalPodAutoscaler;

impl Kind for HorizontalPodAutoscaler {
    const GROUP: &'static str = "autoscaling";
    const RESOURCE: &'static str = "horizontalpodautoscalers";

    fn checks() -> Checks {
        Checks::none().validate(create).validate_update(update).validate_part("status", update_status)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

fn create(object: &Value) -> Vec<Error> {
    spec(at(object, "/spec"), &Value::Null)
}

fn update(object: &Value, old: &Value) -> Vec<Error> {
    spec(at(object, "/spec"), at(old, "/spec"))
}

fn update_status(object: &Value, _old: &Value) -> Vec<Error> {
    let (status, path) = (at(object, "/status"), Path::new("status"));
    ["currentReplicas", "desiredReplicas"]
        .iter()
        .filter_map(|field| not_negative(status, field, &path))
        .collect()
}

/// The rules for a reference to another object.
#[derive(Clone, Copy)]
struct Reference {
    /// It may leave out the API group.
    any_group: bool,
    /// The reference's version is not looked at.
    any_version: bool,
}

impl Reference {
    /// Validates the version that a reference has.
    fn version(self, version: &str) -> Option<String> {
        if self.any_version {
            return None;
        }
        let (group, rest) = version.split_once('/').unwrap_or(("", version));
        if rest.contains('/') {
            return Some(format!("unexpected GroupVersion string: {version}"));
        }
        (group.is_empty() && !self.any_group).then(|| "apiVersion must specify API group".to_owned())
    }

    /// Validates a reference.
    fn check(self, reference: &Value, path: &Path) -> Vec<Error> {
        let mut errors = Vec::new();
        for field in ["kind", "name"] {
            let (value, at) = (text(reference, field), path.child(field));
            if value.is_empty() {
                errors.required(&at, "");
            }
            errors.extend(name::path_segment(value).into_iter().map(|why| Error::invalid(&at, value, why)));
        }
        let version = text(reference, "apiVersion");
        let why = self.version(version);
        errors.extend(why.map(|why| Error::invalid(path.child("apiVersion"), version, why)));
        errors
    }
}

/// Validates the spec. What was accepted once in `old`, which is null for a new autoscaler, stays acceptable.
fn spec(spec: &Value, old: &Value) -> Vec<Error> {
    let path = Path::new("spec");
    let (min, max) = (integer(spec, "minReplicas"), integer(spec, "maxReplicas").unwrap_or_default());
    let least = if integer(old, "minReplicas") == Some(0) { 0 } else { 1 };
    let mut errors = Vec::new();
    if let Some(min) = min.filter(|min| *min < least) {
        let why = format!("must be greater than or equal to {least}");
        errors.invalid(path.child("minReplicas"), min, why);
    }
    let at_max = path.child("maxReplicas");
    if max == 0 {
        errors.required(&at_max, "must be set and greater than 0");
    } else if max < 0 {
        errors.invalid(&at_max, max, "must be greater than or equal to 1");
    }
    if max < min.unwrap_or(1) {
        errors.invalid(&at_max, max, "must be greater than or equal to `minReplicas`");
    }
    let target = at(spec, "/scaleTargetRef");
    // The only kind in the core group that can be scaled.
    let mut reference =
        Reference { any_group: text(target, "kind") == "ReplicationController", any_version: false };
    if !old.is_null() {
        reference.any_version = reference.version(text(at(old, "/scaleTargetRef"), "apiVersion")).is_some();
    }
    errors.extend(reference.check(target, &path.child("scaleTargetRef")));
    let mut described = Reference { any_group: true, any_version: false };
    described.any_version = list(old, "metrics")
        .iter()
        .any(|metric| described.version(text(at(metric, "/object/describedObject"), "apiVersion")).is_some());
    let (metrics, path_metrics) = (list(spec, "metrics"), path.child("metrics"));
    for (index, one) in metrics.iter().enumerate() {
        errors.extend(metric::check(one, described, &path_metrics.index(index)));
    }
    if min == Some(0) && !metrics.iter().any(|metric| matches!(text(metric, "type"), "Object" | "External")) {
        let why = "must specify at least one Object or External metric to support scaling to zero replicas";
        errors.forbidden(&path_metrics, why);
    }
    for direction in ["scaleUp", "scaleDown"] {
        if let Some(rules) = get(at(spec, "/behavior"), direction) {
            errors.extend(behavior::check(rules, &path.child("behavior").child(direction)));
        }
    }
    errors
}

#[cfg(test)]
mod tests;
