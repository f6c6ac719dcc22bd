//! The kind ValidatingAdmissionPolicy.

mod printer;

use crate::kind::{ADMISSION, Checks, Kind, Pass, Paths, Printer, Strategy, keep_metadata, passes};
use crate::kinds::admissionregistration::policy;

/// The kind ValidatingAdmissionPolicy.
pub(crate) struct ValidatingAdmissionPolicy;

impl Kind for ValidatingAdmissionPolicy {
    const GROUP: &'static str = "admissionregistration.k8s.io";
    const RESOURCE: &'static str = "validatingadmissionpolicies";
    const HAS_POLICIES: bool = false;
    const STRATEGY: Strategy = Strategy { prepare_for_status_update: keep_metadata, ..ADMISSION };
    const RESET_FIELDS: &'static [(&'static str, Paths)] = &[("status", &[&["spec"], &["metadata"]])];
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE;

    fn checks() -> Checks {
        Checks::none().validate(policy::create_validating)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}
