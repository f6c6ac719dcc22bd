//! The kind MutatingWebhookConfiguration.

use json_tree::Value;

use crate::kind::{ADMISSION, Kind, Pass, Printer, Strategy, passes};
use crate::kinds::admissionregistration::{printer, webhook};
use field::Error;

/// The kind MutatingWebhookConfiguration.
pub(crate) struct MutatingWebhookConfiguration;

impl Kind for MutatingWebhookConfiguration {
    const GROUP: &'static str = "admissionregistration.k8s.io";
    const RESOURCE: &'static str = "mutatingwebhookconfigurations";
    const STRATEGY: Strategy = ADMISSION;
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE;

    fn validate(object: &Value) -> Vec<Error> {
        webhook::create(object)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::WEBHOOK_COLUMNS, printer::webhook_configuration))
    }
}
