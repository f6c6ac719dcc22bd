//! The controller that approves the certificates by which kubelets show who they are, where the RBAC of who asks lets it.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/kubelet-tls-bootstrapping/#approval>.

use futures::FutureExt;
use golang::x509::CertificateRequest;
use json_tree::{Value, json};

use super::{DELAYS, KUBELET_CLIENT, condition, der, is_issued, not_kubelet_client, usages};
use crate::change::Change;
use crate::client::View;
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::error::Error;
use crate::object::{self, list};
use crate::pace::Doubling;
use crate::resource::{CERTIFICATE_SIGNING_REQUESTS, Resource, SUBJECT_ACCESS_REVIEWS};

/// The subresources of which one has to be allowed to be created, and the messages of the approval: for a kubelet that renews its own
/// certificate, and for any other.
const RULES: [(&str, &str); 2] = [
    ("selfnodeclient", "Auto approving self kubelet client certificate after SubjectAccessReview."),
    ("nodeclient", "Auto approving kubelet client certificate after SubjectAccessReview."),
];

/// The controller. Its keys are the names of requests.
pub(crate) struct Approver;

impl Controller for Approver {
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
        approve(key, context).boxed()
    }
}

async fn approve(name: &str, context: &Context<'_>) -> Result<Outcome, Error> {
    let known = context.stores.of(&CERTIFICATE_SIGNING_REQUESTS).get(name).cloned();
    let is_decided = |object: &Value| {
        is_issued(object) || ["Approved", "Denied"].iter().any(|kind| condition(object, kind).is_some())
    };
    let Some(object) = known.filter(|object| !is_decided(object)) else { return Ok(Outcome::Done) };
    let der = der(&object).unwrap_or_default();
    let Some(request) = CertificateRequest::parse(&der) else { return Ok(Outcome::Done) };
    if object.text_at("/spec/signerName") != KUBELET_CLIENT
        || not_kubelet_client(&request, &usages(&object)).is_some()
    {
        return Ok(Outcome::Done);
    }
    let is_own = object.text_at("/spec/username").as_bytes() == request.common_name;
    for (subresource, message) in RULES.iter().skip(usize::from(!is_own)) {
        if !is_allowed(&object, subresource, context).await? {
            continue;
        }
        let mut conditions = list(&object, "/status/conditions").to_vec();
        conditions.push(json!({
            "type": "Approved", "status": "True", "reason": "AutoApproved", "message": *message
        }));
        let mut approved = Value::clone(&object);
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
