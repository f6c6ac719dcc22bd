//! Certificates of clients: who may sign them, and whose they are.
//!
//! Every certificate passes the handshake of which the client has the key. Who has one of another authority is told by the response,
//! 401, as kube-apiserver does it.

use std::sync::Arc;

use apiserver::{ClientCertificate, User};
use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{DigitallySignedStruct, DistinguishedName, Error, RootCertStore, SignatureScheme};
use sha2::{Digest, Sha256};
use x509_cert::Certificate;
use x509_cert::der::asn1::ObjectIdentifier;
use x509_cert::der::{Any, Decode};

/// The attribute of a subject that is the user's name.
const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");

/// The attribute of a subject that is a group.
const ORGANIZATION: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.10");

/// The attribute of a subject that is the user's uid. It is Kubernetes' own.
const UID: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.57683.2");

/// The authorities whose certificates say who a client is.
pub(crate) struct Clients {
    verifier: Arc<dyn ClientCertVerifier>,
    asking: Arc<Asking>,
}

impl Clients {
    /// Makes them of the authorities' certificates.
    ///
    /// # Errors
    /// One of them is no certificate.
    pub(super) fn new(
        trusted: &[CertificateDer<'static>],
        provider: Arc<CryptoProvider>,
    ) -> Result<Self, String> {
        let mut roots = RootCertStore::empty();
        for certificate in trusted {
            roots.add(certificate.clone()).map_err(|error| error.to_string())?;
        }
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
        let verifier = verifier.build().map_err(|error| error.to_string())?;
        let names = verifier.root_hint_subjects().to_vec();
        Ok(Self { verifier, asking: Arc::new(Asking { provider, names }) })
    }

    /// Returns what asks clients for a certificate in the handshake.
    pub(super) fn asking(&self) -> Arc<dyn ClientCertVerifier> {
        Arc::clone(&self.asking) as _
    }

    /// Returns whose the first certificate of a chain is, if the others lead to an authority.
    pub(super) fn identify(&self, chain: &[CertificateDer<'_>], now: UnixTime) -> Option<ClientCertificate> {
        let (own, others) = chain.split_first()?;
        if self.verifier.verify_client_cert(own, others, now).is_err() {
            return Some(ClientCertificate::Invalid);
        }
        user(own).map_or(Some(ClientCertificate::Invalid), |user| user.map(ClientCertificate::Of))
    }
}

/// Returns the user that the subject of a certificate names; nobody if it has no common name, and `None` if it is no certificate,
/// or has an empty uid or several.
fn user(certificate: &CertificateDer<'_>) -> Option<Option<User>> {
    let subject = Certificate::from_der(certificate).ok()?.tbs_certificate.subject;
    let attributes = || subject.0.iter().flat_map(|names| names.0.iter());
    let all = |kind| attributes().filter(move |one| one.oid == kind).map(|one| text(&one.value));
    // Of several names the last one counts.
    let Some(name) = all(COMMON_NAME).next_back().filter(|name| !name.is_empty()) else { return Some(None) };
    let uids: Vec<String> = all(UID).collect();
    if uids.len() > 1 || uids.iter().any(String::is_empty) {
        return None;
    }
    let digest: String = Sha256::digest(certificate).iter().map(|byte| format!("{byte:02x}")).collect();
    Some(Some(User {
        name,
        uid: uids.concat(),
        groups: all(ORGANIZATION).chain(["system:authenticated".to_owned()]).collect(),
        extra: vec![(
            "authentication.kubernetes.io/credential-id".to_owned(),
            vec![["X509SHA256=", &digest].concat()],
        )],
    }))
}

/// Returns the text of an attribute. All kinds of strings that certificates have today are, or are like, UTF-8.
pub(super) fn text(value: &Any) -> String {
    String::from_utf8_lossy(value.value()).into_owned()
}

/// Asks for certificates, and takes those of which the client has the key.
#[derive(Debug)]
struct Asking {
    provider: Arc<CryptoProvider>,
    names: Vec<DistinguishedName>,
}

impl ClientCertVerifier for Asking {
    fn client_auth_mandatory(&self) -> bool {
        false
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &self.names
    }

    fn verify_client_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(
            message,
            certificate,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(
            message,
            certificate,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
