//! Certificates for CertificateSigningRequests: the server's own authority signs them, as kube-controller-manager does.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/>.

use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;
use std::time::Duration;

use ::controllers::{CertificateTerms, Signer};
use golang::pem;
use golang::x509::CERTIFICATE;
use rcgen::SigningKey;
use ring::rand::{SecureRandom, SystemRandom};
use rustls::crypto::ring::default_provider;
use x509_cert::attr::{AttributeTypeAndValue, AttributeValue};
use x509_cert::der::asn1::{BitString, GeneralizedTime, ObjectIdentifier, OctetString, SetOfVec, UtcTime};
use x509_cert::der::flagset::FlagSet;
use x509_cert::der::{Any, Decode, Encode, Error, Tag};
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{
    AuthorityKeyIdentifier, BasicConstraints, ExtendedKeyUsage, KeyUsage, KeyUsages, SubjectAltName,
};
use x509_cert::ext::{Extension, Extensions};
use x509_cert::name::{Name, RdnSequence, RelativeDistinguishedName};
use x509_cert::request::CertReq;
use x509_cert::serial_number::SerialNumber;
use x509_cert::spki::AlgorithmIdentifierOwned;
use x509_cert::time::{Time, Validity};
use x509_cert::{Certificate, TbsCertificate, Version};

use super::authority::Authority;
use super::client;

const fn oid(text: &str) -> ObjectIdentifier {
    ObjectIdentifier::new_unwrap(text)
}

const EXTENSION_REQUEST: ObjectIdentifier = oid("1.2.840.113549.1.9.14");
const SUBJECT_KEY_IDENTIFIER: ObjectIdentifier = oid("2.5.29.14");
const KEY_USAGE: ObjectIdentifier = oid("2.5.29.15");
const SUBJECT_ALT_NAME: ObjectIdentifier = oid("2.5.29.17");
const BASIC_CONSTRAINTS: ObjectIdentifier = oid("2.5.29.19");
const AUTHORITY_KEY_IDENTIFIER: ObjectIdentifier = oid("2.5.29.35");
const EXTENDED_KEY_USAGE: ObjectIdentifier = oid("2.5.29.37");

/// The attributes of a subject that Go knows, in the order in which it writes them, and whether there is one of each.
const ATTRIBUTES: [(ObjectIdentifier, bool); 9] = [
    (oid("2.5.4.6"), false),
    (oid("2.5.4.8"), false),
    (oid("2.5.4.7"), false),
    (oid("2.5.4.9"), false),
    (oid("2.5.4.17"), false),
    (oid("2.5.4.10"), false),
    (oid("2.5.4.11"), false),
    (oid("2.5.4.3"), true),
    (oid("2.5.4.5"), true),
];

/// The usages of a key, by their names in the field `usages`.
const USAGES: [(&str, KeyUsages); 10] = [
    ("signing", KeyUsages::DigitalSignature),
    ("digital signature", KeyUsages::DigitalSignature),
    ("content commitment", KeyUsages::NonRepudiation),
    ("key encipherment", KeyUsages::KeyEncipherment),
    ("key agreement", KeyUsages::KeyAgreement),
    ("data encipherment", KeyUsages::DataEncipherment),
    ("cert sign", KeyUsages::KeyCertSign),
    ("crl sign", KeyUsages::CRLSign),
    ("encipher only", KeyUsages::EncipherOnly),
    ("decipher only", KeyUsages::DecipherOnly),
];

/// The purposes of a certificate, by their names in that field, in the order in which Go writes them.
const PURPOSES: [(&str, &str); 13] = [
    ("any", "2.5.29.37.0"),
    ("server auth", "1.3.6.1.5.5.7.3.1"),
    ("client auth", "1.3.6.1.5.5.7.3.2"),
    ("code signing", "1.3.6.1.5.5.7.3.3"),
    ("email protection", "1.3.6.1.5.5.7.3.4"),
    ("s/mime", "1.3.6.1.5.5.7.3.4"),
    ("ipsec end system", "1.3.6.1.5.5.7.3.5"),
    ("ipsec tunnel", "1.3.6.1.5.5.7.3.6"),
    ("ipsec user", "1.3.6.1.5.5.7.3.7"),
    ("timestamping", "1.3.6.1.5.5.7.3.8"),
    ("ocsp signing", "1.3.6.1.5.5.7.3.9"),
    ("microsoft sgc", "1.3.6.1.4.1.311.10.3.3"),
    ("netscape sgc", "2.16.840.1.113730.4.1"),
];

