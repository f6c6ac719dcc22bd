//! The kind ClusterRoleBinding.

use crate::kind::{CREATES_ON_UPDATE, Checks, Kind, Pass, Printer, Strategy, passes};
use crate::kinds::rbac::{printer, rules};
use crate::validation::name::NameRule;

/// The kind ClusterRoleBinding.
pub(crate) struct ClusterRoleBinding;

impl Kind for ClusterRoleBinding {
    const GROUP: &'static str = "rbac.authorization.k8s.io";
    const RESOURCE: &'static str = "clusterrolebindings";
    const STRATEGY: Strategy = CREATES_ON_UPDATE;
    const NAME: NameRule = NameRule::PathSegment;
    const UPDATE_PASSES: &'static [Pass] = passes::METADATA_CREATE_UPDATE;

    fn checks() -> Checks {
        Checks::none().validate(rules::create_cluster_role_binding).validate_update(rules::update_binding)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS_OF_CLUSTER_BINDINGS, printer::binding))
    }
}
