//! TLS: the certificates of a server, and who its clients are by theirs.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/authentication/#x509-client-certificates>.

pub(crate) mod authority;
mod client;
mod signer;

use std::collections::HashMap;
use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use apiserver::ClientCertificate;
use rustls::ServerConfig;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use rustls::sign::CertifiedKey;

use crate::args::Options;
use crate::private_file;
use authority::{Authority, RENEWAL};
use client::Clients;
use signer::AuthoritySigner;

/// The protocols that clients choose from: HTTP/2, and HTTP/1.1.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// The reason why a server cannot speak TLS.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file with certificates or a key cannot be read, or has none.
    #[error("cannot use {}: {why}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error in it.
        why: String,
    },
    /// The key is not the certificate's.
    #[error("the key in {} is not that of the certificate in {}: {source}", key.display(), certificate.display())]
    Pair {
        /// The file with the certificate.
        certificate: PathBuf,
        /// The file with the key.
        key: PathBuf,
        /// The error from comparing them.
        source: rustls::Error,
    },
    /// Certificates cannot be made.
    #[error("cannot make certificates: {0}")]
    Make(#[from] rcgen::Error),
    /// A name for `--tls-san` cannot stand in a certificate, or a made certificate cannot be used.
    #[error("cannot use the certificates that were made: {0}")]
    Use(#[from] rustls::Error),
}

/// The TLS of a server.
pub(crate) struct Tls {
    provider: Arc<CryptoProvider>,
    authority: Arc<Authority>,
    identity: Identity,
    clients: Option<Clients>,
    /// The configurations by the address that clients reach.
    configs: Mutex<HashMap<IpAddr, Kept>>,
}

/// A configuration, and the time at which it is made anew, if it is.
type Kept = (Option<SystemTime>, Arc<ServerConfig>);

/// The certificate that a server shows.
enum Identity {
    /// One from files.
    Given(Arc<CertifiedKey>),
    /// One that is made for each address that clients reach the server by, for these names as well.
    Made(Vec<String>),
}

/// The certificates that a server was given, and the authority that makes others.
pub(crate) struct Certificates {
    authority: Arc<Authority>,
    given: Option<(Arc<CertifiedKey>, String)>,
    client_cas: Option<PathBuf>,
    makes_clients: bool,
    names: Vec<String>,
}

impl Certificates {
    /// Makes or reads what the options ask for; nothing, if they do not ask for TLS.
    ///
    /// # Errors
    /// See [`Error`].
    pub(crate) fn of(options: &Options) -> Result<Option<Self>, Error> {
        if !options.speaks_tls() {
            return Ok(None);
        }
        let host = options.listen.rsplit_once(':').map_or("", |(host, _)| host.trim_matches(['[', ']']));
        // In a cluster they reach it by the address of the Service `kubernetes`, too.
        let mut names = vec![options.service_range.api_server().to_string()];
        names.extend(options.tls_names.iter().cloned());
        if !host.is_empty() && host.parse::<IpAddr>().is_err() {
            names.push(host.to_owned());
        }
        let authority = Authority::new("kubeglass-ca", SystemTime::now())?;
        if let Some(files) = &options.tls_made_files {
            write_pair(&authority, &names, host, files)?;
        }
        let files = options.tls_files.as_ref().or(options.tls_made_files.as_ref());
        let given = files.map(|(certificate, key)| read_pair(certificate, key)).transpose()?;
        Ok(Some(Self {
            authority: Arc::new(authority),
            given,
            client_cas: options.client_ca_file.clone(),
            makes_clients: options.kubeconfig.is_some() || options.controllers.signs(),
            names,
        }))
    }

    /// Returns the signer of approved CertificateSigningRequests.
    pub(crate) fn signer(&self) -> AuthoritySigner {
        AuthoritySigner(Arc::clone(&self.authority))
    }

    /// Returns the certificates by which clients recognise the server, in PEM.
    pub(crate) fn server_ca(&self) -> &str {
        self.given.as_ref().map_or(self.authority.certificate(), |(_, text)| text)
    }

    /// Returns the authorities of clients' certificates, in PEM; nothing, if no client has one.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn client_cas(&self) -> Result<Option<String>, Error> {
        let given = self.client_cas.as_ref();
        let given = given.map(|path| fs::read_to_string(path).map_err(|error| unusable(path, &error)));
        let made = self.makes_clients.then(|| self.authority.certificate().to_owned());
        let all: Vec<String> = given.transpose()?.into_iter().chain(made).collect();
        Ok((!all.is_empty()).then(|| all.concat()))
    }

    /// Makes the certificate of a user in groups, and returns it with its key, both in PEM.
    ///
    /// # Errors
    /// See [`Error::Make`].
    pub(crate) fn client(&self, name: &str, groups: &[&str]) -> Result<(String, String), Error> {
        Ok(self.authority.client(name, groups, SystemTime::now())?)
    }
}

