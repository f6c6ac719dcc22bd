//! The kinds of the group rbac.authorization.k8s.io.

mod common;
mod printer;

pub(crate) mod cluster_role;
pub(crate) mod cluster_role_binding;
pub(crate) mod role;
pub(crate) mod role_binding;

pub(crate) use cluster_role::ClusterRole;
pub(crate) use cluster_role_binding::ClusterRoleBinding;
pub(crate) use role::Role;
pub(crate) use role_binding::RoleBinding;
