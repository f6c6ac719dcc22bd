//! The roles and bindings that a new cluster has: see the table.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/rbac/#default-roles-and-role-bindings>

use json_tree::{Value, json};

use crate::rbac::GROUP;
use crate::text_table;
use apimachinery::object::{Object, set_metadata, with_name};

/// The table has a role a line, `role [NAMESPACE/]NAME [aggregate-to=NAME] [aggregates=NAME]`, and then its rules: `VERBS GROUPS
/// RESOURCES [NAMES]`, or `VERBS url URLS`. `core` is the core group, `read`, `write` and `all` are verbs, `events` is a rule of its own.
/// `bind [NAMESPACE/]NAME [ROLE] SUBJECTS` is a binding. Every role of a controller is bound to the controller's service account.
const TABLE: &str = include_str!("roles.txt");

/// Before the names of controllers' roles.
const CONTROLLER: &str = "system:controller:";

/// Words of the table that stand for several verbs.
const VERBS: &[(&str, &[&str])] = &[
    ("all", &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]),
    ("read", &["get", "list", "watch"]),
    ("write", &["create", "delete", "deletecollection", "patch", "update"]),
];

/// Resource and object of each.
pub(super) fn objects() -> Vec<(&'static str, Object)> {
    let mut objects: Vec<(&str, Object)> = Vec::new();
    for words in text_table::words(TABLE) {
        match words.as_slice() {
            ["role", name, gathering @ ..] => {
                if let Some(controller) = name.strip_prefix(CONTROLLER) {
                    let account = ["ServiceAccount:kube-system/", controller].concat();
                    objects.push(binding(name, name, &account));
                }
                objects.push(role(name, gathering));
            }
            ["bind", name] => objects.push(binding(name, name, "")),
            ["bind", name, subjects] => objects.push(binding(name, name, subjects)),
            ["bind", name, role, subjects] => objects.push(binding(name, role, subjects)),
            rule => {
                if let Some(Value::Array(rules)) =
                    objects.last_mut().and_then(|(_, role)| role.get_mut("rules"))
                {
                    rules.push(self::rule(rule));
                }
            }
        }
    }
    objects
}

/// An object without labels but those that all have.
fn object(name: &str, label: Option<&str>) -> Object {
    let mut object = with_name(name);
    let mut labels = Object::new();
    labels.insert("kubernetes.io/bootstrapping".to_owned(), "rbac-defaults".into());
    if let Some(into) = label {
        labels.insert([GROUP, "/aggregate-to-", into].concat(), "true".into());
    }
    set_metadata(&mut object, "labels", labels.into());
    let annotations = json!({ "rbac.authorization.kubernetes.io/autoupdate": "true" });
    set_metadata(&mut object, "annotations", annotations);
    object
}

fn role(name: &str, gathering: &[&str]) -> (&'static str, Object) {
    let word = |key: &str| gathering.iter().find_map(|word| word.strip_prefix(key));
    let mut role = object(name, word("aggregate-to="));
    let gathers = word("aggregates=");
    role.insert("rules".to_owned(), if gathers.is_some() { Value::Null } else { json!([]) });
    if let Some(gathers) = gathers {
        let mut labels = Object::new();
        labels.insert([GROUP, "/aggregate-to-", gathers].concat(), "true".into());
        let rule = json!({ "clusterRoleSelectors": [{ "matchLabels": labels }] });
        role.insert("aggregationRule".to_owned(), rule);
    }
    (if name.contains('/') { "roles" } else { "clusterroles" }, role)
}

