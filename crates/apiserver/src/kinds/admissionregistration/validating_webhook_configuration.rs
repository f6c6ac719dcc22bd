//! The kind ValidatingWebhookConfiguration.

use crate::kind::{ADMISSION, Checks, Kind, Pass, Printer, Strategy, passes};
use crate::kinds::admissionregistration::{printer, webhook};

/// The kind ValidatingWebhookConfiguration.
pub(crate) struct ValidatingWebhookConfiguration;

impl Kind for ValidatingWebhookConfiguration {
    const GROUP: &'static str = "admissionregistration.k8s.io";
    const RESOURCE: &'static str = "validatingwebhookconfigurations";
    const STRATEGY: Strategy = ADMISSION;
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE;

    fn checks() -> Checks {
        Checks::none().validate(webhook::create)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::WEBHOOK_COLUMNS, printer::webhook_configuration))
    }
}
