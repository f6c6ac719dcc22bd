//! Fields of certificates and of requests for them, out of DER (RFC 5280, RFC 2986).
//!
//! See <https://pkg.go.dev/crypto/x509>.

use crate::time::calendar::days_to;

/// The kinds of the blocks of PEM that hold a certificate, and a request for one.
pub const CERTIFICATE: &str = "CERTIFICATE";
/// See [`CERTIFICATE`].
pub const CERTIFICATE_REQUEST: &str = "CERTIFICATE REQUEST";

const SEQUENCE: u8 = 0x30;
/// The attributes of a request.
const ATTRIBUTES: u8 = 0xa0;
/// The version of a certificate.
const VERSION: u8 = 0xa0;
const BOOLEAN: u8 = 0x01;
const UTC_TIME: u8 = 0x17;

/// `commonName`, 2.5.4.3.
const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
/// `organizationName`, 2.5.4.10.
const ORGANIZATION: &[u8] = &[0x55, 0x04, 0x0a];
/// `extensionRequest`, 1.2.840.113549.1.9.14.
const EXTENSION_REQUEST: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x0e];
/// `subjectAltName`, 2.5.29.17.
const SUBJECT_ALT_NAME: &[u8] = &[0x55, 0x1d, 0x11];

/// A request for a certificate: the subject and the alternative names that it asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CertificateRequest<'a> {
    /// The last common name of the subject.
    pub common_name: &'a [u8],
    /// The organizations of the subject.
    pub organizations: Vec<&'a [u8]>,
    /// The alternative names that are names of DNS.
    pub dns_names: Vec<&'a [u8]>,
    /// Those that are addresses of mail.
    pub email_addresses: Vec<&'a [u8]>,
    /// Those that are addresses of IP.
    pub ip_addresses: Vec<&'a [u8]>,
    /// Those that are URIs.
    pub uris: Vec<&'a [u8]>,
}

impl<'a> CertificateRequest<'a> {
    /// Reads a request in DER; `None` if it is none. What of it cannot be read is left out, and the signature is not verified.
    pub fn parse(der: &'a [u8]) -> Option<Self> {
        let info = element(element(der)?.content)?;
        let mut parts = elements(info.content).skip(1);
        let subject = parts.next().filter(|part| part.tag == SEQUENCE)?;
        let mut request = Self::default();
        for name in elements(subject.content).flat_map(|names| elements(names.content)) {
            let Some([kind, value]) = pair(name.content) else { continue };
            match kind.content {
                COMMON_NAME => request.common_name = value.content,
                ORGANIZATION => request.organizations.push(value.content),
                _ => {}
            }
        }
        for attribute in parts.filter(|part| part.tag == ATTRIBUTES).flat_map(|part| elements(part.content)) {
            let Some([kind, values]) = pair(attribute.content) else { continue };
            if kind.content == EXTENSION_REQUEST {
                for extension in elements(values.content).flat_map(|value| elements(value.content)) {
                    request.read_extension(extension.content);
                }
            }
        }
        Some(request)
    }

    /// Takes the alternative names out of an extension.
    fn read_extension(&mut self, extension: &'a [u8]) {
        let mut parts = elements(extension).filter(|part| part.tag != BOOLEAN);
        let (Some(kind), Some(value)) = (parts.next(), parts.next()) else { return };
        let names = element(value.content).filter(|_| kind.content == SUBJECT_ALT_NAME);
        for name in names.into_iter().flat_map(|names| elements(names.content)) {
            match name.tag {
                0x81 => self.email_addresses.push(name.content),
                0x82 => self.dns_names.push(name.content),
                0x86 => self.uris.push(name.content),
                0x87 => self.ip_addresses.push(name.content),
                _ => {}
            }
        }
    }
}

/// Returns the time until which a certificate in DER is good, in seconds since the Unix epoch; `None` if it is no certificate.
pub fn not_after(der: &[u8]) -> Option<i64> {
    let info = element(element(der)?.content)?;
    let mut parts = elements(info.content).skip_while(|part| part.tag == VERSION);
    // After the serial number, the algorithm and the issuer.
    let validity = parts.nth(3).filter(|part| part.tag == SEQUENCE)?;
    let [_, end] = pair(validity.content)?;
    let text = std::str::from_utf8(end.content).ok()?.strip_suffix('Z')?;
    let digits = |from: usize, count: usize| text.get(from..from + count)?.parse::<i64>().ok();
    let (year, at) = match end.tag {
        UTC_TIME => (digits(0, 2).map(|year| if year < 50 { 2000 + year } else { 1900 + year })?, 2),
        _ => (digits(0, 4)?, 4),
    };
    let [month, day, hour, minute, second] = [0, 2, 4, 6, 8].map(|offset| digits(at + offset, 2));
    let days = days_to(year, month.filter(|month| (1..=12).contains(month))?, day?);
    Some(days * 86_400 + hour? * 3_600 + minute? * 60 + second?)
}

