//! Roles and bindings in the order in which they are looked up.

use std::fmt;
use std::sync::Arc;

use field::quote;
use json_tree::Value;
use store::{KeyRange, Store};

use super::rule::Rule;
use crate::stored::Stored;
use apimachinery::User;
use apimachinery::selector::label::LabelSelector;

/// How often aggregated roles are filled in, so that those that gather others that gather get theirs too.
const DEPTH: usize = 8;

/// All bindings with the rules of their roles.
#[derive(Default)]
pub(crate) struct Index {
    /// First those at the cluster scope, then by namespace; in the order of keys.
    bindings: Vec<Binding>,
    /// Namespace (empty at the cluster scope) and who is bound there, in order; and the binding's number.
    bound: Vec<(String, Who, usize)>,
    roles: Roles,
}

/// Whom a subject means. Service accounts are users too.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Who {
    User(String),
    Group(String),
}

/// A binding with the rules of its role.
#[derive(Debug)]
pub(crate) struct Binding {
    /// The binding's namespace; empty for a ClusterRoleBinding.
    pub(crate) namespace: String,
    pub(crate) name: String,
    /// The kind of the role, and its name.
    pub(crate) role: (String, String),
    subjects: Vec<Subject>,
    /// The rules of the role, if there is one.
    pub(crate) rules: Result<Arc<[Rule]>, Missing>,
}

/// Whom a binding gives a role to.
#[derive(Debug)]
pub(crate) struct Subject {
    pub(crate) kind: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
}

/// A role that is not there.
#[derive(Clone, Debug)]
pub(crate) enum Missing {
    /// `role` or `clusterrole`, and its name.
    Role(&'static str, String),
    /// A kind in a role reference that is not one of a role.
    Kind(String),
}

impl fmt::Display for Missing {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Role(kind, name) => write!(out, "{kind}.{} {} not found", super::GROUP, quote(name)),
            Self::Kind(kind) => write!(out, "unsupported role reference kind: {}", quote(kind)),
        }
    }
}

/// Namespace (empty for a ClusterRole), name and rules, in order.
#[derive(Default)]
struct Roles(Vec<(String, String, Arc<[Rule]>)>);

impl Roles {
    fn find(&self, namespace: &str, name: &str) -> Option<&Arc<[Rule]>> {
        let found = self.0.binary_search_by(|row| (row.0.as_str(), row.1.as_str()).cmp(&(namespace, name)));
        self.0.get(found.ok()?).map(|row| &row.2)
    }
}

impl Index {
    /// Reads all roles and bindings.
    pub(super) fn of(store: &Store<Arc<Stored>>) -> Self {
        let mut index = Self { roles: roles(store), ..Self::default() };
        for resource in ["clusterrolebindings", "rolebindings"] {
            for (namespace, name, binding) in all(store, resource) {
                index.add(namespace, name, &binding);
            }
        }
        schema::sort_by(&mut index.bound, Ord::cmp);
        index
    }

    fn add(&mut self, namespace: String, name: String, binding: &Value) {
        let subjects = binding.get("subjects").and_then(Value::as_array).into_iter().flatten();
        let subjects: Vec<Subject> = subjects
            .map(|subject| Subject {
                kind: subject.text("kind").to_owned(),
                namespace: subject.text("namespace").to_owned(),
                name: subject.text("name").to_owned(),
            })
            .collect();
        for who in subjects.iter().filter_map(|subject| subject.who(&namespace)) {
            self.bound.push((namespace.clone(), who, self.bindings.len()));
        }
        let reference = binding.get("roleRef").unwrap_or(&Value::Null);
        let role = (reference.text("kind").to_owned(), reference.text("name").to_owned());
        let rules = self.rules_of(&role.0, &namespace, &role.1);
        self.bindings.push(Binding { namespace, name, role, subjects, rules });
    }

    /// The rules of the role that a binding in a namespace refers to.
    ///
    /// # Errors
    /// There is no such role.
    pub(crate) fn rules_of(&self, kind: &str, namespace: &str, name: &str) -> Result<Arc<[Rule]>, Missing> {
        let (namespace, shown) = match kind {
            "Role" => (namespace, "role"),
            "ClusterRole" => ("", "clusterrole"),
            _ => return Err(Missing::Kind(kind.to_owned())),
        };
        // A Role is in a namespace: there is none at the cluster scope.
        let found =
            if kind == "Role" && namespace.is_empty() { None } else { self.roles.find(namespace, name) };
        found.cloned().ok_or_else(|| Missing::Role(shown, name.to_owned()))
    }

    /// The bindings of a user at the cluster scope, and then those in the namespace.
    pub(crate) fn bindings(&self, user: &User, namespace: &str) -> impl Iterator<Item = &Binding> {
        let mut numbers: Vec<usize> = Vec::new();
        let scopes = if namespace.is_empty() { &["", ""][..1] } else { &["", namespace][..] };
        for scope in scopes {
            let named =
                std::iter::once((&user.name, true)).chain(user.groups.iter().map(|group| (group, false)));
            for (name, is_user) in named {
                self.numbers(scope, is_user, name, &mut numbers);
            }
        }
        schema::sort_once(&mut numbers);
        numbers.into_iter().filter_map(|number| self.bindings.get(number))
    }

