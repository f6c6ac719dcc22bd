//! Who may do what, and by which rule.

use bytes::Bytes;
use http::Request;

use super::Inspect;
use crate::auth;
use crate::auth::attributes::Attributes;
use crate::auth::rbac::Decision;
use crate::query::Query;
use crate::server::{User, path_and_query};

/// What authorization says of a request.
///
/// <https://kubernetes.io/docs/reference/access-authn-authz/rbac/>
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// Whether it is allowed.
    pub allowed: bool,
    /// The reason as kube-apiserver words it. It is empty if the user is in `system:masters`, who need no rule, and if
    /// nothing allows the request.
    pub reason: String,
    /// By which rule it is allowed; `None` if none is needed, or none allows it.
    pub grant: Option<Grant>,
}

/// The rule that allows a request, and how the user has come by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The namespace of the RoleBinding; empty if it is a ClusterRoleBinding.
    pub namespace: String,
    /// The name of the binding.
    pub binding: String,
    /// The kind of the role: `Role` or `ClusterRole`.
    pub role_kind: String,
    /// The name of the role.
    pub role: String,
    /// The subject of the binding that means the user, as `User "jane"`.
    pub subject: String,
    /// The rule.
    pub rule: PolicyRule,
}

/// A rule of a role: `*` stands for everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicyRule {
    /// What may be done.
    pub verbs: Vec<String>,
    /// The API groups of the resources.
    pub api_groups: Vec<String>,
    /// The resources; of subresources `pods/log`.
    pub resources: Vec<String>,
    /// The names of the objects; none if it is for all.
    pub resource_names: Vec<String>,
    /// Paths that are no resources.
    pub non_resource_urls: Vec<String>,
}

impl Inspect {
    /// What authorization says now of a request by `user`, and by which rule. Nothing is changed or noted by asking.
    pub fn decision(&self, user: &User, asked: &Attributes) -> Access {
        let rules = self.shared().storage().rules();
        let decision = rules.decide(user, asked);
        let grant = match &decision {
            Decision::Allowed(binding, subject, rule) => Some(Grant {
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
        Access { allowed: decision.is_allowed(), reason: decision.reason(), grant }
    }

    /// What authorization knows a request by; `None` if its path ends where a resource would have to follow. Whether
    /// there is such a resource is not asked.
    pub fn attributes(&self, request: &Request<Bytes>) -> Option<Attributes> {
        let uri = path_and_query(request.uri());
        let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
        Attributes::of(request.method(), path, &Query::parse(query))
    }

    /// In whose name a request is sent: its sender's, or whom its sender impersonates; `None` if the sender is not
    /// known, or may not.
    pub fn user(&self, request: &Request<Bytes>) -> Option<User> {
        let asked = self.attributes(request)?;
        auth::authenticate(self.shared(), request.headers(), &asked).ok()
    }
}
