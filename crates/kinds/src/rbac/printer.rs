//! The rows of tables that several kinds share.

use json_tree::Value;

use crate::printing::row::{Row, text};

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS_OF_BINDINGS: &str = "Name||name||@name
Role||||RoleRef can reference a Role in the current namespace or a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.
Age||||@created
Users|||1|Users in the roleBinding
Groups|||1|Groups in the roleBinding
ServiceAccounts|||1|ServiceAccounts in the roleBinding";

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS_OF_CLUSTER_BINDINGS: &str = "Name||name||@name
Role||||RoleRef can only reference a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.
Age||||@created
Users|||1|Users in the clusterRoleBinding
Groups|||1|Groups in the clusterRoleBinding
ServiceAccounts|||1|ServiceAccounts in the clusterRoleBinding";

pub(crate) fn binding(row: &Row<'_>) -> Vec<Value> {
    let role = format!("{}/{}", row.text("/roleRef/kind"), row.text("/roleRef/name"));
    let subjects = row.list("/subjects");
    let of_kind = |kind: &str, show: fn(&Value) -> String| {
        let shown: Vec<_> =
            subjects.iter().filter(|subject| text(subject, "/kind") == kind).map(show).collect();
        Value::from(shown.join(", "))
    };
    vec![
        row.name(),
        role.into(),
        row.age(),
        of_kind("User", |user| text(user, "/name").to_owned()),
        of_kind("Group", |group| text(group, "/name").to_owned()),
        of_kind("ServiceAccount", |account| {
            format!("{}/{}", text(account, "/namespace"), text(account, "/name"))
        }),
    ]
}
