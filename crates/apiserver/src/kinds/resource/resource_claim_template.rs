//! The kind ResourceClaimTemplate.

use crate::kind::{Kind, Pass, Printer, Strategy, passes};
use field::Error;
use json_tree::Value;

/// The kind ResourceClaimTemplate.
pub(crate) struct ResourceClaimTemplate;

impl Kind for ResourceClaimTemplate {
    const GROUP: &'static str = "resource.k8s.io";
    const RESOURCE: &'static str = "resourceclaimtemplates";
    const STRATEGY: Strategy = crate::kinds::resource::resource_claim::strategy::TEMPLATE;
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE_UPDATE;

    fn validate(object: &Value) -> Vec<Error> {
        crate::kinds::resource::resource_claim::create_template(object)
    }

    fn validate_update(object: &Value, old: &Value) -> Vec<Error> {
        crate::kinds::resource::resource_claim::update_template(object, old)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(crate::printing::cells::NAMED_COLUMNS, crate::printing::cells::named))
    }
}
