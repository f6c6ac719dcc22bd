//! The kind RoleBinding.

use json_tree::Value;

use crate::kind::{CREATES_ON_UPDATE, Checks, Kind, Pass, Printer, Strategy, passes};
use crate::rbac::common::{binding, update_binding};
use crate::rbac::printer;
use crate::validation::name::NameRule;
use field::Error;

/// The kind RoleBinding.
pub(crate) struct RoleBinding;

impl Kind for RoleBinding {
    const GROUP: &'static str = "rbac.authorization.k8s.io";
    const RESOURCE: &'static str = "rolebindings";
    const STRATEGY: Strategy = CREATES_ON_UPDATE;
    const NAME: NameRule = NameRule::PathSegment;
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE_UPDATE;

    fn checks() -> Checks {
        Checks::none().validate(create).validate_update(update_binding)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS_OF_BINDINGS, printer::binding))
    }
}

/// Validates a RoleBinding.
fn create(object: &Value) -> Vec<Error> {
    binding(object, true)
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check;

    #[test]
    fn references() {
        check(&create(&json!({"roleRef": {"kind": "Role", "name": "r"}})), "");
        check(
            &create(&json!({"roleRef": null})),
            "[roleRef.kind: Unsupported value: \"\": supported values: \"Role\", \"ClusterRole\", roleRef.name: Required value]",
        );
    }

    #[test]
    fn subjects() {
        let bind =
            |subjects: Value| json!({"roleRef": {"kind": "ClusterRole", "name": "r"}, "subjects": subjects});
        check(
            &create(&bind(json!([{"kind": "Robot", "name": "x"}, {"kind": "User"},
                {"kind": "ServiceAccount", "name": "a"}, {"kind": "User", "apiGroup": "x", "name": "u"}]))),
            "[subjects[0].kind: Unsupported value: \"Robot\": supported values: \"ServiceAccount\", \"User\", \"Group\", \
             subjects[1].name: Required value, \
             subjects[3].apiGroup: Unsupported value: \"x\": supported values: \"rbac.authorization.k8s.io\"]",
        );
    }
}