/// Returns the RBAC rule that a line describes. Lists are in alphabetical order.
fn rule(words: &[&str]) -> Value {
    let words = if words == ["events"] {
        &["create,update,patch", "core,events.k8s.io", "events"][..]
    } else {
        words
    };
    let list = |index: usize| {
        let mut list: Vec<&str> = Vec::new();
        for word in words.get(index).copied().unwrap_or_default().split(',') {
            match VERBS.iter().find(|(name, _)| *name == word && index == 0) {
                Some((_, verbs)) => list.extend(*verbs),
                None => list.push(if word == "core" { "" } else { word }),
            }
        }
        schema::sort_by(&mut list, Ord::cmp);
        list
    };
    let mut rule = Object::new();
    rule.insert("verbs".to_owned(), list(0).into());
    if words.get(1) == Some(&"url") {
        rule.insert("nonResourceURLs".to_owned(), list(2).into());
        return rule.into();
    }
    rule.insert("apiGroups".to_owned(), list(1).into());
    rule.insert("resources".to_owned(), list(2).into());
    if words.len() > 3 {
        rule.insert("resourceNames".to_owned(), list(3).into());
    }
    rule.into()
}

fn binding(name: &str, role: &str, subjects: &str) -> (&'static str, Object) {
    let namespaced = name.contains('/');
    let mut binding = object(name, None);
    let subjects: Vec<Value> = subjects.split(',').filter_map(subject).collect();
    if !subjects.is_empty() {
        binding.insert("subjects".to_owned(), subjects.into());
    }
    let kind = if namespaced { "Role" } else { "ClusterRole" };
    let role = role.split_once('/').map_or(role, |(_, role)| role);
    binding.insert("roleRef".to_owned(), json!({ "apiGroup": GROUP, "kind": kind, "name": role }));
    (if namespaced { "rolebindings" } else { "clusterrolebindings" }, binding)
}

fn subject(text: &str) -> Option<Value> {
    let (kind, name) = text.split_once(':')?;
    Some(match name.split_once('/') {
        Some((namespace, name)) => json!({ "kind": kind, "name": name, "namespace": namespace }),
        None => json!({ "kind": kind, "apiGroup": GROUP, "name": name }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(plural: &str, name: &str, expected: &str) {
        let objects = objects();
        let found = objects.iter().find(|(own, object)| *own == plural && object["metadata"]["name"] == name);
        let mut object = found.expect("there is one").1.clone();
        object.shift_remove("metadata");
        assert_eq!(Value::Object(object).to_string(), expected);
    }

    #[test]
    fn roles_and_bindings_are_complete() {
        check(
            "clusterroles",
            "system:basic-user",
            r#"{"rules":[{"verbs":["create"],"apiGroups":["authorization.k8s.io"],"resources":["selfsubjectaccessreviews","selfsubjectrulesreviews"]},{"verbs":["create"],"apiGroups":["authentication.k8s.io"],"resources":["selfsubjectreviews"]}]}"#,
        );
        check(
            "clusterroles",
            "cluster-admin",
            r#"{"rules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"]},{"verbs":["*"],"nonResourceURLs":["*"]}]}"#,
        );
        check(
            "clusterroles",
            "view",
            r#"{"rules":null,"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"rbac.authorization.k8s.io/aggregate-to-view":"true"}}]}}"#,
        );
        check(
            "clusterrolebindings",
            "system:controller:ttl-controller",
            r#"{"subjects":[{"kind":"ServiceAccount","name":"ttl-controller","namespace":"kube-system"}],"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"system:controller:ttl-controller"}}"#,
        );
        check(
            "rolebindings",
            "system::extension-apiserver-authentication-reader",
            r#"{"subjects":[{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"system:kube-controller-manager"},{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"system:kube-scheduler"}],"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"extension-apiserver-authentication-reader"}}"#,
        );
    }

    #[test]
    fn every_rule_is_one_of_a_role() {
        let count = text_table::words(TABLE).filter(|words| !["role", "bind"].contains(&words[0])).count();
        let rules: usize = objects()
            .iter()
            .map(|(_, object)| object.get("rules").and_then(Value::as_array).map_or(0, Vec::len))
            .sum();
        assert_eq!(count, rules);
    }
}
