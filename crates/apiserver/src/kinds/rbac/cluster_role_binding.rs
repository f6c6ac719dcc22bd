//! The kind ClusterRoleBinding.

use crate::kind::{CREATES_ON_UPDATE, Kind, Pass, Printer, Strategy, passes};
use crate::validation::name::NameRule;
use field::Error;
use json_tree::Value;

/// The kind ClusterRoleBinding.
pub(crate) struct ClusterRoleBinding;

impl Kind for ClusterRoleBinding {
    const GROUP: &'static str = "rbac.authorization.k8s.io";
    const RESOURCE: &'static str = "clusterrolebindings";
    const STRATEGY: Strategy = CREATES_ON_UPDATE;
    const NAME: NameRule = NameRule::PathSegment;
    const UPDATE_PASSES: &'static [Pass] = passes::METADATA_CREATE_UPDATE;

    fn validate(object: &Value) -> Vec<Error> {
        crate::kinds::rbac::rules::create_cluster_role_binding(object)
    }

    fn validate_update(object: &Value, old: &Value) -> Vec<Error> {
        crate::kinds::rbac::rules::update_binding(object, old)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(
            crate::kinds::rbac::printer::COLUMNS_OF_CLUSTER_BINDINGS,
            crate::kinds::rbac::printer::binding,
        ))
    }
}
