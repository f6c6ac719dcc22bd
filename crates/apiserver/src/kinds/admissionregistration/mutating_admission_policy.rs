//! The kind MutatingAdmissionPolicy.

mod printer;

use json_tree::Value;

use crate::kind::{ADMISSION, Kind, Pass, Printer, Strategy, passes};
use crate::kinds::admissionregistration::policy;
use field::Error;

/// The kind MutatingAdmissionPolicy.
pub(crate) struct MutatingAdmissionPolicy;

impl Kind for MutatingAdmissionPolicy {
    const GROUP: &'static str = "admissionregistration.k8s.io";
    const RESOURCE: &'static str = "mutatingadmissionpolicies";
    const STRATEGY: Strategy = ADMISSION;
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE;

    fn validate(object: &Value) -> Vec<Error> {
        policy::create_mutating(object)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}
