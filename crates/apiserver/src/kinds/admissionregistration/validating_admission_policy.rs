//! The kind ValidatingAdmissionPolicy.

mod printer;

use json_tree::Value;

use crate::kind::{ADMISSION, Kind, Pass, Paths, Printer, Strategy, keep_metadata, passes};
use crate::kinds::admissionregistration::policy;
use field::Error;

/// The kind ValidatingAdmissionPolicy.
pub(crate) struct ValidatingAdmissionPolicy;

impl Kind for ValidatingAdmissionPolicy {
    const GROUP: &'static str = "admissionregistration.k8s.io";
    const RESOURCE: &'static str = "validatingadmissionpolicies";
    const STRATEGY: Strategy = Strategy { prepare_for_status_update: keep_metadata, ..ADMISSION };
    const RESET_FIELDS: &'static [(&'static str, Paths)] = &[("status", &[&["spec"], &["metadata"]])];
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE;

    fn validate(object: &Value) -> Vec<Error> {
        policy::create_validating(object)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}