/// A signer with the key of an authority.
pub(crate) struct AuthoritySigner(pub(super) Arc<Authority>);

impl Debug for AuthoritySigner {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("AuthoritySigner")
    }
}

impl Signer for AuthoritySigner {
    fn sign(&self, request: &[u8], terms: &CertificateTerms<'_>) -> Result<String, String> {
        let failed = |error: Error| format!("failed to sign certificate: {error}");
        let request = CertReq::from_der(request)
            .map_err(|error| format!("unable to parse certificate request: {error}"))?;
        if !is_signed(&request).unwrap_or_default() {
            return Err("unable to verify certificate request signature".to_owned());
        }
        let authority = Certificate::from_der(self.0.der()).map_err(failed)?;
        let extensions = extensions(&request, &terms.usages, key_identifier(&authority))?;
        let der = self.certificate(request, extensions, terms.times, authority).map_err(failed)?;
        Ok(pem::encode(CERTIFICATE, &der))
    }
}

impl AuthoritySigner {
    /// Returns the certificate for a request, with these extensions, that is good between two times. The authority has signed its own
    /// certificate by the same algorithm.
    fn certificate(
        &self,
        request: CertReq,
        extensions: Extensions,
        (begin, end): (Duration, Duration),
        Certificate { tbs_certificate: own, signature_algorithm: algorithm, .. }: Certificate,
    ) -> Result<Vec<u8>, Error> {
        let mut serial = [0; 16];
        SystemRandom::new().fill(&mut serial).map_err(|_| x509_cert::der::ErrorKind::Failed)?;
        // It is no negative number, and its first byte is not left out.
        serial[0] = serial[0] & 0x7f | 0x40;
        let end = end.min(own.validity.not_after.to_unix_duration());
        let tbs = TbsCertificate {
            version: Version::V3,
            serial_number: SerialNumber::new(&serial)?,
            signature: algorithm.clone(),
            issuer: own.subject,
            validity: Validity { not_before: time(begin)?, not_after: time(end)? },
            subject: subject(&request.info.subject)?,
            subject_public_key_info: request.info.public_key,
            issuer_unique_id: None,
            subject_unique_id: None,
            extensions: Some(extensions),
        };
        let signature = self.0.key().sign(&tbs.to_der()?).map_err(|_| x509_cert::der::ErrorKind::Failed)?;
        let signature = BitString::from_bytes(&signature)?;
        Certificate { tbs_certificate: tbs, signature_algorithm: algorithm, signature }.to_der()
    }
}

/// Returns the extensions of the certificate for a request, in the order in which Go writes them.
fn extensions(
    request: &CertReq,
    usages: &[&str],
    key_identifier: Option<OctetString>,
) -> Result<Extensions, String> {
    let unknown: Vec<&str> = usages
        .iter()
        .copied()
        .filter(|usage| !USAGES.iter().any(|(name, _)| name == usage))
        .filter(|usage| !PURPOSES.iter().any(|(name, _)| name == usage))
        .collect();
    if !unknown.is_empty() {
        return Err(format!("failed to sign certificate: unrecognized usage values: {unknown:?}"));
    }
    let mut flags = FlagSet::<KeyUsages>::default();
    for (_, flag) in USAGES.iter().filter(|(name, _)| usages.contains(name)) {
        flags |= *flag;
    }
    let mut purposes: Vec<ObjectIdentifier> =
        PURPOSES.iter().filter(|(name, _)| usages.contains(name)).map(|(_, id)| oid(id)).collect();
    purposes.dedup();
    let authority = AuthorityKeyIdentifier { key_identifier, ..AuthorityKeyIdentifier::default() };
    let mut found = Vec::new();
    let mut add = |extn_id, critical, value: Result<Vec<u8>, Error>| {
        let value = value.and_then(OctetString::new).map_err(|error| error.to_string())?;
        found.push(Extension { extn_id, critical, extn_value: value });
        Ok::<_, String>(())
    };
    if !flags.is_empty() {
        add(KEY_USAGE, true, KeyUsage(flags).to_der())?;
    }
    if !purposes.is_empty() {
        add(EXTENDED_KEY_USAGE, false, ExtendedKeyUsage(purposes).to_der())?;
    }
    add(BASIC_CONSTRAINTS, true, BasicConstraints { ca: false, path_len_constraint: None }.to_der())?;
    add(AUTHORITY_KEY_IDENTIFIER, false, authority.to_der())?;
    if let Some(names) = alternative_names(request) {
        let is_only_name = request.info.subject.is_empty();
        add(SUBJECT_ALT_NAME, is_only_name, Ok(names))?;
    }
    Ok(found)
}

