//! The kind RoleBinding.

use crate::kind::{CREATES_ON_UPDATE, Checks, Kind, Pass, Printer, Strategy, passes};
use crate::kinds::rbac::{printer, rules};
use crate::validation::name::NameRule;

/// The kind RoleBinding.
pub(crate) struct RoleBinding;

impl Kind for RoleBinding {
    const GROUP: &'static str = "rbac.authorization.k8s.io";
    const RESOURCE: &'static str = "rolebindings";
    const STRATEGY: Strategy = CREATES_ON_UPDATE;
    const NAME: NameRule = NameRule::PathSegment;
    const UPDATE_PASSES: &'static [Pass] = passes::METADATA_CREATE_UPDATE;

    fn checks() -> Checks {
        Checks::none().validate(rules::create_role_binding).validate_update(rules::update_binding)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS_OF_BINDINGS, printer::binding))
    }
}
