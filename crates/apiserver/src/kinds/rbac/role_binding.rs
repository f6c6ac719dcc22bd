//! The kind RoleBinding.

use json_tree::Value;

use crate::kind::{CREATES_ON_UPDATE, Kind, Pass, Printer, Strategy, passes};
use crate::kinds::rbac::{printer, rules};
use crate::validation::name::NameRule;
use field::Error;

/// The kind RoleBinding.
pub(crate) struct RoleBinding;

impl Kind for RoleBinding {
    const GROUP: &'static str = "rbac.authorization.k8s.io";
    const RESOURCE: &'static str = "rolebindings";
    const STRATEGY: Strategy = CREATES_ON_UPDATE;
    const NAME: NameRule = NameRule::PathSegment;
    const UPDATE_PASSES: &'static [Pass] = passes::METADATA_CREATE_UPDATE;

    fn validate(object: &Value) -> Vec<Error> {
        rules::create_role_binding(object)
    }

    fn validate_update(object: &Value, old: &Value) -> Vec<Error> {
        rules::update_binding(object, old)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS_OF_BINDINGS, printer::binding))
    }
}
