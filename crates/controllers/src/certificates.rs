//! The controllers of CertificateSigningRequests: some are approved, those that are approved are signed, and old ones go.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/>.

mod approver;
mod cleaner;
mod signer;
mod validation;

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use golang::{base64, pem, x509};
use json_tree::Value;

use crate::change::Change;
use crate::client::View;
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::object::{self, list};
use crate::pace::Doubling;
use crate::resource::{CERTIFICATE_SIGNING_REQUESTS, Resource};

pub(crate) use cleaner::Cleaner;
pub use signer::{CertificateTerms, Signer};

/// The name by which the controller that signs is chosen.
pub(crate) const SIGNING: &str = "certificatesigningrequest-signing-controller";

/// The service account of these controllers.
pub(crate) const ACCOUNT: &str = "certificate-controller";

/// The delays after failures.
const DELAYS: Doubling = Doubling { first: Duration::from_millis(200), longest: Duration::from_secs(1000) };

/// A controller that looks at each request that is not issued, whenever it has changed. Its keys are their names.
pub(crate) enum CertificateController {
    /// It approves.
    Approving,
    /// It has them signed, by the host's certificate authority if there is one.
    Signing(Option<Arc<dyn Signer>>),
}

impl Controller for CertificateController {
    fn resources(&self) -> Vec<(Resource, View)> {
        vec![(CERTIFICATE_SIGNING_REQUESTS, View::Whole)]
    }

    fn delays(&self) -> Doubling {
        DELAYS
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        if let Some(object) = change.object() {
            context.queue.add(object::name(object));
        }
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        async move {
            let known = context.stores.of(&CERTIFICATE_SIGNING_REQUESTS).get(key).cloned();
            let Some(object) = known.filter(|object| !is_issued(object)) else { return Ok(Outcome::Done) };
            match self {
                Self::Approving => approver::approve(&object, context).await,
                Self::Signing(signer) => signer::sign(&object, signer.as_deref(), context).await,
            }
        }
        .boxed()
    }
}

/// Returns the request for a certificate that an object holds, in DER.
fn der(object: &Value) -> Option<Vec<u8>> {
    pem::first(&base64::decode(object.text_at("/spec/request")).ok()?, x509::CERTIFICATE_REQUEST)
}

fn is_issued(object: &Value) -> bool {
    !object.text_at("/status/certificate").is_empty()
}

/// Returns the condition of a type.
fn condition<'a>(object: &'a Value, kind: &str) -> Option<&'a Value> {
    list(object, "/status/conditions").iter().find(|condition| condition.text("type") == kind)
}

/// Returns the usages that are asked for.
fn usages(object: &Value) -> Vec<&str> {
    list(object, "/spec/usages").iter().map(Value::as_text).collect()
}
