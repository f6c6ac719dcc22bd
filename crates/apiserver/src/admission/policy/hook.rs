//! Policies that are bound, and which of their bindings a request concerns.

use std::sync::Arc;

use json_tree::Value;
use schema::Resource;
use store::KeyRange;

use super::request::Request;
use crate::chunk::{self, Chunk};
use crate::context::RequestContext;
use crate::status::Status;
use crate::storage::Storage;

/// A policy that is bound.
pub(super) struct Hook {
    pub(super) name: String,
    pub(super) spec: Value,
    /// The names of its bindings, and what they say.
    pub(super) bindings: Vec<(String, Value)>,
}

/// Policies that are bound, in the order of their names. They and their bindings are stored there.
fn hooks(storage: &Storage, [policies, bindings]: [&str; 2]) -> Vec<Hook> {
    let mut hooks: Vec<Hook> = Vec::new();
    for entry in storage.store.range(&KeyRange::prefix(bindings)) {
        let spec = entry.value.tree().remove("spec").unwrap_or_default();
        let policy = spec["policyName"].as_str().unwrap_or_default().to_owned();
        let binding = (entry.value.name.clone(), spec);
        match hooks.iter_mut().find(|hook| hook.name == policy) {
            Some(hook) => hook.bindings.push(binding),
            None => {
                let key = [policies, &policy].concat();
                // A binding may be there before its policy.
                if let Some(entry) = storage.store.get(&key) {
                    let spec = entry.value.tree().remove("spec").unwrap_or_default();
                    hooks.push(Hook { name: policy, spec, bindings: vec![binding] });
                }
            }
        }
    }
    schema::sort_by(&mut hooks, |a, b| a.name.cmp(&b.name));
    hooks
}

/// A binding that a request concerns.
pub(super) struct Bound<'h> {
    /// The name and the spec.
    pub(super) binding: (&'h str, &'h Value),
    /// The form of the resource that the policy's rules have matched.
    pub(super) row: Arc<Resource>,
    /// The parameters that the policy is evaluated with, one after the other.
    pub(super) params: Vec<Value>,
}

/// A policy, or a binding of one, that cannot be used.
pub(super) struct Misconfigured<'h> {
    /// The name of the binding; empty if it is the policy itself.
    pub(super) binding: &'h str,
    /// The reason, as kube-apiserver words it.
    pub(super) why: String,
}

impl RequestContext<'_> {
    /// The policies that are stored there and bound.
    ///
    /// # Errors
    /// There are some, and the code that evaluates them is not there: 500, even where a policy's own failure is ignored.
    pub(super) fn hooks(&self, storage: &Storage, stored: [&str; 2]) -> Result<Vec<Hook>, Box<Status>> {
        let hooks = hooks(storage, stored);
        if !hooks.is_empty() && self.formats().late && !Chunk::Expressions.is_there() {
            return Err(Status::internal_error(chunk::not_loaded(Chunk::Expressions)));
        }
        Ok(hooks)
    }
}

impl Request<'_> {
    /// Returns each binding of a policy that concerns the request, or why the policy or the binding cannot be used.
    /// Bindings that do not concern it are noted only.
    pub(super) fn bound<'h>(
        &self,
        hook: &'h Hook,
    ) -> impl Iterator<Item = Result<Bound<'h>, Misconfigured<'h>>> + use<'_, 'h> {
        let (row, misconfigured) = match self.matches_policy(&hook.spec) {
            Ok(row) => (row, None),
            Err(why) => (None, Some(self.misconfigured(hook, "", "policy", &why))),
        };
        if row.is_none() && misconfigured.is_none() {
            self.note_unmatched(hook, "", &hook.spec["matchConstraints"]);
        }
        let bindings = row.into_iter().flat_map(move |row| {
            let bound = move |(name, binding)| self.bind(hook, Arc::clone(&row), (name, binding));
            hook.bindings.iter().map(|(name, binding)| (name.as_str(), binding)).filter_map(bound)
        });
        misconfigured.map(Err).into_iter().chain(bindings)
    }

    /// Returns the binding with its parameters; nothing if it is not for this request.
    fn bind<'h>(
        &self,
        hook: &'h Hook,
        row: Arc<Resource>,
        (name, binding): (&'h str, &'h Value),
    ) -> Option<Result<Bound<'h>, Misconfigured<'h>>> {
        let params = match self.matches_binding(binding) {
            Ok(true) => self.params(&hook.spec["paramKind"], &binding["paramRef"]),
            Ok(false) => {
                self.note_unmatched(hook, name, &binding["matchResources"]);
                return None;
            }
            Err(why) => Err(why),
        };
        Some(match params {
            Ok(params) => {
                self.note_params(hook, name, &params);
                Ok(Bound { binding: (name, binding), row, params })
            }
            Err(why) => Err(self.misconfigured(hook, name, "binding", &why)),
        })
    }

    fn misconfigured<'h>(&self, hook: &Hook, binding: &'h str, what: &str, why: &str) -> Misconfigured<'h> {
        self.note_unusable(hook, binding, why);
        Misconfigured { binding, why: ["failed to configure ", what, ": ", why].concat() }
    }

    /// Reports whether a binding is for this request.
    fn matches_binding(&self, binding: &Value) -> Result<bool, String> {
        match &binding["matchResources"] {
            Value::Null => Ok(true),
            resources => self.matches(resources).map(|row| row.is_some()),
        }
    }
}
