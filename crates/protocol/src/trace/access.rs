//! Decisions of authorization, and the rules that they rest on.

pub use apimachinery::Attributes;
use serde::{Deserialize, Serialize};

/// A decision of authorization on a request.
///
/// <https://kubernetes.io/docs/reference/access-authn-authz/rbac/>
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AccessDecision {
    /// The name of the user in whose name the request was sent.
    pub user: String,
    /// The attributes of the request that were decided on.
    pub attributes: Attributes,
    /// The decision.
    pub access: Access,
}

/// The decision of authorization on a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Access {
    /// `true` if the request is allowed.
    pub allowed: bool,
    /// The reason as kube-apiserver words it. It is empty if the user is in `system:masters`, who need no rule, and if
    /// nothing allows the request.
    pub reason: String,
    /// The rule that allows it; `None` if none is needed, or none allows it.
    pub grant: Option<Grant>,
}

/// The rule that allows a request, and how the user has come by it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyRule {
    /// The rule that allows it.
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
