//! The kind ValidatingAdmissionPolicyBinding.

use crate::kind::{ADMISSION, Kind, Pass, Printer, Strategy, passes};
use field::Error;
use json_tree::Value;

/// The kind ValidatingAdmissionPolicyBinding.
pub(crate) struct ValidatingAdmissionPolicyBinding;

impl Kind for ValidatingAdmissionPolicyBinding {
    const GROUP: &'static str = "admissionregistration.k8s.io";
    const RESOURCE: &'static str = "validatingadmissionpolicybindings";
    const STRATEGY: Strategy = ADMISSION;
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE;

    fn validate(object: &Value) -> Vec<Error> {
        crate::kinds::admissionregistration::policy::create_validating_binding(object)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(
            crate::kinds::admissionregistration::printer::BINDING_COLUMNS,
            crate::kinds::admissionregistration::printer::policy_binding,
        ))
    }
}
