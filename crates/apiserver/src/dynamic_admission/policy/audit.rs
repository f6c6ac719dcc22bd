//! Validating policies in the audit log: what they have found, and the annotations that they publish.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/#audit-annotations>.

use json_tree::{Value, json};

use crate::audit_context::AuditContext;

/// The annotation with what a policy has found.
const FAILURE: &str = "validation.policy.admission.k8s.io/validation_failure";
/// The most bytes of an annotation that a policy publishes.
const MOST: usize = 10 * 1024;

/// Notes that the expression in a place has found something, for a binding (policy, name, actions) that wants that logged.
pub(super) fn failure(
    audit: &dyn AuditContext,
    (policy, binding, actions): (&str, &str, &Value),
    place: u64,
    message: &str,
) {
    let failure = json!([{
        "message": message,
        "policy": policy,
        "binding": binding,
        "expressionIndex": place,
        "validationActions": actions,
    }]);
    audit.annotate(FAILURE, &String::from_utf8_lossy(&codec::json::to_vec(&failure)));
}

/// The annotations that a policy publishes: keys, and the texts of each, by one binding or several.
#[derive(Default)]
pub(super) struct Published(Vec<(String, Vec<String>)>);

impl Published {
    /// Adds a text, or as much of it as is logged.
    pub(super) fn add(&mut self, key: &str, text: &str) {
        let end =
            text.char_indices().map(|(at, letter)| at + letter.len_utf8()).take_while(|end| *end <= MOST);
        let text = &text[..end.last().unwrap_or(0)];
        let index = self.0.iter().position(|(known, _)| known == key).unwrap_or_else(|| {
            self.0.push((key.to_owned(), Vec::new()));
            self.0.len() - 1
        });
        let texts = &mut self.0[index].1;
        if !texts.iter().any(|known| known == text) {
            texts.push(text.to_owned());
        }
    }

    /// Notes them as those of a policy.
    pub(super) fn publish(self, policy: &str, audit: Option<&dyn AuditContext>) {
        let Some(audit) = audit else { return };
        for (key, texts) in self.0 {
            audit.annotate(&[policy, "/", &key].concat(), &texts.join(", "));
        }
    }
}
