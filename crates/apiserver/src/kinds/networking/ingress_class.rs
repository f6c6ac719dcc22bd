//! The kind IngressClass.

mod printer;

use json_tree::Value;

use crate::kind::{Kind, Pass, Printer, Strategy, TRACKED, passes};
use crate::kinds::networking::ingress;
use field::Error;

/// The kind IngressClass.
pub(crate) struct IngressClass;

impl Kind for IngressClass {
    const GROUP: &'static str = "networking.k8s.io";
    const RESOURCE: &'static str = "ingressclasses";
    const STRATEGY: Strategy = TRACKED;
    const UPDATE_PASSES: &'static [Pass] = passes::UPDATE_CREATE;

    fn validate(object: &Value) -> Vec<Error> {
        ingress::create_class(object)
    }

    fn validate_update(object: &Value, old: &Value) -> Vec<Error> {
        ingress::update_class(object, old)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}
