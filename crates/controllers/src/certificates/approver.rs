//! Approval of the certificates by which kubelets show who they are, for those whose roles allow it.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/kubelet-tls-bootstrapping/#approval>.

use golang::x509::CertificateRequest;
use json_tree::{Value, json};

use super::validation::{self, KUBELET_CLIENT};
use super::{condition, der, usages};
use crate::controller::{Context, Outcome};
use crate::error::Error;
use crate::object::{self, list};
use crate::resource::{CERTIFICATE_SIGNING_REQUESTS, SUBJECT_ACCESS_REVIEWS};

/// The subresources of which one has to be allowed to be created, and the messages of the approval: for a kubelet that renews its own
/// certificate, and for any other.
const RULES: [(&str, &str); 2] = [
    ("selfnodeclient", "Auto approving self kubelet client certificate after SubjectAccessReview."),
    ("nodeclient", "Auto approving kubelet client certificate after SubjectAccessReview."),
];

/// Approves a request for the certificate of a kubelet, if who has made it may have it.
pub(super) async fn approve(object: &Value, context: &Context<'_>) -> Result<Outcome, Error> {
    if ["Approved", "Denied"].iter().any(|kind| condition(object, kind).is_some()) {
        return Ok(Outcome::Done);
    }
    let der = der(object).unwrap_or_default();
    let is_of_kubelet = |request: &CertificateRequest<'_>| {
        let validate = validation::of(KUBELET_CLIENT);
        validate.is_some_and(|validate| validate(request, &usages(object)).is_none())
    };
    let is_meant = object.text_at("/spec/signerName") == KUBELET_CLIENT;
    let request = CertificateRequest::parse(&der).filter(|request| is_meant && is_of_kubelet(request));
    let Some(request) = request else { return Ok(Outcome::Done) };
    let is_own = object.text_at("/spec/username").as_bytes() == request.common_name;
    for (subresource, message) in RULES.iter().skip(usize::from(!is_own)) {
        if !is_allowed(object, subresource, context).await? {
            continue;
        }
        let mut conditions = list(object, "/status/conditions").to_vec();
        conditions.push(json!({
            "type": "Approved", "status": "True", "reason": "AutoApproved", "message": *message
        }));
        let mut approved = object.clone();
        object::set(object::child(&mut approved, "status"), "conditions", conditions.into());
        let updated = context.client.update(&CERTIFICATE_SIGNING_REQUESTS, &approved, "approval").await;
        return updated
            .map(|_| Outcome::Done)
            .map_err(|error| error.context("error updating approval for csr"));
    }
    // It may be allowed later.
    Ok(Outcome::Retry)
}

/// Asks whether who has made a request may create a subresource of one.
async fn is_allowed(object: &Value, subresource: &str, context: &Context<'_>) -> Result<bool, Error> {
    let mut spec = json!({"resourceAttributes": {
        "verb": "create", "group": "certificates.k8s.io", "version": "*",
        "resource": "certificatesigningrequests", "subresource": subresource
    }});
    for (field, from) in [("user", "username"), ("uid", "uid"), ("groups", "groups"), ("extra", "extra")] {
        if let Some(value) = object["spec"].get(from) {
            object::set(&mut spec, field, value.clone());
        }
    }
    let review = json!({"spec": spec});
    let review = context.client.create(&SUBJECT_ACCESS_REVIEWS, "", &review).await?;
    Ok(review.pointer("/status/allowed") == Some(&Value::Bool(true)))
}
