//! The controller that has approved requests signed, for the signers that kube-controller-manager has keys for.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#kubernetes-signers>.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use golang::base64;
use golang::x509::CertificateRequest;
use json_tree::{Value, json};

use super::{
    DELAYS, KUBELET_CLIENT, NODE, NODES, are_usages, condition, der, is_issued, not_kubelet_client, usages,
};
use crate::change::Change;
use crate::client::View;
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::error::Error;
use crate::object::{self, list};
use crate::pace::Doubling;
use crate::resource::{CERTIFICATE_SIGNING_REQUESTS, Resource};

/// The time for which a certificate is good at most, and at least.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);
const SHORTEST: Duration = Duration::from_secs(10 * 60);

/// How long before now it is good already. One that is good for less than the second ends as much later.
const BACKDATED: Duration = Duration::from_secs(5 * 60);
const SHORT: Duration = Duration::from_secs(8 * 60 * 60);

/// Signs certificates: a certificate authority and its key, which a host has.
pub trait Signer: Debug + Send + Sync {
    /// Signs the certificate that a request in DER asks for, and returns it in PEM.
    ///
    /// # Errors
    /// The reason why it cannot be signed.
    fn sign(&self, request: &[u8], terms: &CertificateTerms<'_>) -> Result<String, String>;
}

/// The uses that a certificate is good for, and the time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateTerms<'a> {
    /// The usages, as the field `usages` of a CertificateSigningRequest names them.
    pub usages: Vec<&'a str>,
    /// The times between which it is good, since the Unix epoch.
    pub times: (Duration, Duration),
}

/// Reports what is wrong with a request for a signer.
type Validation = fn(&CertificateRequest<'_>, &[&str]) -> Option<String>;

/// The signers, and what they ask of a request.
const SIGNERS: [(&str, Validation); 4] = [
    ("kubernetes.io/kubelet-serving", not_kubelet_serving),
    (KUBELET_CLIENT, not_kubelet_client),
    ("kubernetes.io/kube-apiserver-client", not_client),
    ("kubernetes.io/legacy-unknown", |_, _| None),
];

/// The controller. Its keys are the names of requests.
pub(crate) struct Signing {
    signer: Option<Arc<dyn Signer>>,
}

impl Signing {
    /// Makes the controller. Where the host has no certificate authority, requests that are wrong fail, and no other is signed.
    pub(crate) fn new(signer: Option<Arc<dyn Signer>>) -> Self {
        Self { signer }
    }

    async fn sign(&self, name: &str, context: &Context<'_>) -> Result<Outcome, Error> {
        let known = context.stores.of(&CERTIFICATE_SIGNING_REQUESTS).get(name).cloned();
        let is_due = |object: &Value| {
            let has_failed =
                condition(object, "Failed").is_some_and(|failed| failed.text("status") != "False");
            let is_approved =
                condition(object, "Approved").is_some() && condition(object, "Denied").is_none();
            is_approved && !has_failed && !is_issued(object)
        };
        let Some(object) = known.filter(|object| is_due(object)) else { return Ok(Outcome::Done) };
        let own = object.text_at("/spec/signerName");
        let Some((_, validate)) = SIGNERS.iter().find(|(signer, _)| *signer == own) else {
            return Ok(Outcome::Done);
        };
        let der = der(&object).unwrap_or_default();
        let Some(request) = CertificateRequest::parse(&der) else { return Ok(Outcome::Done) };
        let usages = usages(&object);
        let mut changed = Value::clone(&object);
        let status = object::child(&mut changed, "status");
        let failure = if let Some(why) = validate(&request, &usages) {
            let mut conditions = list(&object, "/status/conditions").to_vec();
            conditions.push(json!({
                "type": "Failed", "status": "True", "reason": "SignerValidationFailure", "message": why,
                "lastUpdateTime": object::timestamp(context.now())
            }));
            object::set(status, "conditions", conditions.into());
            "error adding failure condition for csr"
        } else if let Some(signer) = &self.signer {
            let asked = object.pointer("/spec/expirationSeconds").and_then(Value::as_u64);
            let times = times(asked.map(Duration::from_secs), context.now());
            let signed = signer.sign(&der, &CertificateTerms { usages, times });
            let pem = signed.map_err(|why| Error::Other(["error auto signing csr: ", &why].concat()))?;
            object::set(status, "certificate", base64::encode(pem.as_bytes()).into());
            "error updating signature for csr"
        } else {
            return Ok(Outcome::Done);
        };
        let updated = context.client.update(&CERTIFICATE_SIGNING_REQUESTS, &changed, "status").await;
        updated.map(|_| Outcome::Done).map_err(|error| error.context(failure))
    }
}

impl Controller for Signing {
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
        self.sign(key, context).boxed()
    }
}

