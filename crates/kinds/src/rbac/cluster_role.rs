//! The kind ClusterRole.

use json_tree::Value;

use crate::kind::{CREATES_ON_UPDATE, Checks, Kind, Pass, Strategy, passes};
use crate::rbac::common;
use crate::validation::label_selector;
use crate::validation::name::NameRule;
use crate::validation::read::{get, list};
use field::{AddError, Error, Path};

/// The kind ClusterRole.
pub(crate) struct ClusterRole;

impl Kind for ClusterRole {
    const GROUP: &'static str = "rbac.authorization.k8s.io";
    const RESOURCE: &'static str = "clusterroles";
    const STRATEGY: Strategy = CREATES_ON_UPDATE;
    const NAME: NameRule = NameRule::PathSegment;
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE_UPDATE;

    fn checks() -> Checks {
        Checks::none().validate(create)
    }
}

/// Validates a ClusterRole.
fn create(object: &Value) -> Vec<Error> {
    let mut errors = common::rules(object, false);
    if let Some(aggregation) = get(object, "aggregationRule") {
        let path = Path::new("aggregationRule").child("clusterRoleSelectors");
        let selectors = list(aggregation, "clusterRoleSelectors");
        if selectors.is_empty() {
            let why = "at least one clusterRoleSelector required if aggregationRule is non-nil";
            errors.required(&path, why);
        }
        for (index, selector) in selectors.iter().enumerate() {
            let path = path.index(index);
            let of_selector = label_selector::validate(selector, &path);
            if !of_selector.is_empty() {
                errors.extend(of_selector);
                errors.invalid(&path, Value::Null, "invalid label selector.");
            }
        }
    }
    errors
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check;

    #[test]
    fn rules() {
        let paths = json!({"nonResourceURLs": ["/x"], "verbs": ["get"]});
        check(&create(&json!({"rules": [paths]})), "");
        check(
            &create(&json!({"rules": [{"nonResourceURLs": ["/x"], "apiGroups": [""], "verbs": ["get"]}]})),
            "rules[0].nonResourceURLs: Invalid value: [\"/x\"]: rules cannot apply to both regular resources and non-resource URLs",
        );
        check(
            &create(&json!({"aggregationRule": {"clusterRoleSelectors": []}})),
            "aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil",
        );
        check(
            &create(
                &json!({"aggregationRule": {"clusterRoleSelectors": [{"matchExpressions": [{"key": "a", "operator": "No"}]}]}}),
            ),
            "[aggregationRule.clusterRoleSelectors[0].matchExpressions[0].operator: Invalid value: \"No\": not a valid selector operator, \
             aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.]",
        );
    }
}
