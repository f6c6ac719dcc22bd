//! Role-based access control: who may do what, as roles and their bindings say.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/rbac/>

mod index;
mod node;
pub(crate) mod rule;

use std::cell::RefCell;
use std::sync::Arc;

use store::{Revision, Store};

use crate::stored::Stored;
use apimachinery::{Attributes, User};
pub(crate) use index::{Binding, Index, Missing, Subject};
pub(crate) use node::{is_node, relates};
use protocol::trace::{Access, Grant, PolicyRule};
use rule::Rule;

/// The group of the objects that say who may do what.
pub(crate) const GROUP: &str = "rbac.authorization.k8s.io";

/// The group whose members may do everything, whatever the rules are.
pub(crate) const MASTERS: &str = "system:masters";

/// The rules as they are now, put in order for look-ups. They are put in order anew when one of them has changed.
#[derive(Default)]
pub(crate) struct Rules(RefCell<Option<(Revision, Arc<Index>)>>);

impl Rules {
    /// The rules as `store` has them now.
    pub(crate) fn now(&self, store: &Store<Arc<Stored>>) -> Arc<Index> {
        let head = store.revision();
        let mut known = self.0.borrow_mut();
        if let Some((revision, index)) = &mut *known
            && (*revision == head || !changed(store, *revision))
        {
            *revision = head;
            return Arc::clone(index);
        }
        let index = Arc::new(Index::of(store));
        *known = Some((head, Arc::clone(&index)));
        index
    }
}

/// Reports whether a rule may have changed since a revision.
fn changed(store: &Store<Arc<Stored>>, since: Revision) -> bool {
    let Ok(mut events) = store.events(since) else { return true };
    events.any(|event| event.value.or(event.previous).is_none_or(|entry| entry.value.group == GROUP))
}

/// Why a request is allowed or not.
pub(crate) enum Decision<'a> {
    /// The user is one of the masters.
    Master,
    /// The user is a node, and nodes may.
    Node,
    /// Everybody may do everything.
    Always,
    /// By this rule of this binding's role, which the subject gives to the user.
    Allowed(&'a Binding, &'a Subject, &'a Rule),
    /// No rule allows it. What kept rules from being found is listed.
    Denied(Vec<String>),
}

impl Decision<'_> {
    /// Reports whether the request is allowed.
    pub(crate) fn is_allowed(&self) -> bool {
        !matches!(self, Self::Denied(_))
    }

    /// Returns the decision with the rule that it rests on, for whoever wants to know why.
    pub(crate) fn access(&self) -> Access {
        let grant = match self {
            Self::Allowed(binding, subject, rule) => Some(Grant {
                namespace: binding.namespace.clone(),
                binding: binding.name.clone(),
                role_kind: binding.role.0.clone(),
                role: binding.role.1.clone(),
                subject: subject.describe(&binding.namespace),
                rule: PolicyRule {
                    verbs: rule.verbs.clone(),
                    api_groups: rule.groups.clone(),
                    resources: rule.resources.clone(),
                    resource_names: rule.names.clone(),
                    non_resource_urls: rule.urls.clone(),
                },
            }),
            _ => None,
        };
        Access { allowed: self.is_allowed(), reason: self.reason(), grant }
    }

    /// The reason as kube-apiserver words it; may be empty.
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::Master | Self::Node | Self::Always => String::new(),
            Self::Allowed(binding, subject, _) => {
                ["RBAC: allowed by ", &binding.describe(), " to ", &subject.describe(&binding.namespace)]
                    .concat()
            }
            Self::Denied(errors) if errors.is_empty() => String::new(),
            Self::Denied(errors) => ["RBAC: ", &aggregate(errors)].concat(),
        }
    }
}

/// Errors as Go joins them: each once, in brackets if they are several.
pub(crate) fn aggregate(errors: &[String]) -> String {
    let mut once: Vec<&str> = Vec::new();
    for error in errors {
        if !once.contains(&error.as_str()) {
            once.push(error);
        }
    }
    match once.as_slice() {
        [one] => (*one).to_owned(),
        several => ["[", &several.join(", "), "]"].concat(),
    }
}

impl Index {
    /// Decides whether `user` may do what is asked.
    pub(crate) fn decide(&self, user: &User, asked: &Attributes) -> Decision<'_> {
        if is_master(user) {
            return Decision::Master;
        }
        let mut errors = Vec::new();
        for binding in self.bindings(user, &asked.namespace) {
            match &binding.rules {
                Ok(rules) => {
                    let rule = rules.iter().find(|rule| rule.allows(asked));
                    if let Some((rule, subject)) = rule.zip(binding.subject(user)) {
                        return Decision::Allowed(binding, subject, rule);
                    }
                }
                Err(missing) => errors.push(missing.to_string()),
            }
        }
        if self.is_allowed_to_node(user, asked) {
            return Decision::Node;
        }
        Decision::Denied(errors)
    }

    /// Reports whether a user is a node that may do what is asked.
    fn is_allowed_to_node(&self, user: &User, asked: &Attributes) -> bool {
        let allows = |rules: Arc<[Rule]>| rules.iter().any(|rule| rule.allows(asked));
        node::decides(user, asked) && self.rules_of("ClusterRole", "", node::ROLE).is_ok_and(allows)
    }

    /// The rules that `user` has in a namespace, or with an empty one at the cluster scope; and the roles that bindings of
    /// theirs name in vain.
    pub(crate) fn held(&self, user: &User, namespace: &str) -> (Vec<&Rule>, Vec<&Missing>) {
        let (mut rules, mut errors) = (Vec::new(), Vec::new());
        for binding in self.bindings(user, namespace) {
            match &binding.rules {
                Ok(own) => rules.extend(own.iter()),
                Err(missing) => errors.push(missing),
            }
        }
        (rules, errors)
    }
}

/// Reports whether a user may do everything.
pub(crate) fn is_master(user: &User) -> bool {
    user.groups.iter().any(|group| group == MASTERS)
}

#[cfg(test)]
mod tests;