impl Tls {
    /// Makes the TLS of a server.
    ///
    /// # Errors
    /// See [`Error`].
    pub(crate) fn new(certificates: &Certificates) -> Result<Self, Error> {
        let provider = Arc::new(ring::default_provider());
        let mut trusted = Vec::new();
        if let Some(path) = &certificates.client_cas {
            trusted.extend(read_certificates(path)?);
        }
        if certificates.makes_clients {
            trusted.push(certificates.authority.der().clone());
        }
        let clients = (!trusted.is_empty()).then(|| Clients::new(&trusted, Arc::clone(&provider)));
        let clients = clients
            .transpose()
            .map_err(|why| Error::File { path: certificates.client_cas.clone().unwrap_or_default(), why })?;
        let identity = match &certificates.given {
            Some((given, _)) => Identity::Given(Arc::clone(given)),
            None => Identity::Made(certificates.names.clone()),
        };
        let tls = Self {
            provider,
            identity,
            clients,
            configs: Mutex::default(),
            authority: Arc::clone(&certificates.authority),
        };
        // What is wrong with the names shows here, and not with the first client.
        tls.config(IpAddr::from([127, 0, 0, 1]), SystemTime::now())?;
        Ok(tls)
    }

    /// Returns how to speak with a client that has reached this address. A certificate that was made is made anew before it ends.
    ///
    /// # Errors
    /// No certificate can be made.
    pub(crate) fn config(&self, address: IpAddr, now: SystemTime) -> Result<Arc<ServerConfig>, Error> {
        let address = address.to_canonical();
        let mut configs = self.configs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((renewal, config)) = configs.get(&address)
            && renewal.is_none_or(|renewal| now < renewal)
        {
            return Ok(Arc::clone(config));
        }
        let (renewal, shown) = match &self.identity {
            Identity::Given(given) => (None, Arc::clone(given)),
            Identity::Made(names) => {
                let (chain, key) = self.authority.server(names, address, now)?;
                (Some(now + RENEWAL), Arc::new(CertifiedKey::from_der(chain, key, &self.provider)?))
            }
        };
        let config = Arc::new(self.build(shown)?);
        configs.insert(address, (renewal, Arc::clone(&config)));
        Ok(config)
    }

    fn build(&self, shown: Arc<CertifiedKey>) -> Result<ServerConfig, Error> {
        let builder = ServerConfig::builder_with_provider(Arc::clone(&self.provider))
            .with_safe_default_protocol_versions()?;
        let builder = match &self.clients {
            Some(clients) => builder.with_client_cert_verifier(clients.asking()),
            None => builder.with_no_client_auth(),
        };
        let mut config = builder.with_cert_resolver(Arc::new(rustls::sign::SingleCertAndKey::from(shown)));
        config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).into();
        Ok(config)
    }

    /// Returns whose certificate a client has shown; nobody if it has shown none, or clients are not asked for theirs.
    pub(crate) fn identify(&self, shown: Option<&[CertificateDer<'_>]>) -> Option<ClientCertificate> {
        self.clients.as_ref()?.identify(shown?, UnixTime::now())
    }
}

