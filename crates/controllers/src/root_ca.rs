//! The publisher of the root certificate: each namespace has a ConfigMap `kube-root-ca.crt`.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#bound-service-account-token-volume>.

use futures::FutureExt;
use json_tree::{Value, json};

use crate::change::Change;
use crate::client::View;
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::object;
use crate::options::Options;
use crate::resource::{CONFIG_MAPS, NAMESPACES, Resource};

const NAME: &str = "kube-root-ca.crt";
const ANNOTATION: &str = "kubernetes.io/description";
const DESCRIPTION: &str = "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as \
                           the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of \
                           Kubernetes clusters.";

/// The controller. Its keys are the names of namespaces.
pub(crate) struct RootCaPublisher {
    data: Value,
}

impl RootCaPublisher {
    /// Makes the publisher of a certificate.
    pub(crate) fn new(options: &Options) -> Self {
        Self { data: json!({"ca.crt": options.root_ca.as_str()}) }
    }
}

impl Controller for RootCaPublisher {
    fn resources(&self) -> Vec<(Resource, View)> {
        vec![(CONFIG_MAPS, View::Whole), (NAMESPACES, View::Whole)]
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        match (&change.old, &change.new) {
            (old, Some(namespace))
                if change.resource == NAMESPACES
                    && (old.is_none() || namespace.text_at("/status/phase") == "Active") =>
            {
                context.queue.add(object::name(namespace));
            }
            (Some(old), _) if change.resource == CONFIG_MAPS && object::name(old) == NAME => {
                context.queue.add(object::namespace(old));
            }
            _ => {}
        }
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        async move {
            let Some(known) = context.stores.of(&CONFIG_MAPS).get(&object::join_key(key, NAME)) else {
                let metadata =
                    json!({"name": NAME, "namespace": key, "annotations": {ANNOTATION: DESCRIPTION}});
                let map = json!({"metadata": metadata, "data": self.data.clone()});
                return match context.client.create(&CONFIG_MAPS, key, &map).await {
                    Err(error) if !error.is_not_found() && !error.is_namespace_terminating() => Err(error),
                    _ => Ok(Outcome::Done),
                };
            };
            let described = object::annotation(known, ANNOTATION).is_some_and(|text| !text.is_empty());
            if described && known.get("data") == Some(&self.data) {
                return Ok(Outcome::Done);
            }
            let mut map = Value::clone(known);
            object::set(&mut map, "data", self.data.clone());
            object::set_annotation(&mut map, ANNOTATION, DESCRIPTION);
            context.client.update(&CONFIG_MAPS, &map, "").await.map(|_| Outcome::Done)
        }
        .boxed()
    }
}
