//! Nobody gets a client certificate that makes them a master by asking for one.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#certificatesubjectrestriction>

use golang::base64;
use golang::x509::CertificateRequest;

use super::{Request, text};
use crate::object::Object;
use crate::status::Status;
use golang::pem;

const SIGNER: &str = "kubernetes.io/kube-apiserver-client";
const MASTERS: &[u8] = b"system:masters";
const WHY: &str =
    "use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed";

/// Looks for the group among the organizations of the subject.
pub(super) fn check(request: &Request<'_>, object: &Object) -> Result<(), Box<Status>> {
    let asked = text(object, "spec", "/request");
    if text(object, "spec", "/signerName") == SIGNER && der(asked).is_some_and(|der| asks_for_masters(&der)) {
        return Err(request.forbidden(object, WHY));
    }
    Ok(())
}

/// The request within the PEM block that is within base64.
fn der(request: &str) -> Option<Vec<u8>> {
    let block = pem::blocks(&base64::decode(request).ok()?).into_iter().next()?;
    (block.kind == "CERTIFICATE REQUEST").then_some(block.bytes)
}

/// Reports whether the subject of a request is a member of the group.
fn asks_for_masters(der: &[u8]) -> bool {
    CertificateRequest::parse(der).is_some_and(|request| request.organizations.contains(&MASTERS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_request_has_no_der() {
        assert_eq!(der("bm90IHBlbQ=="), None);
        assert!(!asks_for_masters(&[]));
    }
}
