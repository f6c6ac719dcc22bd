//! Admission webhooks: which there are, and the code that calls them, which may be loaded when there are some.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/>.

mod audit;
mod call;
mod review;
mod verdicts;

use std::collections::BTreeSet;
use std::sync::Arc;

use admission::Plugin;
use futures::FutureExt;
use futures::future::BoxFuture;
use json_tree::Value;
use store::KeyRange;

use super::policy::{Attributes, Form, Hook, Snapshot};
use crate::chunk::{Chunk, Late, address};
use crate::context::RequestContext;
use crate::resource::Resource;
use crate::storage::Storage;
use crate::webhooks::{FUNCTION, WebhookCaller};
use apimachinery::object::Object;
use apimachinery::status::Status;

/// The key prefixes of the configurations.
const MUTATING: &str = "/registry/mutatingwebhookconfigurations/";
const VALIDATING: &str = "/registry/validatingwebhookconfigurations/";

/// The resources that no webhook is asked about: those that say who is asked.
const EXEMPT: [&str; 6] = [
    "mutatingadmissionpolicies",
    "mutatingadmissionpolicybindings",
    "mutatingwebhookconfigurations",
    "validatingadmissionpolicies",
    "validatingadmissionpolicybindings",
    "validatingwebhookconfigurations",
];

/// The webhooks of all configurations of one sort, and who calls them.
pub(super) struct Webhooks {
    caller: Arc<dyn WebhookCaller>,
    /// Each webhook as a hook: the name is its own. Its only binding has the configuration's name, and the function that stands in for it.
    snapshot: Snapshot,
    /// The way to call them. Nothing else leads to the code for that.
    pub(super) code: &'static Code,
}

/// The code that calls webhooks.
pub(super) struct Code {
    pub(super) mutate: Mutate,
    pub(super) show: Ask,
    pub(super) validate: Ask,
}

/// Has webhooks change an object: see [`Webhooks::mutate`].
type Mutate = for<'a> fn(
    &'a Webhooks,
    &'a RequestContext<'_>,
    &'a mut Object,
    (&'a Attributes<'_>, Form),
    (&'a mut Reinvocation, bool),
    &'a mut Vec<String>,
) -> BoxFuture<'a, Result<bool, Box<Status>>>;

/// Asks webhooks: see [`Webhooks::show`] and [`Webhooks::validate`].
type Ask = for<'a> fn(
    &'a Webhooks,
    &'a RequestContext<'_>,
    &'a Attributes<'_>,
    &'a mut Vec<String>,
) -> BoxFuture<'a, Result<(), Box<Status>>>;

static CODE: Late<Code> = Late::new(Chunk::Webhooks);

/// Puts the code that calls webhooks where it is looked for.
pub(crate) fn provide() {
    CODE.provide(|| Code {
        mutate: address(|webhooks, context, object, attributes, again, warnings| {
            webhooks.mutate(context, object, attributes, again, warnings).boxed()
        }),
        show: address(|webhooks, context, attributes, warnings| {
            webhooks.show(context, attributes, warnings).boxed()
        }),
        validate: address(|webhooks, context, attributes, warnings| {
            webhooks.validate(context, attributes, warnings).boxed()
        }),
    });
}

/// Reports whether there are configurations of webhooks.
pub(crate) fn are_configured(storage: &Storage) -> bool {
    [MUTATING, VALIDATING].iter().any(|prefix| has(storage, prefix))
}

/// Reports whether objects of this resource are configurations of webhooks.
pub(crate) fn configures(row: &Resource) -> bool {
    row.group == "admissionregistration.k8s.io" && row.name.ends_with("webhookconfigurations")
}

fn has(storage: &Storage, prefix: &str) -> bool {
    storage.store.range(&KeyRange::prefix(prefix)).next().is_some()
}

/// The webhooks that may be called a second time for a request, because others have changed its object.
#[derive(Default)]
pub(super) struct Reinvocation {
    /// Those that were called and ask for it, and nothing has changed since.
    called: BTreeSet<usize>,
    /// Those that are to be called again.
    due: BTreeSet<usize>,
    /// The object as the last webhook left it.
    last: Option<Object>,
}

impl Reinvocation {
    /// Notes that the object has changed.
    fn changed(&mut self) {
        self.due.append(&mut self.called);
    }
}

impl RequestContext<'_> {
    /// Returns the webhooks that change objects, for a request for an object of this name; `None` if there are none.
    ///
    /// # Errors
    /// The code that calls them is not loaded.
    pub(super) fn mutating_webhooks(&self, name: &str) -> Result<Option<Webhooks>, Box<Status>> {
        self.webhooks(Plugin::MutatingAdmissionWebhook, MUTATING, name)
    }

    /// Returns the webhooks that refuse objects, for a request for an object of this name; `None` if there are none.
    ///
    /// # Errors
    /// The code that calls them is not loaded.
    pub(super) fn validating_webhooks(&self, name: &str) -> Result<Option<Webhooks>, Box<Status>> {
        self.webhooks(Plugin::ValidatingAdmissionWebhook, VALIDATING, name)
    }

    /// Reports whether there are configurations of webhooks that change objects, and somebody who calls them.
    pub(crate) fn has_mutating_webhooks(&self) -> bool {
        self.runs(Plugin::MutatingAdmissionWebhook)
            && self.webhook_caller().is_some()
            && has(&self.shared.storage(), MUTATING)
    }

    /// Returns who calls webhooks about the resource of this request; nobody, if none is asked about it.
    fn webhook_caller(&self) -> Option<&Arc<dyn WebhookCaller>> {
        let resource = &self.target.resource;
        let is_exempt =
            resource.group == "admissionregistration.k8s.io" && EXEMPT.contains(&resource.name.as_str());
        self.shared.webhooks.caller().filter(|_| !is_exempt)
    }

    fn webhooks(&self, plugin: Plugin, prefix: &str, name: &str) -> Result<Option<Webhooks>, Box<Status>> {
        let Some(caller) = self.webhook_caller().filter(|_| self.runs(plugin)) else { return Ok(None) };
        let mut hooks = Vec::new();
        for stored in self.shared.all(prefix) {
            let mut tree = stored.tree();
            let Some(Value::Array(webhooks)) = tree.remove("webhooks") else { continue };
            let function = tree.get("metadata").map_or(&Value::Null, |own| &own["annotations"][FUNCTION]);
            for mut webhook in webhooks {
                let rules = webhook["rules"].take();
                if rules.as_array().is_some_and(|rules| !rules.is_empty()) {
                    webhook["resourceRules"] = rules;
                    let name = webhook["name"].as_str().unwrap_or_default().to_owned();
                    hooks.push(Hook {
                        name,
                        spec: webhook,
                        bindings: vec![(stored.name.clone(), function.clone())],
                    });
                }
            }
        }
        if hooks.is_empty() {
            return Ok(None);
        }
        let code = CODE.get().map_err(Status::internal_error)?;
        Ok(Some(Webhooks { caller: Arc::clone(caller), snapshot: Snapshot::of(self, hooks, name), code }))
    }
}

/// Returns the name of the configuration that a webhook belongs to.
fn configuration(hook: &Hook) -> &str {
    hook.bindings.first().map_or("", |(name, _)| name)
}

/// Returns the function that stands in for a webhook, if its configuration has one.
fn function(hook: &Hook) -> Option<&str> {
    hook.bindings.first().and_then(|(_, function)| function.as_str())
}
