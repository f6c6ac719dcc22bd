//! The signers of kube-controller-manager, and what they ask of a request for a certificate.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#kubernetes-signers>.

use golang::x509::CertificateRequest;

/// The signer of the certificates by which kubelets show who they are.
pub(super) const KUBELET_CLIENT: &str = "kubernetes.io/kube-apiserver-client-kubelet";

/// Returns the reason why a signer does not take a request with these usages.
type Validation = fn(&CertificateRequest<'_>, &[&str]) -> Option<String>;

/// The signers, and the validation of each.
const SIGNERS: [(&str, Validation); 4] = [
    ("kubernetes.io/kubelet-serving", kubelet_serving),
    (KUBELET_CLIENT, kubelet_client),
    ("kubernetes.io/kube-apiserver-client", client),
    ("kubernetes.io/legacy-unknown", |_, _| None),
];

/// The group of nodes, and the beginning of the names of their users.
const NODES: &[u8] = b"system:nodes";
const NODE: &[u8] = b"system:node:";

const NO_NODES: &str = "subject organization is not system:nodes";
const NO_NODE: &str = "subject common name does not begin with system:node:";
const NO_NAME: &str = "DNS or IP subjectAltName is required";
const DNS: &str = "DNS subjectAltNames are not allowed";
const EMAIL: &str = "Email subjectAltNames are not allowed";
const IP: &str = "IP subjectAltNames are not allowed";
const URI: &str = "URI subjectAltNames are not allowed";

/// Returns the validation of a signer, if it is one of these.
pub(super) fn of(signer: &str) -> Option<Validation> {
    SIGNERS.iter().find(|(name, _)| *name == signer).map(|(_, validation)| *validation)
}

/// Validates a request for the certificate of a kubelet, as a client.
fn kubelet_client(request: &CertificateRequest<'_>, usages: &[&str]) -> Option<String> {
    first(&[
        (request.organizations != [NODES], NO_NODES),
        (!request.dns_names.is_empty(), DNS),
        (!request.email_addresses.is_empty(), EMAIL),
        (!request.ip_addresses.is_empty(), IP),
        (!request.uris.is_empty(), URI),
        (!request.common_name.starts_with(NODE), NO_NODE),
        (
            !are_usages(usages, "client auth"),
            "usages did not match [client auth digital signature key encipherment]",
        ),
    ])
}

/// Validates a request for the certificate of a kubelet, as a server.
fn kubelet_serving(request: &CertificateRequest<'_>, usages: &[&str]) -> Option<String> {
    first(&[
        (request.organizations != [NODES], NO_NODES),
        (request.dns_names.is_empty() && request.ip_addresses.is_empty(), NO_NAME),
        (!request.email_addresses.is_empty(), EMAIL),
        (!request.uris.is_empty(), URI),
        (
            !are_usages(usages, "server auth"),
            "usages did not match [digital signature key encipherment server auth]",
        ),
        (!request.common_name.starts_with(NODE), NO_NODE),
    ])
}

/// Validates a request for the certificate of a client.
fn client(_: &CertificateRequest<'_>, usages: &[&str]) -> Option<String> {
    let is_known = |usage: &&&str| ["digital signature", "key encipherment", "client auth"].contains(usage);
    if let Some(other) = usages.iter().find(|usage| !is_known(usage)) {
        return Some(format!("invalid usage for client certificate: {other}"));
    }
    let has = usages.contains(&"client auth");
    (!has).then(|| "missing required usage for client certificate: client auth".to_owned())
}

/// Returns the message of the first rule that is broken.
fn first(rules: &[(bool, &str)]) -> Option<String> {
    rules.iter().find(|(is_broken, _)| *is_broken).map(|(_, message)| (*message).to_owned())
}

/// Reports whether a request has the usages for a purpose and no others; that of RSA keys may be among them.
fn are_usages(usages: &[&str], purpose: &str) -> bool {
    let is_wanted = |usage: &&str| ["digital signature", "key encipherment", purpose].contains(usage);
    usages.iter().all(is_wanted) && usages.contains(&"digital signature") && usages.contains(&purpose)
}

#[cfg(test)]
mod tests {
    use super::*;

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