/// Returns the identifier of an authority's key.
fn key_identifier(authority: &Certificate) -> Option<OctetString> {
    let extensions = authority.tbs_certificate.extensions.as_ref()?;
    let found = extensions.iter().find(|extension| extension.extn_id == SUBJECT_KEY_IDENTIFIER)?;
    OctetString::from_der(found.extn_value.as_bytes()).ok()
}

/// Returns the subject of the certificate for a request, as Go writes what it knows of it: attributes of other kinds are left out, and
/// several of one kind are one name together.
fn subject(asked: &Name) -> Result<Name, Error> {
    let mut names = Vec::new();
    for (kind, is_single) in ATTRIBUTES {
        let values = asked.0.iter().flat_map(|name| name.0.iter()).filter(|one| one.oid == kind);
        let mut texts: Vec<String> = values.map(|one| client::text(&one.value)).collect();
        if is_single {
            // Of several the last one counts.
            texts.drain(..texts.len().saturating_sub(1));
            texts.retain(|text| !text.is_empty());
        }
        let value = |text: &String| Ok(AttributeTypeAndValue { oid: kind, value: string(text)? });
        let together = texts.iter().map(value).collect::<Result<Vec<_>, Error>>()?;
        if !together.is_empty() {
            names.push(RelativeDistinguishedName(SetOfVec::try_from(together)?));
        }
    }
    Ok(RdnSequence(names))
}

/// Returns a text as Go writes it: of few characters as a `PrintableString`, any other as UTF-8.
fn string(text: &str) -> Result<Any, Error> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b" '()+,-./:=?".contains(&byte);
    let tag = if text.bytes().all(is_plain) { Tag::PrintableString } else { Tag::Utf8String };
    Any::new(tag, text.as_bytes())
}

/// Returns the alternative names that a request asks for, in DER, in the order in which Go writes them.
fn alternative_names(request: &CertReq) -> Option<Vec<u8>> {
    let attributes = request.info.attributes.iter().filter(|attribute| attribute.oid == EXTENSION_REQUEST);
    let values = attributes.flat_map(|attribute| attribute.values.iter());
    let extensions = |value: &AttributeValue| Extensions::from_der(&value.to_der().ok()?).ok();
    let mut all = values.filter_map(extensions).flatten();
    let found = all.find(|extension| extension.extn_id == SUBJECT_ALT_NAME)?;
    let mut names = SubjectAltName::from_der(found.extn_value.as_bytes()).ok()?.0;
    let rank = |name: &GeneralName| match name {
        GeneralName::DnsName(_) => 0,
        GeneralName::Rfc822Name(_) => 1,
        GeneralName::IpAddress(_) => 2,
        GeneralName::UniformResourceIdentifier(_) => 3,
        _ => 4,
    };
    names.retain(|name| rank(name) < 4);
    names.sort_by_key(rank);
    if names.is_empty() { None } else { SubjectAltName(names).to_der().ok() }
}

/// Reports whether a request is signed with the key that it is for; nothing, if it cannot be told.
fn is_signed(request: &CertReq) -> Option<bool> {
    let key = &request.info.public_key;
    // The identifiers that are compared have no head.
    let body = |algorithm: &AlgorithmIdentifierOwned| {
        let der = algorithm.to_der().ok()?;
        let (_, content) = der.split_at_checked(2).filter(|(head, _)| head[1] < 0x80)?;
        Some(content.to_vec())
    };
    let (of_key, of_signature) = (body(&key.algorithm)?, body(&request.algorithm)?);
    let message = request.info.to_der().ok()?;
    let provider = default_provider();
    let mut algorithms = provider.signature_verification_algorithms.all.iter();
    let algorithm = algorithms.find(|algorithm| {
        algorithm.public_key_alg_id().as_ref() == of_key
            && algorithm.signature_alg_id().as_ref() == of_signature
    })?;
    let (public, signature) = (key.subject_public_key.as_bytes()?, request.signature.as_bytes()?);
    Some(algorithm.verify_signature(public, &message, signature).is_ok())
}

