//! The kind MutatingAdmissionPolicyBinding.

use crate::kind::{ADMISSION, Checks, Kind, Pass, Printer, Strategy, passes};
use crate::kinds::admissionregistration::{policy, printer};

/// The kind MutatingAdmissionPolicyBinding.
pub(crate) struct MutatingAdmissionPolicyBinding;

impl Kind for MutatingAdmissionPolicyBinding {
    const GROUP: &'static str = "admissionregistration.k8s.io";
    const RESOURCE: &'static str = "mutatingadmissionpolicybindings";
    const HAS_POLICIES: bool = false;
    const STRATEGY: Strategy = ADMISSION;
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE;

    fn checks() -> Checks {
        Checks::none().validate(policy::create_mutating_binding)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::BINDING_COLUMNS, printer::policy_binding))
    }
}
