//! Roles and their bindings.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/rbac/>.

use json_tree::{Value, json};

use crate::validation::read::{at, get, list, text};
use crate::validation::{label_selector, name};
use field::{AddError, Error, Path};

const GROUP: &str = "rbac.authorization.k8s.io";

pub(crate) fn create_role(object: &Value) -> Vec<Error> {
    rules(object, true)
}

pub(crate) fn create_cluster_role(object: &Value) -> Vec<Error> {
    let mut errors = rules(object, false);
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

pub(crate) fn create_role_binding(object: &Value) -> Vec<Error> {
    binding(object, true)
}

pub(crate) fn create_cluster_role_binding(object: &Value) -> Vec<Error> {
    binding(object, false)
}

pub(crate) fn update_binding(object: &Value, old: &Value) -> Vec<Error> {
    let (new, old) = (at(object, "/roleRef"), at(old, "/roleRef"));
    let fields = |reference| -> (&str, &str, &str) {
        (group(reference), text(reference, "kind"), text(reference, "name"))
    };
    if fields(new) == fields(old) {
        return Vec::new();
    }
    let (group, kind, name) = fields(new);
    let value = json!({"APIGroup": group, "Kind": kind, "Name": name});
    vec![Error::invalid(Path::new("roleRef"), value, "cannot change roleRef")]
}

fn rules(object: &Value, namespaced: bool) -> Vec<Error> {
    let mut errors = Vec::new();
    for (index, rule) in list(object, "rules").iter().enumerate() {
        let path = Path::new("rules").index(index);
        let has = |field: &str| !list(rule, field).is_empty();
        if !has("verbs") {
            errors.required(path.child("verbs"), "verbs must contain at least one value");
        }
        if has("nonResourceURLs") {
            let path = path.child("nonResourceURLs");
            let urls = list(rule, "nonResourceURLs").to_vec();
            if namespaced {
                let why = "namespaced rules cannot apply to non-resource URLs";
                errors.invalid(&path, urls.clone(), why);
            }
            if ["apiGroups", "resources", "resourceNames"].into_iter().any(has) {
                let why = "rules cannot apply to both regular resources and non-resource URLs";
                errors.invalid(&path, urls, why);
            }
            continue;
        }
        if !has("apiGroups") {
            let why = "resource rules must supply at least one api group";
            errors.required(path.child("apiGroups"), why);
        }
        if !has("resources") {
            let why = "resource rules must supply at least one resource";
            errors.required(path.child("resources"), why);
        }
    }
    errors
}

fn binding(object: &Value, namespaced: bool) -> Vec<Error> {
    let reference = at(object, "/roleRef");
    let path = Path::new("roleRef");
    let mut errors = Vec::new();
    if group(reference) != GROUP {
        errors.not_supported(path.child("apiGroup"), group(reference), &[GROUP]);
    }
    let kinds: &[&str] = if namespaced { &["Role", "ClusterRole"] } else { &["ClusterRole"] };
    let kind = text(reference, "kind");
    if !kinds.contains(&kind) {
        errors.not_supported(path.child("kind"), kind, kinds);
    }
    let (path, role) = (path.child("name"), text(reference, "name"));
    if role.is_empty() {
        errors.required(&path, "");
    } else {
        errors.extend(name::path_segment(role).into_iter().map(|why| Error::invalid(&path, role, why)));
    }
    for (index, one) in list(object, "subjects").iter().enumerate() {
        errors.extend(subject(one, namespaced, &Path::new("subjects").index(index)));
    }
    errors
}

fn subject(subject: &Value, namespaced: bool, path: &Path) -> Vec<Error> {
    let (kind, who) = (text(subject, "kind"), text(subject, "name"));
    let mut errors = Vec::new();
    if who.is_empty() {
        errors.required(path.child("name"), "");
    }
    match kind {
        "ServiceAccount" => {
            if !who.is_empty() {
                let path = path.child("name");
                errors.extend(name::subdomain(who).into_iter().map(|why| Error::invalid(&path, who, why)));
            }
            let group = text(subject, "apiGroup");
            if !group.is_empty() {
                errors.not_supported(path.child("apiGroup"), group, &[""]);
            }
            if !namespaced && text(subject, "namespace").is_empty() {
                errors.required(path.child("namespace"), "");
            }
        }
        "User" | "Group" if group(subject) == GROUP => {}
        "User" | "Group" => {
            errors.not_supported(path.child("apiGroup"), group(subject), &[GROUP]);
        }
        _ => {
            let kinds = ["ServiceAccount", "User", "Group"];
            errors.not_supported(path.child("kind"), kind, &kinds);
        }
    }
    errors
}

/// The group of a reference; RBAC's own by default.
fn group(reference: &Value) -> &str {
    match text(reference, "apiGroup") {
        "" => GROUP,
        group => group,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validation::check;

    #[test]
    fn rules_of_roles() {
        let role = |rule: Value| create_role(&json!({"rules": [rule]}));
        check(&role(json!({"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]})), "");
        check(
            &role(json!({})),
            "[rules[0].verbs: Required value: verbs must contain at least one value, \
             rules[0].apiGroups: Required value: resource rules must supply at least one api group, \
             rules[0].resources: Required value: resource rules must supply at least one resource]",
        );
        let paths = json!({"nonResourceURLs": ["/x"], "verbs": ["get"]});
        check(
            &role(paths.clone()),
            "rules[0].nonResourceURLs: Invalid value: [\"/x\"]: namespaced rules cannot apply to non-resource URLs",
        );
        check(&create_cluster_role(&json!({"rules": [paths]})), "");
        check(
            &create_cluster_role(
                &json!({"rules": [{"nonResourceURLs": ["/x"], "apiGroups": [""], "verbs": ["get"]}]}),
            ),
            "rules[0].nonResourceURLs: Invalid value: [\"/x\"]: rules cannot apply to both regular resources and non-resource URLs",
        );
        check(
            &create_cluster_role(&json!({"aggregationRule": {"clusterRoleSelectors": []}})),
            "aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil",
        );
        check(
            &create_cluster_role(
                &json!({"aggregationRule": {"clusterRoleSelectors": [{"matchExpressions": [{"key": "a", "operator": "No"}]}]}}),
            ),
            "[aggregationRule.clusterRoleSelectors[0].matchExpressions[0].operator: Invalid value: \"No\": not a valid selector operator, \
             aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.]",
        );
    }

    #[test]
    fn references_of_bindings() {
        check(&create_role_binding(&json!({"roleRef": {"kind": "Role", "name": "r"}})), "");
        check(
            &create_role_binding(&json!({"roleRef": null})),
            "[roleRef.kind: Unsupported value: \"\": supported values: \"Role\", \"ClusterRole\", roleRef.name: Required value]",
        );
        check(
            &create_cluster_role_binding(
                &json!({"roleRef": {"apiGroup": "apps", "kind": "Role", "name": "r"}}),
            ),
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
    fn subjects_of_bindings() {
        let bind =
            |subjects: Value| json!({"roleRef": {"kind": "ClusterRole", "name": "r"}, "subjects": subjects});
        check(
            &create_role_binding(&bind(json!([{"kind": "Robot", "name": "x"}, {"kind": "User"},
                {"kind": "ServiceAccount", "name": "a"}, {"kind": "User", "apiGroup": "x", "name": "u"}]))),
            "[subjects[0].kind: Unsupported value: \"Robot\": supported values: \"ServiceAccount\", \"User\", \"Group\", \
             subjects[1].name: Required value, \
             subjects[3].apiGroup: Unsupported value: \"x\": supported values: \"rbac.authorization.k8s.io\"]",
        );
        check(
            &create_cluster_role_binding(&bind(json!([{"kind": "ServiceAccount", "name": "s"}]))),
            "subjects[0].namespace: Required value",
        );
    }
}