/// Returns the times between which a certificate is good for which a duration was asked, or none.
fn times(asked: Option<Duration>, now: Duration) -> (Duration, Duration) {
    let life = asked.map_or(LONGEST, |asked| asked.clamp(SHORTEST, LONGEST));
    let end = if life < SHORT { now.saturating_add(life) } else { now.saturating_add(life - BACKDATED) };
    (now.saturating_sub(BACKDATED), end)
}

/// Returns why a request is not one for the certificate of a kubelet, as a server.
fn not_kubelet_serving(request: &CertificateRequest<'_>, usages: &[&str]) -> Option<String> {
    let why = if request.organizations != [NODES] {
        "subject organization is not system:nodes"
    } else if request.dns_names.is_empty() && request.ip_addresses.is_empty() {
        "DNS or IP subjectAltName is required"
    } else if !request.email_addresses.is_empty() {
        "Email subjectAltNames are not allowed"
    } else if !request.uris.is_empty() {
        "URI subjectAltNames are not allowed"
    } else if !are_usages(usages, "server auth") {
        "usages did not match [digital signature key encipherment server auth]"
    } else if !request.common_name.starts_with(NODE) {
        "subject common name does not begin with system:node:"
    } else {
        return None;
    };
    Some(why.to_owned())
}

/// Returns why a request is not one for the certificate of a client.
fn not_client(_: &CertificateRequest<'_>, usages: &[&str]) -> Option<String> {
    let is_known = |usage: &&&str| ["digital signature", "key encipherment", "client auth"].contains(usage);
    if let Some(other) = usages.iter().find(|usage| !is_known(usage)) {
        return Some(format!("invalid usage for client certificate: {other}"));
    }
    let has = usages.contains(&"client auth");
    (!has).then(|| "missing required usage for client certificate: client auth".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_certificates() {
        let check = |asked: Option<u64>, expected: (u64, u64)| {
            let (begin, end) = times(asked.map(Duration::from_secs), Duration::from_secs(1_000_000));
            assert_eq!((begin.as_secs(), end.as_secs()), expected, "{asked:?}");
        };
        check(None, (999_700, 1_000_000 + 31_536_000 - 300));
        check(Some(600), (999_700, 1_000_600));
        check(Some(1), (999_700, 1_000_600));
        check(Some(8 * 3600), (999_700, 1_000_000 + 28_800 - 300));
        check(Some(u64::MAX), (999_700, 1_000_000 + 31_536_000 - 300));
    }

    #[test]
    fn requests_of_signers() {
        let check =
            |signer: &str, request: &CertificateRequest<'_>, usages: &[&str], expected: Option<&str>| {
                let (_, validate) = SIGNERS.iter().find(|(name, _)| name.ends_with(signer)).unwrap();
                assert_eq!(validate(request, usages).as_deref(), expected, "{signer} {usages:?}");
            };
        let node = CertificateRequest {
            common_name: b"system:node:a",
            organizations: vec![b"system:nodes"],
            ..CertificateRequest::default()
        };
        let other = CertificateRequest { common_name: b"jane", ..node.clone() };
        let named = CertificateRequest { dns_names: vec![b"a"], ..node.clone() };
        let (client, server) = (["digital signature", "client auth"], ["digital signature", "server auth"]);
        check("apiserver-client", &other, &client, None);
        check("apiserver-client", &other, &["any"], Some("invalid usage for client certificate: any"));
        let missing = "missing required usage for client certificate: client auth";
        check("apiserver-client", &other, &["key encipherment"], Some(missing));
        check("client-kubelet", &node, &client, None);
        check(
            "client-kubelet",
            &other,
            &client,
            Some("subject common name does not begin with system:node:"),
        );
        check("client-kubelet", &named, &client, Some("DNS subjectAltNames are not allowed"));
        let usages = "usages did not match [client auth digital signature key encipherment]";
        check("client-kubelet", &node, &server, Some(usages));
        check("kubelet-serving", &named, &server, None);
        check("kubelet-serving", &node, &server, Some("DNS or IP subjectAltName is required"));
        check("legacy-unknown", &other, &[], None);
    }
}
