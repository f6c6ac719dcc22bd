//! Validation that roles have in common, and that bindings have in common.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/rbac/>.

use json_tree::{Value, json};

use crate::validation::name;
use crate::validation::read::{at, list, text};
use field::{AddError, Error, Path};

const GROUP: &str = "rbac.authorization.k8s.io";

/// Validates an updated RoleBinding or ClusterRoleBinding: the role stays.
pub(super) fn update_binding(object: &Value, old: &Value) -> Vec<Error> {
    let (new, old) = (at(object, "/roleRef"), at(old, "/roleRef"));
    let fields = |reference| -> (&str, &str, &str) {
        (group(reference), text(reference, "kind"), text(reference, "name"))
    };
    if fields(new) == fields(old) {
        return Vec::new();
    }
    let (group, kind, name) = fields(new);
    let value = json!({"APIGroup": group, "Kind": kind, "Name": name});
    vec![Error::invalid(Path::new("roleRef"), value, "cannot change roleRef")]
}

/// Validates the rules of a role. `namespaced`: it is a Role.
pub(super) fn rules(object: &Value, namespaced: bool) -> Vec<Error> {
    let mut errors = Vec::new();
    for (index, rule) in list(object, "rules").iter().enumerate() {
        let path = Path::new("rules").index(index);
        let has = |field: &str| !list(rule, field).is_empty();
        if !has("verbs") {
            errors.required(path.child("verbs"), "verbs must contain at least one value");
        }
        if has("nonResourceURLs") {
            let path = path.child("nonResourceURLs");
            let urls = list(rule, "nonResourceURLs").to_vec();
            if namespaced {
                let why = "namespaced rules cannot apply to non-resource URLs";
                errors.invalid(&path, urls.clone(), why);
            }
            if ["apiGroups", "resources", "resourceNames"].into_iter().any(has) {
                let why = "rules cannot apply to both regular resources and non-resource URLs";
                errors.invalid(&path, urls, why);
            }
            continue;
        }
        if !has("apiGroups") {
            let why = "resource rules must supply at least one api group";
            errors.required(path.child("apiGroups"), why);
        }
        if !has("resources") {
            let why = "resource rules must supply at least one resource";
            errors.required(path.child("resources"), why);
        }
    }
    errors
}

/// Validates a new binding. `namespaced`: it is a RoleBinding.
pub(super) fn binding(object: &Value, namespaced: bool) -> Vec<Error> {
    let reference = at(object, "/roleRef");
    let path = Path::new("roleRef");
    let mut errors = Vec::new();
    if group(reference) != GROUP {
        errors.not_supported(path.child("apiGroup"), group(reference), &[GROUP]);
    }
    let kinds: &[&str] = if namespaced { &["Role", "ClusterRole"] } else { &["ClusterRole"] };
    let kind = text(reference, "kind");
    if !kinds.contains(&kind) {
        errors.not_supported(path.child("kind"), kind, kinds);
    }
    let (path, role) = (path.child("name"), text(reference, "name"));
    if role.is_empty() {
        errors.required(&path, "");
    } else {
        errors.extend(name::path_segment(role).into_iter().map(|why| Error::invalid(&path, role, why)));
    }
    for (index, one) in list(object, "subjects").iter().enumerate() {
        errors.extend(subject(one, namespaced, &Path::new("subjects").index(index)));
    }
    errors
}

fn subject(subject: &Value, namespaced: bool, path: &Path) -> Vec<Error> {
    let (kind, who) = (text(subject, "kind"), text(subject, "name"));
    let mut errors = Vec::new();
    if who.is_empty() {
        errors.required(path.child("name"), "");
    }
    match kind {
        "ServiceAccount" => {
            if !who.is_empty() {
                let path = path.child("name");
                errors.extend(name::subdomain(who).into_iter().map(|why| Error::invalid(&path, who, why)));
            }
            let group = text(subject, "apiGroup");
            if !group.is_empty() {
                errors.not_supported(path.child("apiGroup"), group, &[""]);
            }
            if !namespaced && text(subject, "namespace").is_empty() {
                errors.required(path.child("namespace"), "");
            }
        }
        "User" | "Group" if group(subject) == GROUP => {}
        "User" | "Group" => {
            errors.not_supported(path.child("apiGroup"), group(subject), &[GROUP]);
        }
        _ => {
            let kinds = ["ServiceAccount", "User", "Group"];
            errors.not_supported(path.child("kind"), kind, &kinds);
        }
    }
    errors
}

/// Returns the group of a reference; RBAC's own by default.
fn group(reference: &Value) -> &str {
    match text(reference, "apiGroup") {
        "" => GROUP,
        group => group,
    }
}
