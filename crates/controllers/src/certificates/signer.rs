//! Signing: what has been approved gets its certificate, of a signer that kube-controller-manager has a key for.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#kubernetes-signers>.

use std::fmt::Debug;
use std::time::Duration;

use golang::base64;
use golang::x509::CertificateRequest;
use json_tree::{Value, json};

use super::{condition, der, usages, validation};
use crate::controller::{Context, Outcome};
use crate::error::Error;
use crate::object::{self, list};
use crate::resource::CERTIFICATE_SIGNING_REQUESTS;

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

/// Has an approved request signed; one that its signer does not take fails. Without a certificate authority no other is signed.
pub(super) async fn sign(
    object: &Value,
    signer: Option<&dyn Signer>,
    context: &Context<'_>,
) -> Result<Outcome, Error> {
    let has_failed = condition(object, "Failed").is_some_and(|failed| failed.text("status") != "False");
    let is_approved = condition(object, "Approved").is_some() && condition(object, "Denied").is_none();
    if has_failed || !is_approved {
        return Ok(Outcome::Done);
    }
    let der = der(object).unwrap_or_default();
    let request = CertificateRequest::parse(&der);
    let (Some(validate), Some(request)) = (validation::of(object.text_at("/spec/signerName")), request)
    else {
        return Ok(Outcome::Done);
    };
    let usages = usages(object);
    let mut changed = object.clone();
    let status = object::child(&mut changed, "status");
    let failure = if let Some(why) = validate(&request, &usages) {
        let mut conditions = list(object, "/status/conditions").to_vec();
        conditions.push(json!({
            "type": "Failed", "status": "True", "reason": "SignerValidationFailure", "message": why,
            "lastUpdateTime": object::timestamp(context.now())
        }));
        object::set(status, "conditions", conditions.into());
        "error adding failure condition for csr"
    } else if let Some(signer) = signer {
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

/// Returns the times between which a certificate is good for which a duration was asked, or none.
fn times(asked: Option<Duration>, now: Duration) -> (Duration, Duration) {
    let life = asked.map_or(LONGEST, |asked| asked.clamp(SHORTEST, LONGEST));
    let end = if life < SHORT { now.saturating_add(life) } else { now.saturating_add(life - BACKDATED) };
    (now.saturating_sub(BACKDATED), end)
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
}
