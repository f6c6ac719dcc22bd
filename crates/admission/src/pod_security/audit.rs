//! Pod security in the audit log: the policy that counts, and pods that are not as safe as the label `audit` wants them.
//!
//! <https://kubernetes.io/docs/concepts/security/pod-security-admission/#pod-security-admission-labels-for-namespaces>

use json_tree::Value;

use super::{PREFIX, PRIVILEGED, Policies, Request, details, look, policies};
use crate::Annotate;
use apimachinery::object::{Object, metadata_text};

/// Notes the policy for a pod whose change does not matter: only where nothing is asked of any.
pub(super) fn unchanged(request: &Request<'_>, pod: &Object) {
    if audit(request).is_none() {
        return;
    }
    if let Some(namespace) = request.find("namespaces", metadata_text(pod, "namespace"))
        && asks_for_nothing(&policies(&namespace))
    {
        annotate(request, "enforce-policy", &PRIVILEGED.show());
    }
}

/// Notes the policies for a pod, or for the template of one, which none is enforced for.
pub(super) fn note(
    request: &Request<'_>,
    found: &Policies,
    (metadata, spec): (&Value, &Value),
    is_enforced: bool,
) {
    if audit(request).is_none() {
        return;
    }
    let ([enforce, audit, warn], errors) = found;
    if is_enforced && asks_for_nothing(found) {
        return annotate(request, "enforce-policy", &PRIVILEGED.show());
    }
    if !is_enforced && errors.is_empty() && audit.level == 0 && warn.level == 0 {
        return;
    }
    if !errors.is_empty() {
        annotate(request, "error", &["Failed to parse policy: ", &field::aggregate(errors)].concat());
    }
    if is_enforced {
        annotate(request, "enforce-policy", &enforce.show());
    }
    let violations = look(request, *audit, metadata, spec);
    if !violations.is_empty() {
        let policy = field::quote(&audit.show());
        let text = format!("would violate PodSecurity {policy}: {}", details(&violations));
        annotate(request, "audit-violations", &text);
    }
}

fn asks_for_nothing((policies, errors): &Policies) -> bool {
    errors.is_empty() && policies.iter().all(|policy| policy.level == 0)
}

fn annotate(request: &Request<'_>, key: &str, text: &str) {
    if let Some(annotate) = audit(request) {
        annotate(&[PREFIX, key].concat(), text);
    }
}

/// Returns the audit of the request. There is none in WebAssembly, and none of the code for it.
fn audit<'a>(request: &Request<'a>) -> Option<Annotate<'a>> {
    if cfg!(target_family = "wasm") { None } else { request.audit }
}
