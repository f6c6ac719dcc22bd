//! The rows of tables of the kind CertificateSigningRequest.

use json_tree::Value;

use crate::printing::duration::human;
use crate::printing::row::{Row, condition, get};

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = r#"Name||name||@name
Age||||@created
SignerName||||Requested signer for the request. It is a qualified name in the form: `scope-hostname.io/name`. If empty, it will be defaulted:\n 1. If it's a kubelet client certificate, it is assigned\n    "kubernetes.io/kube-apiserver-client-kubelet".\n 2. If it's a kubelet serving certificate, it is assigned\n    "kubernetes.io/kubelet-serving".\n 3. Otherwise, it is assigned "kubernetes.io/legacy-unknown".\nDistribution of trust for signers happens out of band. You can select on this field using `spec.signerName`.
Requestor||||Base64-encoded PKCS#10 CSR data
RequestedDuration||||expirationSeconds is the requested duration of validity of the issued certificate. The certificate signer may issue a certificate with a different validity duration so a client must check the delta between the notBefore and and notAfter fields in the issued certificate to determine the actual duration.\n\nThe v1.22+ in-tree implementations of the well-known Kubernetes signers will honor this field as long as the requested duration is not greater than the maximum duration they will honor per the --cluster-signing-duration CLI flag to the Kubernetes controller manager.\n\nCertificate signers may not honor this field for various reasons:\n\n  1. Old signer that is unaware of the field (such as the in-tree\n     implementations prior to v1.22)\n  2. Signer whose configured maximum is shorter than the requested duration\n  3. Signer whose configured minimum is longer than the requested duration\n\nThe minimum valid value for expirationSeconds is 600, i.e. 10 minutes.
Condition||||Conditions applied to the request, such as approval or denial."#;

/// <https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/>
pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
    let duration = get(row.object, "/spec/expirationSeconds").and_then(Value::as_i64);
    vec![
        row.name(),
        row.age(),
        row.filled_or("/spec/signerName", "<none>"),
        row.text("/spec/username").into(),
        duration.map_or_else(|| "<none>".to_owned(), human).into(),
        progress(row).into(),
    ]
}

/// Returns how far the request has come: `Approved,Issued`.
fn progress(row: &Row<'_>) -> String {
    let conditions = row.list("/status/conditions");
    let has = |ty: &str| condition(conditions, ty).is_some();
    let mut progress = vec![if has("Denied") {
        "Denied"
    } else if has("Approved") {
        "Approved"
    } else {
        "Pending"
    }];
    if has("Failed") {
        progress.push("Failed");
    }
    if !row.text("/status/certificate").is_empty() {
        progress.push("Issued");
    }
    progress.join(",")
}
