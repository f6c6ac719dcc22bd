//! The rules of roles, and whom bindings give them to: who may do something, and what somebody may do.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/rbac/>

use json_tree::Value;
use protocol::trace::{Attributes, PolicyRule};

use crate::cluster::decided::ROOT;

/// The group whose members need no rule.
pub(crate) const MASTERS: &str = "system:masters";
/// The groups that every user, and every service account, is in.
const AUTHENTICATED: &str = "system:authenticated";
const SERVICE_ACCOUNTS: &str = "system:serviceaccounts";
/// The beginning of the names that service accounts have as users.
const SERVICE_ACCOUNT: &str = "system:serviceaccount:";

/// The lists that tell everything: their resources, cluster-wide ones first.
pub(crate) const LISTS: [&str; 4] = ["clusterroles", "roles", "clusterrolebindings", "rolebindings"];

/// The beginning of the names of roles and bindings that every cluster has.
const SYSTEM: &str = "system:";

/// The kinds of subjects.
pub(crate) const KINDS: [&str; 3] = ["User", "Group", "ServiceAccount"];

/// Whom a binding gives a role to.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Subject {
    /// One of [`KINDS`].
    pub(crate) kind: String,
    /// The namespace of a service account.
    pub(crate) namespace: String,
    pub(crate) name: String,
}

impl Subject {
    /// Reads one as somebody writes it: a service account as `NAMESPACE:NAME` or `NAME`.
    pub(crate) fn of(kind: &str, name: &str, namespace: &str) -> Self {
        let name = name.trim();
        let (kind, name) = match name.strip_prefix(SERVICE_ACCOUNT) {
            Some(name) if kind == "User" => ("ServiceAccount", name),
            _ => (kind, name),
        };
        let (namespace, name) = match kind {
            "ServiceAccount" => name.split_once(':').unwrap_or((namespace, name)),
            _ => ("", name),
        };
        Self { kind: kind.to_owned(), namespace: namespace.to_owned(), name: name.to_owned() }
    }

    /// Returns how it is written: see [`Subject::of`].
    pub(crate) fn written(&self) -> String {
        if self.namespace.is_empty() {
            self.name.clone()
        } else {
            [&self.namespace, ":", &self.name].concat()
        }
    }

    /// Returns the name that it has as a user; `None` for a group.
    pub(crate) fn user(&self) -> Option<String> {
        match self.kind.as_str() {
            "User" => Some(self.name.clone()),
            "ServiceAccount" => Some([SERVICE_ACCOUNT, &self.namespace, ":", &self.name].concat()),
            _ => None,
        }
    }

    /// Returns the groups that it is in without anybody saying so, or that it is.
    pub(crate) fn groups(&self) -> Vec<String> {
        let all = AUTHENTICATED.to_owned();
        match self.kind.as_str() {
            "Group" => vec![self.name.clone(), all],
            "ServiceAccount" => {
                let own = [SERVICE_ACCOUNTS, ":", &self.namespace].concat();
                vec![SERVICE_ACCOUNTS.to_owned(), own, all]
            }
            _ => vec![all],
        }
    }

    /// Returns whether what `other` is given is given to this one.
    fn is_or_is_in(&self, other: &Self) -> bool {
        self == other
            || other.kind == "Group" && self.groups().contains(&other.name)
            || other.kind == "User" && self.user().is_some_and(|user| user == other.name)
    }
}

/// A role: its kind, namespace, name and rules.
#[derive(Clone, Debug, Default, PartialEq)]
struct Role {
    kind: &'static str,
    namespace: String,
    name: String,
    rules: Vec<PolicyRule>,
}

/// A binding.
#[derive(Clone, Debug, Default, PartialEq)]
struct Binding {
    /// Empty if it gives the role in all namespaces.
    namespace: String,
    name: String,
    /// The kind and the name of the role.
    role: (String, String),
    subjects: Vec<Subject>,
}

/// A rule that a subject is given.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Given {
    pub(crate) subject: Subject,
    /// The namespace in which it holds; empty for all namespaces, and for what is in none.
    pub(crate) namespace: String,
    pub(crate) rule: PolicyRule,
    /// The role and the binding: their names and their paths.
    pub(crate) role: (String, String),
    pub(crate) binding: (String, String),
}

/// All roles and bindings of a cluster.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rules {
    roles: Vec<Role>,
    bindings: Vec<Binding>,
}

