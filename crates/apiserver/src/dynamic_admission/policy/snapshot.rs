//! Policies that are bound, as they are evaluated: apart from the storage, whose lock nobody holds meanwhile.

use std::sync::{Arc, OnceLock};

use admission::Plugin;
use json_tree::Value;

use crate::chunk::{self, Chunk};
use crate::context::{RequestContext, Shared};
use crate::resource::Resource;
use crate::resources::Resources;

use crate::rbac::Index;
use crate::stored::Stored;
use apimachinery::status::Status;

/// A policy that is bound.
pub(in crate::dynamic_admission) struct Hook {
    pub(in crate::dynamic_admission) name: String,
    pub(in crate::dynamic_admission) spec: Value,
    /// The names of its bindings, and what they say.
    pub(in crate::dynamic_admission) bindings: Vec<(String, Value)>,
}

/// The policies that are bound, and what else they are evaluated with, as it was when the request was looked at.
pub(in crate::dynamic_admission) struct Snapshot {
    /// The policies, in the order of their names.
    pub(in crate::dynamic_admission) hooks: Vec<Hook>,
    pub(super) resources: Arc<Resources>,
    /// The RBAC rules, once a policy has asked for a decision.
    rules: OnceLock<Arc<Index>>,
    /// The namespace that the request is looked at in, if it is there.
    pub(super) namespace: Option<Arc<Stored>>,
}

impl Snapshot {
    /// Takes what is stored now: the policies that these bindings name, at keys with this prefix.
    fn take(shared: &Shared, policies: &str, bindings: &[Arc<Stored>], namespace: &str) -> Self {
        let spec = |stored: &Stored| stored.tree().remove("spec").unwrap_or_default();
        let mut bound: Vec<(String, Vec<(String, Value)>)> = Vec::new();
        for stored in bindings {
            let binding = spec(stored);
            let policy = binding["policyName"].as_str().unwrap_or_default().to_owned();
            let binding = (stored.name.clone(), binding);
            match bound.iter_mut().find(|(name, _)| *name == policy) {
                Some((_, bindings)) => bindings.push(binding),
                None => bound.push((policy, vec![binding])),
            }
        }
        schema::sort_by(&mut bound, |a, b| a.0.cmp(&b.0));
        let storage = shared.storage();
        let find = |key: &[&str]| storage.store.get(&key.concat()).map(|entry| Arc::clone(&entry.value));
        let stored: Vec<_> = bound.iter().map(|(name, _)| find(&[policies, name])).collect();
        let namespace = find(&["/registry/namespaces/", namespace]);
        let resources = Arc::clone(&storage.resources);
        drop(storage);
        // A binding may be there before its policy.
        let found = bound
            .into_iter()
            .zip(stored)
            .filter_map(|((name, bindings), stored)| Some(Hook { name, spec: spec(&*stored?), bindings }));
        Self { hooks: found.collect(), resources, rules: OnceLock::new(), namespace }
    }

    /// Takes hooks that were found otherwise, for a request for an object of this name.
    pub(in crate::dynamic_admission) fn of(
        context: &RequestContext<'_>,
        hooks: Vec<Hook>,
        name: &str,
    ) -> Self {
        let key = ["/registry/namespaces/", namespace(context, name)].concat();
        let storage = context.shared.storage();
        let resources = Arc::clone(&storage.resources);
        let namespace = storage.store.get(&key).map(|entry| Arc::clone(&entry.value));
        drop(storage);
        Self { hooks, resources, rules: OnceLock::new(), namespace }
    }

    /// Returns the RBAC rules, as they were when a policy first asked for them.
    pub(super) fn rules(&self, shared: &Shared) -> &Index {
        self.rules.get_or_init(|| shared.rules())
    }
}

impl RequestContext<'_> {
    /// Returns the policies of a plugin that are stored there and bound, for a request for an object of this name. `None`: the plugin does
    /// not run, there are none, or none is asked about such objects.
    ///
    /// # Errors
    /// There are some, and the code that evaluates them is not there: 500, even where a policy's own failure is ignored.
    pub(in crate::dynamic_admission) fn policies(
        &self,
        plugin: Plugin,
        [policies, bindings]: [&str; 2],
        name: &str,
    ) -> Result<Option<Snapshot>, Box<Status>> {
        // Whoever asks who may do what must always be told, and policies do not say what may become of policies.
        let resource = &self.target.resource;
        if !self.runs(plugin) || !resource.facts().has_policies {
            return Ok(None);
        }
        let bindings = self.shared.all(bindings);
        if bindings.is_empty() {
            return Ok(None);
        }
        let snapshot = Snapshot::take(self.shared, policies, &bindings, namespace(self, name));
        if snapshot.hooks.is_empty() {
            return Ok(None);
        }
        if self.formats().late && !Chunk::Expressions.is_there() {
            return Err(Status::internal_error(chunk::not_loaded(Chunk::Expressions)));
        }
        Ok(Some(snapshot))
    }
}

/// The namespace that a request for an object of this name is looked at in; empty at the cluster scope. Namespaces are in
/// themselves.
pub(super) fn namespace<'a>(context: &'a RequestContext<'_>, name: &'a str) -> &'a str {
    if is_namespace(&context.target.resource) { name } else { &context.target.namespace }
}

/// Reports whether the objects of a resource are namespaces.
pub(super) fn is_namespace(resource: &Resource) -> bool {
    resource.group.is_empty() && resource.name == "namespaces"
}
