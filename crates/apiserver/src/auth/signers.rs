//! Rights for signers: whoever approves or issues certificates needs a right for the signer, besides that to write the
//! request.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#authorization>

use admission::Plugin;
use json_tree::Value;

use super::authorize;
use crate::context::RequestContext;
use apimachinery::Attributes;
use apimachinery::object::{Object, metadata_text};
use apimachinery::status::Status;

/// Subresource of requests, the plugin that guards it, the verb that a write of it needs on their signer, and which changes of the status
/// it needs that for; none: every write.
const GUARDED: [(&str, Plugin, &str, &[&str]); 2] = [
    ("approval", Plugin::CertificateApproval, "approve", &[]),
    ("status", Plugin::CertificateSigning, "sign", &["certificate", "conditions"]),
];

/// Looks at a write of a part of a request, which replaces the old one.
///
/// # Errors
/// The sender does not have the right for the signer.
pub(crate) fn check(context: &RequestContext<'_>, object: &Object, old: &Object) -> Result<(), Box<Status>> {
    let (resource, subresource) = (&context.target.resource, context.target.subresource.as_str());
    if resource.group != "certificates.k8s.io" || resource.name != "certificatesigningrequests" {
        return Ok(());
    }
    let guarded = GUARDED.iter().find(|row| row.0 == subresource && context.runs(row.1));
    let Some((_, _, verb, fields)) = guarded else { return Ok(()) };
    let status =
        |object: &Object, field: &str| object.get("status").and_then(|status| status.get(field)).cloned();
    if !fields.is_empty() && fields.iter().all(|field| status(object, field) == status(old, field)) {
        return Ok(());
    }
    let signer = old.get("spec").and_then(|spec| spec.get("signerName")).and_then(Value::as_str);
    let signer = signer.unwrap_or_default();
    let domain = signer.split('/').next().unwrap_or_default();
    let allowed = [signer.to_owned(), format!("{domain}/*")].into_iter().any(|name| {
        let attributes = Attributes {
            verb: (*verb).to_owned(),
            is_resource: true,
            group: resource.group.clone(),
            resource: "signers".to_owned(),
            name,
            ..Attributes::default()
        };
        authorize(context.shared, context.user, &attributes).is_ok()
    });
    if allowed {
        return Ok(());
    }
    let signer = field::quote(signer);
    let why = format!("user not permitted to {verb} requests with signerName {signer}");
    Err(Status::forbidden(context.subject(metadata_text(object, "name")), &why))
}
