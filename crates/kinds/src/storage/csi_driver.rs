//! The kind CSIDriver.

mod printer;
mod warnings;

use std::collections::HashSet;

use json_tree::Value;

use crate::kind::{ANSWERS_OBJECT, Checks, Kind, Printer, Strategy};
use crate::validation::checks::{go_value, texts};
use crate::validation::read::{at, get, integer, list, same, text};
use crate::validation::values::one_of;
use apimachinery::object::{METADATA_ORDER, Object, metadata_mut, set_in_order};
use field::{AddError, Error, Path};

/// The kind CSIDriver.
pub(crate) struct CSIDriver;

impl Kind for CSIDriver {
    const GROUP: &'static str = "storage.k8s.io";
    const RESOURCE: &'static str = "csidrivers";
    const STRATEGY: Strategy = Strategy { requires_version: true, prepare_for_update, ..ANSWERS_OBJECT };

    fn drop_disabled_fields(object: &mut Object, old: Option<&Object>) {
        drop_volume_limit(object, old.and_then(|old| old.get("spec")));
    }

    fn checks() -> Checks {
        Checks::none().validate(create).validate_update(update).warn(warnings::warn)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

/// `VolumeLimitScaling`: what the driver had before may stay.
fn drop_volume_limit(driver: &mut Object, before: Option<&Value>) {
    const FIELD: &str = "preventPodSchedulingIfMissing";
    let had = before.is_some_and(|spec| get(spec, FIELD).is_some());
    if let Some(Value::Object(spec)) = driver.get_mut("spec").filter(|_| !had) {
        spec.shift_remove(FIELD);
    }
}

const MODES: [&str; 2] = ["Persistent", "Ephemeral"];
const GROUP_POLICIES: [&str; 3] = ["File", "None", "ReadWriteOnceWithFSType"];

/// Validates a CSIDriver.
fn create(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let mut errors = Vec::new();
    for (field, called) in [
        ("attachRequired", "attachedRequired"),
        ("podInfoOnMount", "podInfoOnMount"),
        ("storageCapacity", "storageCapacity"),
    ] {
        if get(spec, field).is_none() {
            errors.required(path.child(called), "");
        }
    }
    errors.extend(one_of(spec, "fsGroupPolicy", &GROUP_POLICIES, &path));
    errors.extend(token_requests(spec, &path.child("tokenRequests")));
    for mode in texts(spec, "volumeLifecycleModes") {
        if !MODES.contains(&mode) {
            errors.not_supported(path.child("volumeLifecycleModes"), mode, &MODES);
        }
    }
    if get(spec, "seLinuxMount").is_none() {
        errors.required(path.child("seLinuxMount"), "");
    }
    errors.extend(period(spec, &path));
    if let Some(value) =
        get(spec, "serviceAccountTokenInSecrets").filter(|_| list(spec, "tokenRequests").is_empty())
    {
        let why = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
        errors.invalid(path.child("serviceAccountTokenInSecrets"), value.clone(), why);
    }
    errors
}

/// Validates a changed CSIDriver.
fn update(object: &Value, old: &Value) -> Vec<Error> {
    let (spec, was, path) = (at(object, "/spec"), at(old, "/spec"), Path::new("spec"));
    let mut errors = create(object);
    for (field, called) in
        [("attachRequired", "attachedRequired"), ("volumeLifecycleModes", "volumeLifecycleModes")]
    {
        if !same(get(spec, field), get(was, field)) {
            let value = go_value(spec, field);
            errors.invalid(path.child(called), value, "field is immutable");
        }
    }
    errors
}

fn period(spec: &Value, path: &Path) -> Option<Error> {
    let field = "nodeAllocatableUpdatePeriodSeconds";
    let seconds = integer(spec, field).filter(|seconds| *seconds < 10)?;
    Some(Error::invalid(path.child(field), seconds, "must be greater than or equal to 10 seconds"))
}

fn token_requests(spec: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut audiences: HashSet<&str> = HashSet::new();
    for (index, request) in list(spec, "tokenRequests").iter().enumerate() {
        let (path, audience) = (path.index(index), text(request, "audience"));
        if audiences.contains(&audience) {
            errors.duplicate(path.child("audience"), audience);
            continue;
        }
        audiences.insert(audience);
        let why = match integer(request, "expirationSeconds") {
            Some(seconds) if seconds < 600 => "may not specify a duration less than 10 minutes",
            Some(seconds) if seconds > 1 << 32 => "may not specify a duration larger than 2^32 seconds",
            _ => continue,
        };
        let value = go_value(request, "expirationSeconds");
        errors.invalid(path.child("expirationSeconds"), value, why);
    }
    errors
}

/// A driver of which something changes is another generation of it; the first has no number.
fn prepare_for_update(driver: &mut Object, old: &Object) {
    if driver.get("spec") == old.get("spec") {
        return;
    }
    let metadata = metadata_mut(driver);
    let generation = metadata.get("generation").and_then(Value::as_i64).unwrap_or_default();
    set_in_order(metadata, "generation", (generation + 1).into(), METADATA_ORDER);
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check;

    #[test]
    fn drivers() {
        let driver = |more: Value| {
            let mut spec = json!({"attachRequired": true, "podInfoOnMount": false, "storageCapacity": false, "seLinuxMount": false});
            if let (Some(spec), Value::Object(more)) = (spec.as_object_mut(), more) {
                spec.extend(more);
            }
            json!({"metadata": {"name": "d.io"}, "spec": spec})
        };
        check(&create(&driver(json!({}))), "");
        check(
            &create(&driver(json!({"fsGroupPolicy": "Some", "volumeLifecycleModes": ["Never"],
                "tokenRequests": [{"audience": "a", "expirationSeconds": 1}, {"audience": "a"}]}))),
            "[spec.fsGroupPolicy: Unsupported value: \"Some\": supported values: \"File\", \"None\", \"ReadWriteOnceWithFSType\", \
             spec.tokenRequests[0].expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes, \
             spec.tokenRequests[1].audience: Duplicate value: \"a\", \
             spec.volumeLifecycleModes: Unsupported value: \"Never\": supported values: \"Persistent\", \"Ephemeral\"]",
        );
        check(
            &create(&driver(json!({"serviceAccountTokenInSecrets": false}))),
            "spec.serviceAccountTokenInSecrets: Invalid value: false: serviceAccountTokenInSecrets is set but no tokenRequests are specified",
        );
        check(
            &update(
                &driver(
                    json!({"attachRequired": false, "storageCapacity": true, "volumeLifecycleModes": ["Ephemeral"]}),
                ),
                &driver(json!({})),
            ),
            "[spec.attachedRequired: Invalid value: false: field is immutable, \
             spec.volumeLifecycleModes: Invalid value: [\"Ephemeral\"]: field is immutable]",
        );
    }
}
