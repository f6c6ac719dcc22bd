//! The kind ClusterRole.

use crate::kind::{CREATES_ON_UPDATE, Checks, Kind, Pass, Strategy, passes};
use crate::kinds::rbac::rules;
use crate::validation::name::NameRule;

/// The kind ClusterRole.
pub(crate) struct ClusterRole;

impl Kind for ClusterRole {
    const GROUP: &'static str = "rbac.authorization.k8s.io";
    const RESOURCE: &'static str = "clusterroles";
    const STRATEGY: Strategy = CREATES_ON_UPDATE;
    const NAME: NameRule = NameRule::PathSegment;
    const UPDATE_PASSES: &'static [Pass] = passes::METADATA_CREATE_UPDATE;

    fn checks() -> Checks {
        Checks::none().validate(rules::create_cluster_role)
    }
}