/// Makes a certificate for names and the address that a server listens at, and writes it with its authority's and its key to files, whose
/// folder is made.
fn write_pair(
    authority: &Authority,
    names: &[String],
    host: &str,
    (certificate, key): &(PathBuf, PathBuf),
) -> Result<(), Error> {
    let address = host.parse().unwrap_or(IpAddr::from([127, 0, 0, 1]));
    let (chain, own_key) = authority.server(names, address, SystemTime::now())?;
    let chain: String = chain.iter().map(|one| golang::pem::encode("CERTIFICATE", one)).collect();
    let own_key = golang::pem::encode("PRIVATE KEY", own_key.secret_der());
    if let Some(folder) = certificate.parent() {
        fs::create_dir_all(folder).map_err(|error| unusable(folder, &error))?;
    }
    for (path, text) in [(certificate, chain), (key, own_key)] {
        private_file::write(path, text.as_bytes()).map_err(|error| unusable(path, &error))?;
    }
    Ok(())
}

/// Reads a certificate with those that lead to its root, and its key; returns the former as text, too.
fn read_pair(certificate: &Path, key: &Path) -> Result<(Arc<CertifiedKey>, String), Error> {
    let chain = read_certificates(certificate)?;
    let found = PrivateKeyDer::from_pem_file(key).map_err(|error| unusable(key, &error))?;
    let pair = CertifiedKey::from_der(chain, found, &ring::default_provider());
    let (certificate, key) = (certificate.to_owned(), key.to_owned());
    let text = fs::read_to_string(&certificate).map_err(|error| unusable(&certificate, &error))?;
    let pair = pair.map_err(|source| Error::Pair { certificate, key, source })?;
    Ok((Arc::new(pair), text))
}

/// Reads all certificates of a file in PEM.
pub(crate) fn read_certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, Error> {
    let found = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    match found {
        Ok(found) if found.is_empty() => Err(unusable(path, &"it has no certificate in PEM")),
        found => found.map_err(|error| unusable(path, &error)),
    }
}

/// Returns the error about a file.
pub(crate) fn unusable(path: &Path, why: &dyn std::fmt::Display) -> Error {
    Error::File { path: path.to_owned(), why: why.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_is_made_for_each_address_and_anew_in_time() {
        let options = Options { tls: true, ..Options::default() };
        let tls = Tls::new(&Certificates::of(&options).unwrap().unwrap()).unwrap();
        let (here, there, now) =
            (IpAddr::from([127, 0, 0, 1]), IpAddr::from([10, 0, 0, 7]), SystemTime::now());
        let config = |address, now| tls.config(address, now).unwrap();
        let first = config(here, now);
        let is_same = |other: Arc<ServerConfig>| Arc::ptr_eq(&first, &other);
        assert!(is_same(config(here, now + RENEWAL / 2)));
        assert!(is_same(config(IpAddr::from(std::net::Ipv4Addr::LOCALHOST.to_ipv6_mapped()), now)));
        assert!(!is_same(config(there, now)));
        let second = config(here, now + RENEWAL);
        assert!(!is_same(Arc::clone(&second)));
        assert!(Arc::ptr_eq(&second, &config(here, now + RENEWAL)));
    }

    #[test]
    fn a_pair_that_is_made_is_kept_where_it_is_asked_for() {
        let folder = std::env::temp_dir().join(format!("kubeglass-certificates-{}", std::process::id()));
        let files = (folder.join("apiserver.crt"), folder.join("apiserver.key"));
        let options = Options { tls: true, tls_made_files: Some(files.clone()), ..Options::default() };
        let certificates = Certificates::of(&options).unwrap().unwrap();
        assert_eq!(fs::read_to_string(&files.0).unwrap(), certificates.server_ca());
        assert_eq!(read_certificates(&files.0).unwrap().len(), 2);
        assert!(read_pair(&files.0, &files.1).is_ok());
        fs::remove_dir_all(folder).unwrap();
    }
}
