//! Webhooks in the audit log: what they have said, changed, and failed to say.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#mutating-webhook-auditing-annotations>.

use json_tree::{Value, json};

use super::configuration;
use super::review::Verdict;
use crate::audit_context::{AuditContext, Level};
use crate::dynamic_admission::policy::Hook;

/// The end of the prefixes of annotations.
const DOMAIN: &str = "webhook.admission.k8s.io/";

/// A call of a webhook that changes objects.
pub(super) struct Call<'a> {
    /// The audit of the request, if there is one.
    pub(super) audit: Option<&'a dyn AuditContext>,
    pub(super) hook: &'a Hook,
    /// 0 for the first time, 1 for the second.
    pub(super) round: usize,
    /// The place of the webhook among all.
    pub(super) index: usize,
}

impl Call<'_> {
    /// Notes the call, and whether the webhook has changed the object.
    pub(super) fn note(&self, mutated: bool) {
        let Some(audit) = self.audit else { return };
        let (hook, configuration) = (&self.hook.name, configuration(self.hook));
        let mutation = json!({ "configuration": configuration, "webhook": hook, "mutated": mutated });
        audit.annotate(&self.key("mutation."), &text(&mutation));
    }

    /// Notes the patch of the webhook.
    pub(super) fn note_patch(&self, verdict: &Verdict) {
        let Some(audit) = self.audit.filter(|audit| audit.wants(Level::Request)) else { return };
        let Some(operations) = verdict.operations() else { return };
        let (hook, configuration) = (&self.hook.name, configuration(self.hook));
        let kind = "JSONPatch";
        let patch = json!({ "configuration": configuration, "webhook": hook, "patch": operations, "patchType": kind });
        audit.annotate(&self.key("patch."), &text(&patch));
    }

    /// Notes that the webhook could not be asked, which is ignored.
    pub(super) fn note_failed_open(&self) {
        note_failed_open(self.audit, "mutation", self.hook, (self.round, self.index));
    }

    fn key(&self, prefix: &str) -> String {
        [prefix, DOMAIN, &place((self.round, self.index))].concat()
    }
}

/// Notes that a webhook could not be asked, which is ignored; `what` it does, and in which round and place.
pub(super) fn note_failed_open(
    audit: Option<&dyn AuditContext>,
    what: &str,
    hook: &Hook,
    called: (usize, usize),
) {
    if let Some(audit) = audit {
        audit.annotate(&["failed-open.", what, ".", DOMAIN, &place(called)].concat(), &hook.name);
    }
}

/// Notes an annotation of a webhook, if its key can be one.
pub(super) fn annotate(audit: Option<&dyn AuditContext>, hook: &Hook, key: &str, text: &str) {
    let key = [&hook.name, "/", key].concat();
    if let Some(audit) = audit.filter(|_| field::name::qualified_name(&key).is_empty()) {
        audit.annotate(&key, text);
    }
}

fn place((round, index): (usize, usize)) -> String {
    format!("round_{round}_index_{index}")
}

fn text(value: &Value) -> String {
    String::from_utf8_lossy(&codec::json::to_vec(value)).into_owned()
}