    fn numbers(&self, namespace: &str, is_user: bool, name: &str, into: &mut Vec<usize>) {
        let key = (namespace, !is_user, name);
        let start = self.bound.partition_point(|row| row_key(row) < key);
        let rows = self.bound.iter().skip(start).take_while(|row| row_key(row) == key);
        into.extend(rows.map(|row| row.2));
    }
}

/// Returns the key by which rows are ordered: users come before groups.
fn row_key((namespace, who, _): &(String, Who, usize)) -> (&str, bool, &str) {
    match who {
        Who::User(name) => (namespace, false, name),
        Who::Group(name) => (namespace, true, name),
    }
}

impl Binding {
    /// The first subject that means a user.
    pub(crate) fn subject(&self, user: &User) -> Option<&Subject> {
        self.subjects.iter().find(|subject| match subject.who(&self.namespace) {
            Some(Who::User(name)) => name == user.name,
            Some(Who::Group(name)) => user.groups.contains(&name),
            None => false,
        })
    }

    /// The binding and its role, as reasons name them.
    pub(crate) fn describe(&self) -> String {
        let (kind, shown) = if self.namespace.is_empty() {
            ("ClusterRoleBinding ", self.name.clone())
        } else {
            ("RoleBinding ", [&self.name, "/", &self.namespace].concat())
        };
        [kind, &quote(&shown), " of ", &self.role.0, " ", &quote(&self.role.1)].concat()
    }
}

impl Subject {
    /// Whom it means in a binding that is in a namespace.
    fn who(&self, namespace: &str) -> Option<Who> {
        match self.kind.as_str() {
            "User" => Some(Who::User(self.name.clone())),
            "Group" => Some(Who::Group(self.name.clone())),
            "ServiceAccount" => {
                let namespace = if self.namespace.is_empty() { namespace } else { &self.namespace };
                let name = ["system:serviceaccount:", namespace, ":", &self.name].concat();
                (!namespace.is_empty()).then_some(Who::User(name))
            }
            _ => None,
        }
    }

    /// The subject of a binding that is in a namespace, as reasons name it.
    pub(crate) fn describe(&self, namespace: &str) -> String {
        let shown = match self.kind.as_str() {
            "ServiceAccount" if self.namespace.is_empty() => [&self.name, "/", namespace].concat(),
            "ServiceAccount" => [&self.name, "/", &self.namespace].concat(),
            _ => self.name.clone(),
        };
        [&self.kind, " ", &quote(&shown)].concat()
    }
}

/// All roles. A ClusterRole that gathers others has their rules too.
///
/// In a cluster, a controller writes them into the role. None runs here, so that the role is stored as it was sent, as
/// kube-apiserver alone would have it.
///
/// <https://kubernetes.io/docs/reference/access-authn-authz/rbac/#aggregated-clusterroles>
fn roles(store: &Store<Arc<Stored>>) -> Roles {
    let mut cluster = all(store, "clusterroles");
    let labels: Vec<Value> = cluster
        .iter()
        .map(|(_, _, role)| role.pointer("/metadata/labels").cloned().unwrap_or_default())
        .collect();
    let mut rules: Vec<Vec<Rule>> = cluster.iter().map(|(_, _, role)| Rule::list(role)).collect();
    // Each role that gathers, and those that it gathers.
    let gathered: Vec<(usize, Vec<usize>)> = (0..cluster.len())
        .filter_map(|number| {
            let selectors = cluster[number].2.pointer("/aggregationRule/clusterRoleSelectors")?.as_array()?;
            let selectors: Vec<LabelSelector> = selectors.iter().filter_map(LabelSelector::of).collect();
            let chosen = |other: &usize| {
                let label = |key: &str| labels[*other].get(key).and_then(Value::as_str);
                *other != number && selectors.iter().any(|selector| selector.matches(label))
            };
            Some((number, (0..labels.len()).filter(chosen).collect()))
        })
        .collect();
    for _ in 0..DEPTH {
        let mut grown = false;
        for (number, parts) in &gathered {
            let mut own = std::mem::take(&mut rules[*number]);
            for rule in parts.iter().flat_map(|part| &rules[*part]) {
                if !own.contains(rule) {
                    own.push(rule.clone());
                    grown = true;
                }
            }
            rules[*number] = own;
        }
        if !grown {
            break;
        }
    }
    let mut rows: Vec<(String, String, Arc<[Rule]>)> = Vec::with_capacity(cluster.len());
    for ((_, name, _), rules) in cluster.drain(..).zip(rules) {
        rows.push((String::new(), name, rules.into()));
    }
    let others = all(store, "roles").into_iter();
    rows.extend(others.map(|(namespace, name, role)| (namespace, name, Rule::list(&role).into())));
    schema::sort_by(&mut rows, |a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    Roles(rows)
}

/// Namespace, name and tree of all objects of a resource, in the order of keys.
fn all(store: &Store<Arc<Stored>>, resource: &str) -> Vec<(String, String, Value)> {
    let range = KeyRange::prefix(&["/registry/", resource, "/"].concat());
    let entries = store.range(&range);
    entries
        .map(|entry| {
            let stored = &entry.value;
            (stored.namespace.clone(), stored.name.clone(), Value::Object(stored.tree()))
        })
        .collect()
}
