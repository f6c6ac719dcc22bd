//! Tables of the kinds about access: RoleBindings, ClusterRoleBindings, CertificateSigningRequests.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/rbac/>

use json_tree::Value;

use crate::printing::duration::human;
use crate::printing::row::{Row, condition, get, text};

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

/// <https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/>
pub(crate) fn certificate_signing_request(row: &Row<'_>) -> Vec<Value> {
    let duration = get(row.object, "/spec/expirationSeconds").and_then(Value::as_i64);
    vec![
        row.name(),
        row.age(),
        row.filled_or("/spec/signerName", "<none>"),
        row.text("/spec/username").into(),
        duration.map_or_else(|| "<none>".to_owned(), human).into(),
        progress(row).into(),
    ]
}

/// How far the request has come: `Approved,Issued`.
fn progress(row: &Row<'_>) -> String {
    let conditions = row.list("/status/conditions");
    let has = |ty: &str| condition(conditions, ty).is_some();
    let mut progress = vec![if has("Denied") {
        "Denied"
    } else if has("Approved") {
        "Approved"
    } else {
        "Pending"
    }];
    if has("Failed") {
        progress.push("Failed");
    }
    if !row.text("/status/certificate").is_empty() {
        progress.push("Issued");
    }
    progress.join(",")
}
