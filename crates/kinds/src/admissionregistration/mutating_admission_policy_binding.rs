//! The kind MutatingAdmissionPolicyBinding.

use json_tree::Value;

use crate::admissionregistration::policy::{binding, only_mutable};
use crate::admissionregistration::printer;
use crate::kind::{ADMISSION, Checks, Kind, Pass, Printer, Strategy, passes};
use crate::validation::read::{at, get};
use field::{Error, Path};

/// The kind MutatingAdmissionPolicyBinding.
pub(crate) struct MutatingAdmissionPolicyBinding;

impl Kind for MutatingAdmissionPolicyBinding {
    const GROUP: &'static str = "admissionregistration.k8s.io";
    const RESOURCE: &'static str = "mutatingadmissionpolicybindings";
    const HAS_POLICIES: bool = false;
    const STRATEGY: Strategy = ADMISSION;
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE;

    fn checks() -> Checks {
        Checks::none().validate(create)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::BINDING_COLUMNS, printer::policy_binding))
    }
}

/// Validates a MutatingAdmissionPolicyBinding.
fn create(object: &Value) -> Vec<Error> {
    let mut errors = binding(object);
    if let Some(resources) = get(at(object, "/spec"), "matchResources") {
        errors.extend(only_mutable(resources, &Path::new("spec").child("matchResources")));
    }
    errors
}