/// An element of DER.
#[derive(Clone, Copy)]
struct Element<'a> {
    tag: u8,
    content: &'a [u8],
    /// The bytes after it.
    rest: &'a [u8],
}

/// Reads the first element. Tags have one byte.
fn element(der: &[u8]) -> Option<Element<'_>> {
    let (&tag, after) = der.split_first()?;
    let (&length, rest) = after.split_first()?;
    let (length, rest) = match length {
        0..0x80 => (usize::from(length), rest),
        _ => {
            let (digits, rest) = rest.split_at_checked(usize::from(length & 0x7f))?;
            let length = digits
                .iter()
                .try_fold(0_usize, |sum, digit| sum.checked_mul(256)?.checked_add(usize::from(*digit)))?;
            (length, rest)
        }
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some(Element { tag, content, rest })
}

fn elements(mut der: &[u8]) -> impl Iterator<Item = Element<'_>> {
    std::iter::from_fn(move || {
        let element = element(der)?;
        der = element.rest;
        Some(element)
    })
}

/// Reads two elements.
fn pair(der: &[u8]) -> Option<[Element<'_>; 2]> {
    let first = element(der)?;
    Some([first, element(first.rest)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An element with this tag.
    fn tlv(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
        let content = parts.concat();
        let length = u8::try_from(content.len()).expect("it is short");
        let head = if length < 0x80 { vec![tag, length] } else { vec![tag, 0x81, length] };
        [head, content].concat()
    }

    fn name(kind: &[u8], value: &[u8]) -> Vec<u8> {
        tlv(0x31, &[&tlv(SEQUENCE, &[&tlv(0x06, &[kind]), &tlv(0x0c, &[value])])])
    }

    fn request(names: &[Vec<u8>], alternatives: &[(u8, &[u8])]) -> Vec<u8> {
        let names: Vec<u8> = names.concat();
        let alternatives: Vec<u8> = alternatives.iter().flat_map(|(tag, name)| tlv(*tag, &[name])).collect();
        let value = tlv(0x04, &[&tlv(SEQUENCE, &[&alternatives])]);
        let extension = tlv(SEQUENCE, &[&tlv(0x06, &[SUBJECT_ALT_NAME]), &tlv(BOOLEAN, &[&[0xff]]), &value]);
        let values = tlv(0x31, &[&tlv(SEQUENCE, &[&extension])]);
        let attribute = tlv(SEQUENCE, &[&tlv(0x06, &[EXTENSION_REQUEST]), &values]);
        let key = tlv(SEQUENCE, &[]);
        let info = tlv(
            SEQUENCE,
            &[&tlv(0x02, &[&[0]]), &tlv(SEQUENCE, &[&names]), &key, &tlv(ATTRIBUTES, &[&attribute])],
        );
        tlv(SEQUENCE, &[&info])
    }

    #[test]
    fn requests() {
        let names = [name(COMMON_NAME, b"jane"), name(ORGANIZATION, b"dev"), name(ORGANIZATION, b"ops")];
        let der = request(
            &names,
            &[(0x82, b"a.example"), (0x87, &[10, 0, 0, 1]), (0x81, b"j@a.example"), (0x86, b"x:y")],
        );
        let expected = CertificateRequest {
            common_name: b"jane",
            organizations: vec![b"dev", b"ops"],
            dns_names: vec![b"a.example"],
            email_addresses: vec![b"j@a.example"],
            ip_addresses: vec![&[10, 0, 0, 1]],
            uris: vec![b"x:y"],
        };
        assert_eq!(CertificateRequest::parse(&der), Some(expected));
        assert_eq!(CertificateRequest::parse(&request(&[], &[])), Some(CertificateRequest::default()));
        for end in 0..der.len() {
            assert_eq!(CertificateRequest::parse(&der[..end]), None, "{end}");
        }
        assert_eq!(CertificateRequest::parse(&[SEQUENCE, 0x84, 0xff, 0xff, 0xff, 0xff]), None);
    }

    #[test]
    fn ends_of_certificates() {
        let check = |tag: u8, end: &[u8], expected: Option<i64>| {
            let validity = tlv(SEQUENCE, &[&tlv(UTC_TIME, &[b"240101000000Z"]), &tlv(tag, &[end])]);
            let [serial, algorithm, issuer] = [tlv(0x02, &[&[1]]), tlv(SEQUENCE, &[]), tlv(SEQUENCE, &[])];
            let version = tlv(VERSION, &[&tlv(0x02, &[&[2]])]);
            let info = tlv(SEQUENCE, &[&version, &serial, &algorithm, &issuer, &validity]);
            assert_eq!(not_after(&tlv(SEQUENCE, &[&info])), expected, "{}", String::from_utf8_lossy(end));
        };
        check(UTC_TIME, b"250101000001Z", Some(1_735_689_601));
        check(UTC_TIME, b"700101000000Z", Some(0));
        check(0x18, b"20250101000001Z", Some(1_735_689_601));
        check(UTC_TIME, b"251301000001Z", None);
        check(UTC_TIME, b"25", None);
        assert_eq!(not_after(b""), None);
    }
}
