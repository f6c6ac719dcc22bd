//! Trust in servers: the certificates that they may show.

use std::io;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

/// The certificate that a client shows, with those that lead to its root, and its key.
pub(crate) type Identity = (Vec<CertificateDer<'static>>, Arc<PrivateKeyDer<'static>>);

/// The certificates that a server may show, and the one that it is shown.
#[derive(Clone, Copy)]
pub(crate) struct Trust<'a> {
    /// The authorities that have signed the server's, in PEM. Each of them is also trusted itself.
    pub(crate) bundle: &'a [u8],
    /// True if the server may show any.
    pub(crate) insecure: bool,
    /// The certificate that the server is shown.
    pub(crate) identity: Option<&'a Identity>,
}

impl<'a> Trust<'a> {
    /// Returns the trust in these authorities.
    pub(crate) fn of(bundle: &'a [u8]) -> Self {
        Self { bundle, insecure: false, identity: None }
    }

    /// Returns how to speak with such a server.
    ///
    /// # Errors
    /// There is no certificate among the authorities, in Go's words, or the one to be shown cannot be used.
    pub(super) fn config(self) -> Result<ClientConfig, String> {
        let unusable = || "unable to load root certificates: unable to parse bytes as PEM block".to_owned();
        let bundle: Vec<_> =
            CertificateDer::pem_slice_iter(self.bundle).collect::<Result<_, _>>().map_err(|_| unusable())?;
        let mut roots = RootCertStore::empty();
        let _ = roots.add_parsable_certificates(bundle.iter().cloned());
        let provider = Arc::new(ring::default_provider());
        let inner = if roots.is_empty() {
            None
        } else {
            let verifier =
                WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
            Some(verifier.build().map_err(|_| unusable())?)
        };
        let schemes = provider.signature_verification_algorithms;
        let verifier = Arc::new(Verifier { inner, bundle, insecure: self.insecure, schemes });
        let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let builder = builder.map_err(|error| error.to_string())?;
        let builder = builder.dangerous().with_custom_certificate_verifier(verifier);
        match self.identity {
            Some((chain, key)) => builder
                .with_client_auth_cert(chain.clone(), key.clone_key())
                .map_err(|error| error.to_string()),
            None => Ok(builder.with_no_client_auth()),
        }
    }
}

/// Verifies as Go does: first that the name is right; and a certificate that stands in the bundle itself needs nobody else's
/// signature.
#[derive(Debug)]
struct Verifier {
    inner: Option<Arc<WebPkiServerVerifier>>,
    bundle: Vec<CertificateDer<'static>>,
    insecure: bool,
    schemes: rustls::crypto::WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        own: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.insecure {
            return Ok(ServerCertVerified::assertion());
        }
        verify_server_name(&ParsedCertificate::try_from(own)?, name)?;
        if self.bundle.contains(own) {
            return Ok(ServerCertVerified::assertion());
        }
        match &self.inner {
            Some(inner) => inner.verify_server_cert(own, others, name, ocsp, now),
            None => Err(Error::InvalidCertificate(CertificateError::UnknownIssuer)),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        rustls::crypto::verify_tls12_signature(message, certificate, signature, &self.schemes)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        rustls::crypto::verify_tls13_signature(message, certificate, signature, &self.schemes)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.schemes.supported_schemes()
    }
}

/// Words the failure of a handshake as Go does.
pub(super) fn worded(error: &io::Error) -> String {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    let why = match inner {
        Some(Error::InvalidCertificate(why)) => why,
        Some(other) => return format!("tls: {other}"),
        None if error.kind() == io::ErrorKind::UnexpectedEof => return "EOF".to_owned(),
        None => return error.to_string(),
    };
    let why = match why {
        CertificateError::UnknownIssuer => "certificate signed by unknown authority".to_owned(),
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "certificate has expired or is not yet valid".to_owned()
        }
        CertificateError::NotValidForNameContext { expected, presented } => {
            let (wanted, is_address) = (expected.to_str(), matches!(expected, ServerName::IpAddress(_)));
            let names: Vec<&str> = presented.iter().filter_map(|name| plain(name, is_address)).collect();
            match (names.is_empty(), is_address) {
                (false, _) => format!("certificate is valid for {}, not {wanted}", names.join(", ")),
                (true, false) => {
                    format!("certificate is not valid for any names, but wanted to match {wanted}")
                }
                (true, true) => {
                    format!("cannot validate certificate for {wanted} because it doesn't contain any IP SANs")
                }
            }
        }
        other => other.to_string(),
    };
    format!("tls: failed to verify certificate: x509: {why}")
}

/// Returns the name in `DnsName("a.example")`, or the address in `IpAddress(::1)`, as the library tells them; `None` for the other.
fn plain(name: &str, is_address: bool) -> Option<&str> {
    let kind = if is_address { "IpAddress(" } else { "DnsName(" };
    Some(name.strip_prefix(kind)?.strip_suffix(')')?.trim_matches('"'))
}
