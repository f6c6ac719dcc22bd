//! The kind ResourceClaimTemplate.

use json_tree::Value;

use crate::kind::{Kind, Pass, Printer, Strategy, passes};
use crate::kinds::resource::resource_claim;
use crate::kinds::resource::resource_claim::strategy;
use crate::printing::cells;
use field::Error;

/// The kind ResourceClaimTemplate.
pub(crate) struct ResourceClaimTemplate;

impl Kind for ResourceClaimTemplate {
    const GROUP: &'static str = "resource.k8s.io";
    const RESOURCE: &'static str = "resourceclaimtemplates";
    const STRATEGY: Strategy = strategy::TEMPLATE;
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE_UPDATE;

    fn validate(object: &Value) -> Vec<Error> {
        resource_claim::create_template(object)
    }

    fn validate_update(object: &Value, old: &Value) -> Vec<Error> {
        resource_claim::update_template(object, old)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(cells::NAMED_COLUMNS, cells::named))
    }
}
