//! The kind IngressClass.

mod printer;

use crate::kind::{Checks, Kind, Pass, Printer, Strategy, TRACKED, passes};
use crate::kinds::networking::ingress;

/// The kind IngressClass.
pub(crate) struct IngressClass;

impl Kind for IngressClass {
    const GROUP: &'static str = "networking.k8s.io";
    const RESOURCE: &'static str = "ingressclasses";
    const STRATEGY: Strategy = TRACKED;
    const UPDATE_PASSES: &'static [Pass] = passes::UPDATE_CREATE;

    fn checks() -> Checks {
        Checks::none().validate(ingress::create_class).validate_update(ingress::update_class)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}
