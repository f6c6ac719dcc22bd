//! Validation that FlowSchemas and PriorityLevelConfigurations have in common: objects that every cluster has, and statuses.
//!
//! See <https://kubernetes.io/docs/concepts/cluster-administration/flow-control/>.

use std::collections::HashSet;

use json_tree::Value;

use super::initial;
use crate::validation::internal;
use crate::validation::read::{at, list, text};
use field::{AddError, Error, Path};

const PACKAGE: &str = "k8s.io/api/flowcontrol/v1";

/// Returns the error of one of the objects that every cluster has and that has to stay what it is. How much the exempt level
/// lends may change.
pub(super) fn not_as_fixed(object: &Value, plural: &str) -> Option<Error> {
    let this = text(at(object, "/metadata"), "name");
    if !matches!(this, "exempt" | "catch-all") {
        return None;
    }
    let fixed = initial::spec_of(plural, this)?;
    let (ty, except) = match plural {
        "flowschemas" => ("FlowSchemaSpec", ""),
        _ => ("PriorityLevelConfigurationSpec", " except the 'spec.exempt' field"),
    };
    let printed = internal::form(PACKAGE, ty, at(object, "/spec"));
    let (mut wanted, mut found) = (internal::form(PACKAGE, ty, &fixed), printed.clone());
    for one in
        [&mut wanted, &mut found].into_iter().filter_map(Value::as_object_mut).filter(|_| this == "exempt")
    {
        one.remove("Exempt");
    }
    let why = format!("spec of '{this}'{except} must equal the fixed value");
    (wanted != found).then(|| Error::invalid(Path::new("spec"), printed, why))
}

/// Validates a status: its conditions.
pub(super) fn update_status(object: &Value, _: &Value) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut types: HashSet<&str> = HashSet::new();
    for (index, condition) in list(at(object, "/status"), "conditions").iter().enumerate() {
        let ty = text(condition, "type");
        let path = Path::new("status").child("conditions").index(index).child("type");
        if types.contains(&ty) {
            errors.duplicate(&path, ty);
        }
        types.insert(ty);
        if ty.is_empty() {
            errors.required(&path, "must not be empty");
        }
    }
    errors
}
