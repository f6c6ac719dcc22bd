//! The bindings of policies that a request concerns.

use std::sync::Arc;

use json_tree::Value;

use super::request::Request;
use super::snapshot::Hook;
use crate::resource::Resource;

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
