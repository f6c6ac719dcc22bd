//! The kind ValidatingWebhookConfiguration.

use crate::kind::{ADMISSION, Kind, Pass, Printer, Strategy, passes};
use field::Error;
use json_tree::Value;

/// The kind ValidatingWebhookConfiguration.
pub(crate) struct ValidatingWebhookConfiguration;

impl Kind for ValidatingWebhookConfiguration {
    const GROUP: &'static str = "admissionregistration.k8s.io";
    const RESOURCE: &'static str = "validatingwebhookconfigurations";
    const STRATEGY: Strategy = ADMISSION;
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE;

    fn validate(object: &Value) -> Vec<Error> {
        crate::kinds::admissionregistration::webhook::create(object)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(
            crate::kinds::admissionregistration::printer::WEBHOOK_COLUMNS,
            crate::kinds::admissionregistration::printer::webhook_configuration,
        ))
    }
}
