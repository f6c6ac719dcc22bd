//! Nobody gets a client certificate that makes them a master by asking for one.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#certificatesubjectrestriction>

use super::{Request, text};
use apimachinery::object::Object;
use apimachinery::status::Status;
use golang::x509::{self, CertificateRequest};
use golang::{base64, pem};

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
    pem::first(&base64::decode(request).ok()?, x509::CERTIFICATE_REQUEST)
}

/// Reports whether the subject of a request is a member of the group.
fn asks_for_masters(der: &[u8]) -> bool {
    CertificateRequest::parse(der).is_some_and(|request| request.organizations.contains(&MASTERS))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An element with this tag.
    fn tlv(tag: u8, content: &[u8]) -> Vec<u8> {
        [&[tag, u8::try_from(content.len()).expect("it is short")], content].concat()
    }

    #[test]
    fn subjects_that_are_masters() {
        let check = |names: &[(u8, &[u8])], expected: bool| {
            let name = |(kind, value): &(u8, &[u8])| {
                let name = [tlv(0x06, &[0x55, 0x04, *kind]), tlv(0x0c, value)].concat();
                tlv(0x31, &tlv(0x30, &name))
            };
            let names: Vec<u8> = names.iter().flat_map(name).collect();
            let info = tlv(0x30, &[tlv(0x02, &[0]), tlv(0x30, &names)].concat());
            assert_eq!(asks_for_masters(&tlv(0x30, &info)), expected, "{names:?}");
        };
        check(&[], false);
        // As a common name it is no group.
        check(&[(0x03, MASTERS), (0x0a, b"dev")], false);
        check(&[(0x03, b"someone"), (0x0a, b"dev"), (0x0a, MASTERS)], true);
    }

    #[test]
    fn what_is_no_request_has_no_der() {
        assert_eq!(der("bm90IHBlbQ=="), None);
        assert!(!asks_for_masters(&[]));
    }
}
