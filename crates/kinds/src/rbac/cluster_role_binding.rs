//! The kind ClusterRoleBinding.

use json_tree::Value;

use crate::kind::{CREATES_ON_UPDATE, Checks, Kind, Pass, Printer, Strategy, passes};
use crate::rbac::common::{binding, update_binding};
use crate::rbac::printer;
use crate::validation::name::NameRule;
use field::Error;

/// The kind ClusterRoleBinding.
pub(crate) struct ClusterRoleBinding;

impl Kind for ClusterRoleBinding {
    const GROUP: &'static str = "rbac.authorization.k8s.io";
    const RESOURCE: &'static str = "clusterrolebindings";
    const STRATEGY: Strategy = CREATES_ON_UPDATE;
    const NAME: NameRule = NameRule::PathSegment;
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE_UPDATE;

    fn checks() -> Checks {
        Checks::none().validate(create).validate_update(update_binding)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS_OF_CLUSTER_BINDINGS, printer::binding))
    }
}

/// Validates a ClusterRoleBinding.
fn create(object: &Value) -> Vec<Error> {
    binding(object, false)
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check;

    #[test]
    fn references() {
        check(
            &create(&json!({"roleRef": {"apiGroup": "apps", "kind": "Role", "name": "r"}})),
            "[roleRef.apiGroup: Unsupported value: \"apps\": supported values: \"rbac.authorization.k8s.io\", \
             roleRef.kind: Unsupported value: \"Role\": supported values: \"ClusterRole\"]",
        );
        check(
            &update_binding(
                &json!({"roleRef": {"kind": "ClusterRole", "name": "y"}}),
                &json!({"roleRef": {"kind": "ClusterRole", "name": "x"}}),
            ),
            "roleRef: Invalid value: {\"APIGroup\":\"rbac.authorization.k8s.io\",\"Kind\":\"ClusterRole\",\"Name\":\"y\"}: cannot change roleRef",
        );
    }

    #[test]
    fn subjects() {
        let bind =
            |subjects: Value| json!({"roleRef": {"kind": "ClusterRole", "name": "r"}, "subjects": subjects});
        check(
            &create(&bind(json!([{"kind": "ServiceAccount", "name": "s"}]))),
            "subjects[0].namespace: Required value",
        );
    }
}
