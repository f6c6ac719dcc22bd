//! The kind MutatingAdmissionPolicyBinding.

use crate::kind::{ADMISSION, Kind, Pass, Printer, Strategy, passes};
use field::Error;
use json_tree::Value;

/// The kind MutatingAdmissionPolicyBinding.
pub(crate) struct MutatingAdmissionPolicyBinding;

impl Kind for MutatingAdmissionPolicyBinding {
    const GROUP: &'static str = "admissionregistration.k8s.io";
    const RESOURCE: &'static str = "mutatingadmissionpolicybindings";
    const STRATEGY: Strategy = ADMISSION;
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE;

    fn validate(object: &Value) -> Vec<Error> {
        crate::kinds::admissionregistration::policy::create_mutating_binding(object)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(
            crate::kinds::admissionregistration::printer::BINDING_COLUMNS,
            crate::kinds::admissionregistration::printer::policy_binding,
        ))
    }
}
