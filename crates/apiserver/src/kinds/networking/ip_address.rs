//! The kind IPAddress.

mod printer;

use crate::kind::{Checks, Kind, Pass, Printer, passes};
use crate::kinds::networking::service_cidr;
use crate::validation::name::NameRule;

/// The kind IPAddress.
pub(crate) struct IPAddress;

impl Kind for IPAddress {
    const GROUP: &'static str = "networking.k8s.io";
    const RESOURCE: &'static str = "ipaddresses";
    const NAME: NameRule = NameRule::PathSegment;
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE_UPDATE;

    fn checks() -> Checks {
        Checks::none().validate(service_cidr::create_address).validate_update(service_cidr::update_address)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}
