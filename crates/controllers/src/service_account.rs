//! The serviceaccount controller: each namespace has an account `default`.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#serviceaccount-controller>.

use futures::FutureExt;
use json_tree::json;

use crate::change::Change;
use crate::client::View;
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::object;
use crate::resource::{NAMESPACES, Resource, SERVICE_ACCOUNTS};

/// The account that each namespace has.
const DEFAULT: &str = "default";

/// The controller. Its keys are the names of namespaces.
pub(crate) struct ServiceAccounts;

impl Controller for ServiceAccounts {
    fn resources(&self) -> Vec<(Resource, View)> {
        vec![(NAMESPACES, View::Whole), (SERVICE_ACCOUNTS, View::Whole)]
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        match (&change.old, &change.new) {
            (_, Some(namespace)) if change.resource == NAMESPACES => {
                context.queue.add(object::name(namespace))
            }
            (Some(account), None) if change.resource == SERVICE_ACCOUNTS => {
                context.queue.add(object::namespace(account));
            }
            _ => {}
        }
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        async move {
            let namespace = context.stores.of(&NAMESPACES).get(key);
            let active = namespace.is_some_and(|namespace| namespace.text_at("/status/phase") == "Active");
            let known = context.stores.of(&SERVICE_ACCOUNTS).get(&object::join_key(key, DEFAULT));
            if !active || known.is_some() {
                return Ok(Outcome::Done);
            }
            let account = json!({"metadata": {"name": DEFAULT, "namespace": key}});
            match context.client.create(&SERVICE_ACCOUNTS, key, &account).await {
                Err(error) if !error.is_already_exists() && !error.is_namespace_terminating() => Err(error),
                _ => Ok(Outcome::Done),
            }
        }
        .boxed()
    }
}
