//! The kind ValidatingAdmissionPolicyBinding.

use json_tree::Value;

use crate::admissionregistration::policy::binding;
use crate::admissionregistration::printer;
use crate::kind::{ADMISSION, Checks, Kind, Pass, Printer, Strategy, passes};
use crate::validation::checks::{repeated, texts};
use crate::validation::read::at;
use field::{AddError, Error, Path};

/// The kind ValidatingAdmissionPolicyBinding.
pub(crate) struct ValidatingAdmissionPolicyBinding;

impl Kind for ValidatingAdmissionPolicyBinding {
    const GROUP: &'static str = "admissionregistration.k8s.io";
    const RESOURCE: &'static str = "validatingadmissionpolicybindings";
    const HAS_POLICIES: bool = false;
    const STRATEGY: Strategy = ADMISSION;
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE;

    fn checks() -> Checks {
        Checks::none().validate(create)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::BINDING_COLUMNS, printer::policy_binding))
    }
}

const ACTIONS: [&str; 3] = ["Audit", "Deny", "Warn"];

/// Validates a ValidatingAdmissionPolicyBinding.
fn create(object: &Value) -> Vec<Error> {
    let mut errors = binding(object);
    let spec = at(object, "/spec");
    let path = Path::new("spec").child("validationActions");
    let actions = texts(spec, "validationActions");
    for (index, (action, repeated)) in actions.iter().zip(repeated(&actions)).enumerate() {
        let at = path.index(index);
        if !ACTIONS.contains(action) {
            errors.not_supported(&at, *action, &ACTIONS);
        }
        if repeated {
            errors.duplicate(&at, *action);
        }
    }
    if actions.contains(&"Deny") && actions.contains(&"Warn") {
        let why = "must not contain both Deny and Warn (repeating the same validation failure information in the \
            API response and headers serves no purpose)";
        errors.invalid(&path, actions.clone(), why);
    }
    if actions.is_empty() {
        errors.required(&path, "at least one validation action is required");
    }
    errors
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check;

    #[test]
    fn bindings() {
        let is = |spec: Value, expected: &str| check(&create(&json!({ "spec": spec })), expected);
        is(json!({"policyName": "p", "validationActions": ["Deny", "Audit"]}), "");
        is(
            json!({}),
            "[spec.policyName: Required value, spec.validationActions: Required value: at least one validation action is required]",
        );
        is(
            json!({"policyName": "p", "validationActions": ["Deny", "Warn", "Deny"], "paramRef": {"name": "n", "selector": {}}}),
            "[spec.paramRef.name: Forbidden: name and selector are mutually exclusive, \
             spec.paramRef.selector: Forbidden: name and selector are mutually exclusive, \
             spec.paramRef.parameterNotFoundAction: Required value, \
             spec.validationActions[2]: Duplicate value: \"Deny\", \
             spec.validationActions: Invalid value: [\"Deny\",\"Warn\",\"Deny\"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)]",
        );
    }
}