impl Rules {
    /// Takes one of the [`LISTS`].
    pub(crate) fn take(&mut self, resource: &str, list: &Value) {
        let items = list["items"].as_array().map(Vec::as_slice).unwrap_or_default();
        let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
        for item in items {
            let (namespace, name) = (text(&item["metadata"], "namespace"), text(&item["metadata"], "name"));
            if resource.ends_with("roles") {
                let kind = if resource == "roles" { "Role" } else { "ClusterRole" };
                let rules = array(&item["rules"]).iter().map(rule).collect();
                self.roles.push(Role { kind, namespace, name, rules });
            } else {
                let role = (text(&item["roleRef"], "kind"), text(&item["roleRef"], "name"));
                let subject = |subject: &Value| Subject {
                    kind: text(subject, "kind"),
                    namespace: text(subject, "namespace"),
                    name: text(subject, "name"),
                };
                let subjects = array(&item["subjects"]).iter().map(subject).collect();
                self.bindings.push(Binding { namespace, name, role, subjects });
            }
        }
    }

    /// Returns all who are given something, each once, in order.
    pub(crate) fn subjects(&self) -> Vec<Subject> {
        let mut subjects: Vec<Subject> =
            self.bindings.iter().flat_map(|binding| binding.subjects.iter().cloned()).collect();
        subjects.sort_unstable();
        subjects.dedup();
        subjects
    }

    /// Returns the rules by which subjects may do what is asked.
    pub(crate) fn who_may(&self, asked: &Attributes) -> Vec<Given> {
        self.given(|given| {
            let there = given.namespace.is_empty() || given.namespace == asked.namespace;
            there && covers(&given.rule, asked)
        })
    }

    /// Returns the rules that somebody has been given, be it by a group.
    pub(crate) fn of(&self, subject: &Subject) -> Vec<Given> {
        self.given(|given| subject.is_or_is_in(&given.subject))
    }

    fn given(&self, wanted: impl Fn(&Given) -> bool) -> Vec<Given> {
        let mut found = Vec::new();
        for binding in &self.bindings {
            let (kind, name) = &binding.role;
            let role = self.roles.iter().find(|role| {
                role.kind == kind
                    && role.name == *name
                    && (role.namespace.is_empty() || role.namespace == binding.namespace)
            });
            let Some(role) = role else { continue };
            for subject in &binding.subjects {
                let all = role.rules.iter().map(|rule| Given {
                    subject: subject.clone(),
                    namespace: binding.namespace.clone(),
                    rule: rule.clone(),
                    role: (role.name.clone(), path(kind, &role.namespace, &role.name)),
                    binding: (binding.name.clone(), binding_path(binding)),
                });
                found.extend(all.filter(|given| wanted(given)));
            }
        }
        // What every cluster has comes last.
        found.sort_by_key(|given| given.binding.0.starts_with(SYSTEM));
        found
    }
}

fn binding_path(binding: &Binding) -> String {
    let kind = if binding.namespace.is_empty() { "ClusterRoleBinding" } else { "RoleBinding" };
    path(kind, &binding.namespace, &binding.name)
}

