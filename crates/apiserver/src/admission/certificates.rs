//! Nobody gets a client certificate that makes them a master by asking for one.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#certificatesubjectrestriction>

use golang::base64;

use super::{Request, text};
use crate::object::Object;
use crate::status::Status;
use crate::validation::pem;

const SIGNER: &str = "kubernetes.io/kube-apiserver-client";
const MASTERS: &[u8] = b"system:masters";
const WHY: &str =
    "use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed";

/// `organizationName`, 2.5.4.10, as DER writes it.
const ORGANIZATION: &[u8] = &[0x55, 0x04, 0x0a];

/// Looks for the group among the organizations of the subject.
pub(super) fn check(request: &Request<'_>, object: &Object) -> Result<(), Box<Status>> {
    let asked = text(object, "spec", "/request");
    if text(object, "spec", "/signerName") == SIGNER
        && der(asked).is_some_and(|der| organizations(&der).is_some_and(|all| all.contains(&MASTERS)))
    {
        return Err(request.forbidden(object, WHY));
    }
    Ok(())
}

/// The request within the PEM block that is within base64.
fn der(request: &str) -> Option<Vec<u8>> {
    let block = pem::blocks(&base64::decode(request).ok()?).into_iter().next()?;
    (block.kind == "CERTIFICATE REQUEST").then_some(block.bytes)
}

/// The organizations of the subject of a PKCS #10 request (RFC 2986).
fn organizations(der: &[u8]) -> Option<Vec<&[u8]>> {
    let (request, _) = element(der)?;
    let (info, _) = element(request)?;
    let (_version, rest) = element(info)?;
    let (subject, _) = element(rest)?;
    let mut found = Vec::new();
    for names in elements(subject) {
        for name in elements(names) {
            let (kind, rest) = element(name)?;
            if kind == ORGANIZATION {
                found.push(element(rest)?.0);
            }
        }
    }
    Some(found)
}

/// Returns the content of the first DER element, and what comes after it.
fn element(der: &[u8]) -> Option<(&[u8], &[u8])> {
    let (&length, rest) = der.get(1..)?.split_first()?;
    let (length, rest) = match length {
        0..0x80 => (usize::from(length), rest),
        _ => {
            let (digits, rest) = rest.split_at_checked(usize::from(length & 0x7f))?;
            let length = digits
                .iter()
                .try_fold(0usize, |sum, digit| sum.checked_mul(256)?.checked_add(usize::from(*digit)))?;
            (length, rest)
        }
    };
    rest.split_at_checked(length)
}

fn elements(mut der: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (content, rest) = element(der)?;
        der = rest;
        Some(content)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An element with this tag.
    fn tlv(tag: u8, content: &[u8]) -> Vec<u8> {
        [&[tag, u8::try_from(content.len()).expect("it is short")], content].concat()
    }

    #[track_caller]
    fn check(names: &[(&[u8], &[u8])], expected: &[&[u8]]) {
        let names: Vec<u8> = names
            .iter()
            .flat_map(|(kind, value)| {
                let name = tlv(0x30, &[tlv(0x06, kind), tlv(0x0c, value)].concat());
                tlv(0x31, &name)
            })
            .collect();
        let info = tlv(0x30, &[tlv(0x02, &[0]), tlv(0x30, &names)].concat());
        assert_eq!(organizations(&tlv(0x30, &info)).as_deref(), Some(expected));
    }

    #[test]
    fn organizations_of_a_subject() {
        check(&[], &[]);
        check(&[(&[0x55, 0x04, 0x03], b"someone")], &[]);
        check(
            &[(&[0x55, 0x04, 0x03], b"someone"), (ORGANIZATION, b"dev"), (ORGANIZATION, MASTERS)],
            &[b"dev", MASTERS],
        );
    }

    #[test]
    fn what_is_cut_off_has_none() {
        assert_eq!(organizations(&[]), None);
        assert_eq!(organizations(&[0x30, 0x84, 0xff, 0xff, 0xff, 0xff]), None);
        assert_eq!(organizations(&[0x30, 0x05, 0x30]), None);
        assert_eq!(der("bm90IHBlbQ=="), None);
    }
}