/// Returns a time as certificates write it: with two digits of the year until 2050.
fn time(at: Duration) -> Result<Time, Error> {
    UtcTime::from_unix_duration(at)
        .map(Time::UtcTime)
        .or_else(|_| GeneralizedTime::from_unix_duration(at).map(Time::GeneralTime))
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use rcgen::{CertificateParams, DnType, KeyPair, SanType};
    use x509_cert::der::Tagged;

    use super::*;

    fn signer() -> AuthoritySigner {
        AuthoritySigner(Arc::new(Authority::new("ca", SystemTime::now()).unwrap()))
    }

    fn request() -> Vec<u8> {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "jane");
        params.distinguished_name.push(DnType::OrganizationName, "dev");
        params.subject_alt_names = vec![SanType::DnsName("a.example".try_into().unwrap())];
        params.serialize_request(&KeyPair::generate().unwrap()).unwrap().der().to_vec()
    }

    fn terms<'a>(usages: &[&'a str]) -> CertificateTerms<'a> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        CertificateTerms { usages: usages.to_vec(), times: (now, now + Duration::from_secs(600)) }
    }

    fn read(text: &str) -> Certificate {
        let blocks = pem::blocks(text.as_bytes());
        Certificate::from_der(&blocks[0].bytes).unwrap()
    }

    #[test]
    fn a_request_is_signed() {
        let signer = signer();
        let signed = signer.sign(&request(), &terms(&["client auth", "digital signature"])).unwrap();
        let found = read(&signed).tbs_certificate;
        assert_eq!(found.subject.to_string(), "CN=jane,O=dev");
        assert_eq!(found.issuer.to_string(), "CN=ca");
        let kinds: Vec<(String, bool)> =
            found.extensions.unwrap().iter().map(|one| (one.extn_id.to_string(), one.critical)).collect();
        let kinds: Vec<(&str, bool)> = kinds.iter().map(|(id, critical)| (id.as_str(), *critical)).collect();
        let expected = [
            ("2.5.29.15", true),
            ("2.5.29.37", false),
            ("2.5.29.19", true),
            ("2.5.29.35", false),
            ("2.5.29.17", false),
        ];
        assert_eq!(kinds, expected);
    }

    #[test]
    fn subjects_are_as_go_writes_them() {
        let check = |asked: &str, expected: &str| {
            let name: Name = asked.parse().unwrap();
            assert_eq!(subject(&name).unwrap().to_string(), expected, "{asked}");
        };
        // From the last to the first.
        check("CN=jane,O=ops,O=dev", "CN=jane,O=dev+O=ops");
        check("O=dev,CN=jane", "CN=jane,O=dev");
        check("UID=a,CN=b,CN=a", "CN=b");
        assert_eq!(string("a.b-c").unwrap().tag(), Tag::PrintableString);
        assert_eq!(string("a*").unwrap().tag(), Tag::Utf8String);
    }

    #[test]
    fn what_is_wrong_is_not_signed() {
        let signer = signer();
        let fails = |request: &[u8], usages: &[&str], expected: &str| {
            let why = signer.sign(request, &terms(usages)).unwrap_err();
            assert!(why.starts_with(expected), "{why}");
        };
        fails(b"", &[], "unable to parse certificate request: ");
        let unknown = "failed to sign certificate: unrecognized usage values: [\"flying\"]";
        fails(&request(), &["client auth", "flying"], unknown);
        // Somebody has changed the name in it.
        let mut changed = request();
        let at = changed.windows(4).position(|part| part == b"jane").unwrap();
        changed[at] = b'k';
        fails(&changed, &["client auth"], "unable to verify certificate request signature");
    }

    #[test]
    fn times_are_written_in_two_ways() {
        let year_2049 = Duration::from_secs(2_500_000_000);
        assert!(matches!(time(year_2049), Ok(Time::UtcTime(_))));
        assert!(matches!(time(year_2049 + Duration::from_secs(100_000_000)), Ok(Time::GeneralTime(_))));
    }
}