/// Returns the path of a role or a binding.
pub(crate) fn path(kind: &str, namespace: &str, name: &str) -> String {
    let within = if namespace.is_empty() { String::new() } else { ["/namespaces/", namespace].concat() };
    [ROOT, &within, "/", &kind.to_ascii_lowercase(), "s/", name].concat()
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn rule(rule: &Value) -> PolicyRule {
    let list = |key: &str| array(&rule[key]).iter().filter_map(Value::as_str).map(str::to_owned).collect();
    PolicyRule {
        verbs: list("verbs"),
        api_groups: list("apiGroups"),
        resources: list("resources"),
        resource_names: list("resourceNames"),
        non_resource_urls: list("nonResourceURLs"),
    }
}

/// Returns whether a rule allows what is asked.
fn covers(rule: &PolicyRule, asked: &Attributes) -> bool {
    let has = |list: &[String], wanted: &str| list.iter().any(|own| own == "*" || own == wanted);
    if !has(&rule.verbs, &asked.verb) {
        return false;
    }
    if !asked.is_resource {
        let fits = |url: &String| {
            let begins = url.strip_suffix('*').is_some_and(|start| asked.path.starts_with(start));
            *url == asked.path || begins
        };
        return rule.non_resource_urls.iter().any(fits);
    }
    let wanted = match asked.subresource.as_str() {
        "" => asked.resource.clone(),
        part => [&asked.resource, "/", part].concat(),
    };
    let any_with = ["*/", &asked.subresource].concat();
    let named = rule.resource_names.is_empty() || rule.resource_names.contains(&asked.name);
    let resource =
        has(&rule.resources, &wanted) || !asked.subresource.is_empty() && rule.resources.contains(&any_with);
    has(&rule.api_groups, &asked.group) && resource && named
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    fn rules() -> Rules {
        let mut rules = Rules::default();
        let role = |name: &str, rule: Value| json!({"metadata": {"name": name}, "rules": [rule]});
        rules.take(
            "clusterroles",
            &json!({"items": [
                role("view", json!({"apiGroups": [""], "resources": ["pods", "pods/log"], "verbs": ["get", "list"]})),
                role("health", json!({"nonResourceURLs": ["/healthz/*"], "verbs": ["get"]})),
            ]}),
        );
        rules.take(
            "roles",
            &json!({"items": [{"metadata": {"name": "one", "namespace": "a"}, "rules": [
                {"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["s"], "verbs": ["*"]},
            ]}]}),
        );
        let bind = |name: &str, namespace: &str, kind: &str, role: &str, subject: Value| {
            json!({
                "metadata": {"name": name, "namespace": namespace},
                "roleRef": {"kind": kind, "name": role}, "subjects": [subject],
            })
        };
        rules.take(
            "clusterrolebindings",
            &json!({"items": [
                bind("viewers", "", "ClusterRole", "view", json!({"kind": "Group", "name": "devs"})),
                bind("health", "", "ClusterRole", "health", json!({"kind": "Group", "name": "system:authenticated"})),
                bind("dangling", "", "ClusterRole", "gone", json!({"kind": "User", "name": "eve"})),
            ]}),
        );
        rules.take(
            "rolebindings",
            &json!({"items": [
                bind("alice", "a", "ClusterRole", "view", json!({"kind": "User", "name": "alice"})),
                bind("bot", "a", "Role", "one", json!({"kind": "ServiceAccount", "name": "bot", "namespace": "a"})),
            ]}),
        );
        rules
    }

    fn asked(verb: &str, resource: &str, namespace: &str, name: &str) -> Attributes {
        let (resource, subresource) = resource.split_once('/').unwrap_or((resource, ""));
        Attributes {
            verb: verb.to_owned(),
            is_resource: true,
            resource: resource.to_owned(),
            subresource: subresource.to_owned(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            ..Attributes::default()
        }
    }

    #[track_caller]
    fn check(asked: &Attributes, expected: &[&str]) {
        let given = rules().who_may(asked);
        let who: Vec<String> =
            given.iter().map(|given| format!("{} by {}", given.subject.written(), given.binding.0)).collect();
        assert_eq!(who, expected);
    }

    #[test]
    fn knows_who_may() {
        check(&asked("get", "pods", "a", ""), &["devs by viewers", "alice by alice"]);
        check(&asked("get", "pods", "b", ""), &["devs by viewers"]);
        check(&asked("get", "pods/log", "b", "x"), &["devs by viewers"]);
        check(&asked("get", "pods/exec", "a", "x"), &[]);
        check(&asked("delete", "pods", "a", ""), &[]);
        check(&asked("delete", "secrets", "a", "s"), &["a:bot by bot"]);
        check(&asked("delete", "secrets", "a", ""), &[]);
        let path =
            |path: &str| Attributes { path: path.to_owned(), is_resource: false, ..asked("get", "", "", "") };
        check(&path("/healthz/etcd"), &["system:authenticated by health"]);
        check(&path("/metrics"), &[]);
    }

    #[test]
    fn knows_what_somebody_may() {
        let bindings = |kind: &str, name: &str| {
            let given = rules().of(&Subject::of(kind, name, "a"));
            given.into_iter().map(|given| given.binding.0).collect::<Vec<_>>()
        };
        assert_eq!(bindings("User", "alice"), ["health", "alice"]);
        assert_eq!(bindings("Group", "devs"), ["viewers", "health"]);
        assert_eq!(bindings("ServiceAccount", "bot"), ["health", "bot"]);
        assert_eq!(bindings("ServiceAccount", "b:bot"), ["health"]);
        assert_eq!(bindings("User", "system:serviceaccount:a:bot"), ["health", "bot"]);
    }

    #[test]
    fn paths_lead_to_roles_and_bindings() {
        let given = rules().who_may(&asked("delete", "secrets", "a", "s")).remove(0);
        assert_eq!(given.role.1, "/apis/rbac.authorization.k8s.io/v1/namespaces/a/roles/one");
        assert_eq!(given.binding.1, "/apis/rbac.authorization.k8s.io/v1/namespaces/a/rolebindings/bot");
        assert_eq!(rules().subjects().len(), 5);
    }
}
