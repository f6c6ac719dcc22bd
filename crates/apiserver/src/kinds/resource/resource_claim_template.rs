//! The kind ResourceClaimTemplate.

use crate::kind::{Checks, Kind, Pass, Printer, Strategy, passes};
use crate::kinds::resource::resource_claim;
use crate::kinds::resource::resource_claim::strategy;
use crate::printing::cells;

/// The kind ResourceClaimTemplate.
pub(crate) struct ResourceClaimTemplate;

impl Kind for ResourceClaimTemplate {
    const GROUP: &'static str = "resource.k8s.io";
    const RESOURCE: &'static str = "resourceclaimtemplates";
    const STRATEGY: Strategy = strategy::TEMPLATE;
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE_UPDATE;

    fn checks() -> Checks {
        Checks::none()
            .validate(resource_claim::create_template)
            .validate_update(resource_claim::update_template)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(cells::NAMED_COLUMNS, cells::named))
    }
}
