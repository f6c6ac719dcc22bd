//! The kind MutatingAdmissionPolicy.

mod printer;

use crate::kind::{ADMISSION, Checks, Kind, Pass, Printer, Strategy, passes};
use crate::kinds::admissionregistration::policy;

/// The kind MutatingAdmissionPolicy.
pub(crate) struct MutatingAdmissionPolicy;

impl Kind for MutatingAdmissionPolicy {
    const GROUP: &'static str = "admissionregistration.k8s.io";
    const RESOURCE: &'static str = "mutatingadmissionpolicies";
    const HAS_POLICIES: bool = false;
    const STRATEGY: Strategy = ADMISSION;
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE;

    fn checks() -> Checks {
        Checks::none().validate(policy::create_mutating)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}
