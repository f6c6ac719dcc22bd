//! A certificate authority that lives as long as its server.

use std::net::IpAddr;
use std::time::{Duration, SystemTime};

use rcgen::string::Ia5String;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, Error, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose, SanType,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// How long the authority's own certificate is good.
const AUTHORITY_LIFE: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);

/// How long the certificates are good that it signs.
const LIFE: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// The time after which a server's certificate is made anew.
pub(super) const RENEWAL: Duration = Duration::from_secs(240 * 24 * 60 * 60);

/// How much a client's clock may be behind.
const SKEW: Duration = Duration::from_secs(5 * 60);

/// The names by which clients in a cluster reach its API server, and those on the same machine.
const NAMES: [&str; 5] = [
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
    "localhost",
];

/// The addresses by which the latter do.
const ADDRESSES: [IpAddr; 2] =
    [IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), IpAddr::V6(std::net::Ipv6Addr::LOCALHOST)];

/// A key that signs certificates, and its own certificate.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
    der: CertificateDer<'static>,
}

impl Authority {
    /// Makes one of this name.
    ///
    /// # Errors
    /// The operating system gives no random bytes.
    pub(crate) fn new(name: &str, now: SystemTime) -> Result<Self, Error> {
        let key = KeyPair::generate()?;
        let mut params = params(&[(name, DnType::CommonName)], now, AUTHORITY_LIFE);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyCertSign];
        let certificate = params.self_signed(&key)?;
        let (pem, der) = (certificate.pem(), certificate.der().clone());
        Ok(Self { issuer: Issuer::new(params, key), pem, der })
    }

    /// Returns its certificate in PEM.
    pub(crate) fn certificate(&self) -> &str {
        &self.pem
    }

    /// Returns its key.
    pub(super) fn key(&self) -> &KeyPair {
        self.issuer.key()
    }

    /// Returns its certificate in DER.
    pub(super) fn der(&self) -> &CertificateDer<'static> {
        &self.der
    }

    /// Makes the certificate of a server that is reached by an address, and by names or addresses besides. The authority's own comes
    /// with it.
    ///
    /// # Errors
    /// A name is none.
    pub(super) fn server(
        &self,
        names: &[String],
        address: IpAddr,
        now: SystemTime,
    ) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), Error> {
        let mut params = params(&[("kubeglass", DnType::CommonName)], now, LIFE);
        for name in NAMES.into_iter().chain(names.iter().map(String::as_str)) {
            params.subject_alt_names.push(match name.parse() {
                Ok(address) => SanType::IpAddress(address),
                Err(_) => SanType::DnsName(Ia5String::try_from(name)?),
            });
        }
        let is_known = |address: &IpAddr| ADDRESSES.contains(address) || names.contains(&address.to_string());
        let other = Some(address).filter(|address| !is_known(address));
        let addresses = ADDRESSES.into_iter().chain(other);
        params.subject_alt_names.extend(addresses.map(SanType::IpAddress));
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyEncipherment];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &self.issuer)?;
        let key = PrivateKeyDer::try_from(key.serialize_der()).map_err(|_| Error::CouldNotParseKeyPair)?;
        Ok((vec![certificate.der().clone(), self.der.clone()], key))
    }

    /// Makes the certificate of a user in groups, and returns it with its key, both in PEM.
    ///
    /// # Errors
    /// The operating system gives no random bytes.
    pub(crate) fn client(
        &self,
        name: &str,
        groups: &[&str],
        now: SystemTime,
    ) -> Result<(String, String), Error> {
        let mut subject = vec![(name, DnType::CommonName)];
        subject.extend(groups.iter().map(|group| (*group, DnType::OrganizationName)));
        let mut params = params(&subject, now, LIFE);
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyEncipherment];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        let key = KeyPair::generate()?;
        Ok((params.signed_by(&key, &self.issuer)?.pem(), key.serialize_pem()))
    }
}

/// Returns what all certificates of an authority have: a subject, and the time in which they are good.
fn params(subject: &[(&str, DnType)], now: SystemTime, life: Duration) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    for (value, kind) in subject {
        params.distinguished_name.push(kind.clone(), *value);
    }
    params.not_before = (now - SKEW).into();
    params.not_after = (now + life).into();
    params.use_authority_key_identifier_extension = true;
    params
}
