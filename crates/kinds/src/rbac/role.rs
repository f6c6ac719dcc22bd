//! The kind Role.

use json_tree::Value;

use crate::kind::{CREATES_ON_UPDATE, Checks, Kind, Pass, Strategy, passes};
use crate::rbac::common;
use crate::validation::name::NameRule;
use field::Error;

/// The kind Role.
pub(crate) struct Role;

impl Kind for Role {
    const GROUP: &'static str = "rbac.authorization.k8s.io";
    const RESOURCE: &'static str = "roles";
    const STRATEGY: Strategy = CREATES_ON_UPDATE;
    const NAME: NameRule = NameRule::PathSegment;
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE_UPDATE;

    fn checks() -> Checks {
        Checks::none().validate(create)
    }
}

/// Validates a Role.
fn create(object: &Value) -> Vec<Error> {
    common::rules(object, true)
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check;

    #[test]
    fn rules() {
        let role = |rule: Value| create(&json!({"rules": [rule]}));
        check(&role(json!({"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]})), "");
        check(
            &role(json!({})),
            "[rules[0].verbs: Required value: verbs must contain at least one value, \
             rules[0].apiGroups: Required value: resource rules must supply at least one api group, \
             rules[0].resources: Required value: resource rules must supply at least one resource]",
        );
        let paths = json!({"nonResourceURLs": ["/x"], "verbs": ["get"]});
        check(
            &role(paths),
            "rules[0].nonResourceURLs: Invalid value: [\"/x\"]: namespaced rules cannot apply to non-resource URLs",
        );
    }
}
