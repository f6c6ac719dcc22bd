//! The kind ValidatingWebhookConfiguration.

use crate::admissionregistration::{printer, webhook};
use crate::kind::{ADMISSION, Checks, Generation, Kind, Pass, Printer, Strategy, passes};

/// The kind ValidatingWebhookConfiguration.
pub(crate) struct ValidatingWebhookConfiguration;

impl Kind for ValidatingWebhookConfiguration {
    const GROUP: &'static str = "admissionregistration.k8s.io";
    const RESOURCE: &'static str = "validatingwebhookconfigurations";
    const STRATEGY: Strategy = Strategy { generation: Generation::ExactSpec, ..ADMISSION };
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE;

    fn checks() -> Checks {
        Checks::none().validate(webhook::create)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::WEBHOOK_COLUMNS, printer::webhook_configuration))
    }
}
