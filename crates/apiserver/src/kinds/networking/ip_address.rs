//! The kind IPAddress.

mod printer;

use json_tree::Value;

use crate::kind::{Kind, Pass, Printer, passes};
use crate::kinds::networking::service_cidr;
use crate::validation::name::NameRule;
use field::Error;

/// The kind IPAddress.
pub(crate) struct IPAddress;

impl Kind for IPAddress {
    const GROUP: &'static str = "networking.k8s.io";
    const RESOURCE: &'static str = "ipaddresses";
    const NAME: NameRule = NameRule::PathSegment;
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE_UPDATE;

    fn validate(object: &Value) -> Vec<Error> {
        service_cidr::create_address(object)
    }

    fn validate_update(object: &Value, old: &Value) -> Vec<Error> {
        service_cidr::update_address(object, old)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}
