//! The kind ValidatingAdmissionPolicyBinding.

use crate::kind::{ADMISSION, Checks, Kind, Pass, Printer, Strategy, passes};
use crate::kinds::admissionregistration::{policy, printer};

/// The kind ValidatingAdmissionPolicyBinding.
pub(crate) struct ValidatingAdmissionPolicyBinding;

impl Kind for ValidatingAdmissionPolicyBinding {
    const GROUP: &'static str = "admissionregistration.k8s.io";
    const RESOURCE: &'static str = "validatingadmissionpolicybindings";
    const HAS_POLICIES: bool = false;
    const STRATEGY: Strategy = ADMISSION;
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE;

    fn checks() -> Checks {
        Checks::none().validate(policy::create_validating_binding)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::BINDING_COLUMNS, printer::policy_binding))
    }
}
