//! The kind ValidatingAdmissionPolicyBinding.

use json_tree::Value;

use crate::kind::{ADMISSION, Kind, Pass, Printer, Strategy, passes};
use crate::kinds::admissionregistration::{policy, printer};
use field::Error;

/// The kind ValidatingAdmissionPolicyBinding.
pub(crate) struct ValidatingAdmissionPolicyBinding;

impl Kind for ValidatingAdmissionPolicyBinding {
    const GROUP: &'static str = "admissionregistration.k8s.io";
    const RESOURCE: &'static str = "validatingadmissionpolicybindings";
    const STRATEGY: Strategy = ADMISSION;
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE;

    fn validate(object: &Value) -> Vec<Error> {
        policy::create_validating_binding(object)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::BINDING_COLUMNS, printer::policy_binding))
    }
}
