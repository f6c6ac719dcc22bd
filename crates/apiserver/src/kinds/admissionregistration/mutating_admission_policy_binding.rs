//! The kind MutatingAdmissionPolicyBinding.

use json_tree::Value;

use crate::kind::{ADMISSION, Kind, Pass, Printer, Strategy, passes};
use crate::kinds::admissionregistration::{policy, printer};
use field::Error;

/// The kind MutatingAdmissionPolicyBinding.
pub(crate) struct MutatingAdmissionPolicyBinding;

impl Kind for MutatingAdmissionPolicyBinding {
    const GROUP: &'static str = "admissionregistration.k8s.io";
    const RESOURCE: &'static str = "mutatingadmissionpolicybindings";
    const STRATEGY: Strategy = ADMISSION;
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE;

    fn validate(object: &Value) -> Vec<Error> {
        policy::create_mutating_binding(object)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::BINDING_COLUMNS, printer::policy_binding))
    }
}
