//! The role that would allow what was denied, and its binding.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/rbac/#role-and-clusterrole>

use json_tree::{Map, Value, json};
use protocol::trace::{Attributes, PolicyRule};

use crate::cluster::Request;
use crate::cluster::decided::{Decided, ROOT};

/// The group of roles.
const GROUP: &str = "rbac.authorization.k8s.io";

/// The rule that is missing.
pub(crate) fn rule(asked: &Attributes) -> PolicyRule {
    let verbs = vec![asked.verb.clone()];
    if !asked.is_resource {
        return PolicyRule { verbs, non_resource_urls: vec![asked.path.clone()], ..PolicyRule::default() };
    }
    let resource = match asked.subresource.as_str() {
        "" => asked.resource.clone(),
        part => [&asked.resource, "/", part].concat(),
    };
    PolicyRule {
        verbs,
        api_groups: vec![asked.group.clone()],
        resources: vec![resource],
        ..PolicyRule::default()
    }
}

/// The requests that create the role and its binding.
pub(crate) fn requests(denied: &Decided) -> [Request; 2] {
    let Decided { user, asked, .. } = denied;
    let rule = rule(asked);
    let what = rule.resources.first().map_or("paths", String::as_str).replace('/', "-");
    let name = [user, "-", &asked.verb, "-", &what].concat().replace(['/', '%'], "-");
    let (prefix, within) = match asked.namespace.as_str() {
        "" => ("Cluster", String::new()),
        namespace => ("", ["/namespaces/", namespace].concat()),
    };
    let kind = |kind: &str| [prefix, kind].concat();
    let metadata = match asked.namespace.as_str() {
        "" => json!({"name": name}),
        namespace => json!({"name": name, "namespace": namespace}),
    };
    let subject = match user.strip_prefix("system:serviceaccount:").and_then(|rest| rest.split_once(':')) {
        Some((namespace, name)) => json!({"kind": "ServiceAccount", "name": name, "namespace": namespace}),
        None => json!({"kind": "User", "apiGroup": GROUP, "name": user}),
    };
    let of = |own: &str, fields: [(&str, Value); 2]| {
        let mut object = Map::new();
        object.insert("apiVersion".to_owned(), [GROUP, "/v1"].concat().into());
        object.insert("kind".to_owned(), own.into());
        object.insert("metadata".to_owned(), metadata.clone());
        let fields = fields.into_iter().filter(|(_, value)| !value.is_null());
        object.extend(fields.map(|(name, value)| (name.to_owned(), value)));
        let path = [ROOT, &within, "/", &own.to_ascii_lowercase(), "s"].concat();
        let text = serde_json::to_string_pretty(&Value::Object(object)).unwrap_or_default();
        Request::json("POST", &path, &text)
    };
    let role = of(&kind("Role"), [("rules", json!([written(&rule)])), ("subjects", Value::Null)]);
    let to = json!({"apiGroup": GROUP, "kind": kind("Role"), "name": name});
    [role, of(&kind("RoleBinding"), [("subjects", json!([subject])), ("roleRef", to)])]
}

/// The lists of a rule that say something, by their names.
fn lists(rule: &PolicyRule) -> impl Iterator<Item = (&'static str, &[String])> {
    [
        ("apiGroups", &rule.api_groups),
        ("resources", &rule.resources),
        ("resourceNames", &rule.resource_names),
        ("nonResourceURLs", &rule.non_resource_urls),
        ("verbs", &rule.verbs),
    ]
    .into_iter()
    .map(|(name, list)| (name, list.as_slice()))
    .filter(|(_, list)| !list.is_empty())
}

/// A rule as a role has it.
fn written(rule: &PolicyRule) -> Value {
    lists(rule).map(|(name, list)| (name.to_owned(), json!(list))).collect()
}

/// A rule in a line: `apiGroups [""] resources ["pods"] verbs ["get"]`.
pub(crate) fn line(rule: &PolicyRule) -> String {
    let parts = lists(rule).map(|(name, list)| [name, " ", &json!(list).to_string()].concat());
    parts.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use protocol::trace::Access;

    use super::*;

    fn denied(user: &str, namespace: &str, resource: &str, subresource: &str) -> Decided {
        let asked = Attributes {
            verb: "get".to_owned(),
            is_resource: true,
            group: "apps".to_owned(),
            resource: resource.to_owned(),
            subresource: subresource.to_owned(),
            namespace: namespace.to_owned(),
            ..Attributes::default()
        };
        Decided { user: user.to_owned(), asked, access: Access::default() }
    }

    #[test]
    fn a_role_has_the_missing_rule_and_no_other() {
        let [role, binding] = requests(&denied("alice", "a", "deployments", "scale"));
        assert_eq!(role.target, "/apis/rbac.authorization.k8s.io/v1/namespaces/a/roles");
        let body: Value = serde_json::from_str(&role.body).unwrap();
        assert_eq!(body["metadata"]["name"], "alice-get-deployments-scale");
        assert_eq!(
            body["rules"].to_string(),
            r#"[{"apiGroups":["apps"],"resources":["deployments/scale"],"verbs":["get"]}]"#
        );
        let body: Value = serde_json::from_str(&binding.body).unwrap();
        assert_eq!(
            (&body["roleRef"]["kind"], &body["subjects"][0]["name"]),
            (&json!("Role"), &json!("alice"))
        );
    }

    #[test]
    fn what_is_in_no_namespace_takes_a_cluster_role() {
        let [role, binding] = requests(&denied("system:serviceaccount:a:b", "", "things", ""));
        assert_eq!(role.target, "/apis/rbac.authorization.k8s.io/v1/clusterroles");
        assert_eq!(binding.target, "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings");
        let body: Value = serde_json::from_str(&binding.body).unwrap();
        assert_eq!(body["subjects"], json!([{"kind": "ServiceAccount", "name": "b", "namespace": "a"}]));
    }

    #[test]
    fn a_rule_reads_in_a_line() {
        let rule = rule(&denied("", "", "pods", "log").asked);
        assert_eq!(line(&rule), r#"apiGroups ["apps"] resources ["pods/log"] verbs ["get"]"#);
    }
}
