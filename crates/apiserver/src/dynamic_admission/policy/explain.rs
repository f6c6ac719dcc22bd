//! Explanations of policies: the result of each, for a cluster that explains it. Others pay nothing for it.

use json_tree::Value;

use super::request::Request;
use super::snapshot::Hook;
use crate::resource::Resource;
use protocol::trace::{Considered, Found, Mismatch, Step};

impl Request<'_> {
    /// Reports whether the cluster explains the results of its policies.
    pub(super) fn explains(&self) -> bool {
        self.context.shared.explains
    }

    /// Notes that the constraints of a policy, or with a name those of its binding, do not match.
    pub(super) fn note_unmatched(&self, hook: &Hook, binding: &str, constraints: &Value) {
        if self.explains() {
            self.consider(hook, binding, &Value::Null, Found::Unmatched(self.mismatch(constraints)));
        }
    }

    /// Notes that a policy, or with a name its binding, cannot be used.
    pub(super) fn note_unusable(&self, hook: &Hook, binding: &str, why: &str) {
        if self.explains() {
            self.consider(hook, binding, &Value::Null, Found::Unusable(why.to_owned()));
        }
    }

    /// Notes that there are no parameters to ask with, if there are none.
    pub(super) fn note_params(&self, hook: &Hook, binding: &str, params: &[Value]) {
        if self.explains() && params.is_empty() {
            self.consider(hook, binding, &Value::Null, Found::NoParams);
        }
    }

    /// Notes what the expressions of a policy gave.
    pub(super) fn note_asked(&self, hook: &Hook, binding: &str, params: &Value, answer: &Value) {
        if self.explains() {
            let steps = answer["steps"].as_array().into_iter().flatten().map(read);
            self.consider(hook, binding, params, Found::Asked(steps.collect()));
        }
    }

    /// Notes what a mutation gave, or why nothing came of it, as one more step of what was noted last.
    pub(super) fn note_mutation(&self, index: usize, value: &str, error: &str) {
        if !self.explains() {
            return;
        }
        let mut considered = self.context.notes.considered();
        if let Some(Considered { found: Found::Asked(steps), .. }) = considered.last_mut() {
            let (value, error) = (value.to_owned(), error.to_owned());
            steps.push(Step { list: "mutations".to_owned(), index, value, error, ..Step::default() });
        }
    }

    fn consider(&self, hook: &Hook, binding: &str, params: &Value, found: Found) {
        let text = |key: &str| params["metadata"][key].as_str().unwrap_or_default();
        let params = match (text("namespace"), text("name")) {
            ("", name) => name.to_owned(),
            (namespace, name) => [namespace, "/", name].concat(),
        };
        let new = Considered {
            policy: hook.name.clone(),
            mutates: !hook.spec["mutations"].is_null(),
            binding: binding.to_owned(),
            object: self.attributes.object_name(),
            params,
            found,
        };
        let mut considered = self.context.notes.considered();
        // What asks once more finds the same.
        if matches!(new.found, Found::Asked(_)) || !considered.contains(&new) {
            considered.push(new);
        }
    }

    /// Why constraints do not match, which do not.
    fn mismatch(&self, constraints: &Value) -> Mismatch {
        let of = |field: &str| Mismatch { field: field.to_owned(), rules: Vec::new() };
        if let Ok(false) = self.matches_namespace(&constraints["namespaceSelector"]) {
            return of("namespaceSelector");
        }
        if let Ok(false) = self.matches_labels(&constraints["objectSelector"]) {
            return of("objectSelector");
        }
        let equivalent = constraints["matchPolicy"] != "Exact";
        if self.find_rule(&constraints["excludeResourceRules"], equivalent).is_some() {
            return of("excludeResourceRules");
        }
        let own = &self.context.target.resource;
        let rules = constraints["resourceRules"].as_array().into_iter().flatten();
        Mismatch {
            field: "resourceRules".to_owned(),
            rules: rules.map(|rule| self.differing(rule, own)).collect(),
        }
    }

    /// The first field of a rule that does not match, and what the request has there.
    fn differing(&self, rule: &Value, row: &Resource) -> (String, String) {
        let part = self.context.target.subresource.as_str();
        let resource = if part.is_empty() { row.name.clone() } else { [&row.name, "/", part].concat() };
        let own = [
            ("operations", self.attributes.operation.as_str().to_owned()),
            ("apiGroups", row.group.clone()),
            ("apiVersions", row.version.clone()),
            ("resources", resource),
            ("resourceNames", self.attributes.name.to_owned()),
        ];
        let scope = if self.namespaced() { "Namespaced" } else { "Cluster" };
        let differs = |(field, _): &(&'static str, String)| !self.names(rule, field, row);
        let (field, value) = own.into_iter().find(differs).unwrap_or_else(|| ("scope", scope.to_owned()));
        (field.to_owned(), value)
    }
}

/// A step of an answer: see [`evaluate`](crate::policy::evaluate).
fn read(step: &Value) -> Step {
    let text = |at: usize| step[at].as_str().unwrap_or_default().to_owned();
    let index = step[1].as_u64().unwrap_or_default() as usize;
    Step { list: text(0), index, value: text(2), error: text(3), message: text(4) }
}
