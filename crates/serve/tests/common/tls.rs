//! Certificates, and clients that speak TLS.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use json_tree::Value;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// A client's certificate and its key, in PEM.
pub(crate) type Pair = (String, String);

/// An authority that a test makes for itself.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pub(crate) pem: String,
}

impl Authority {
    pub(crate) fn new(name: &str) -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = params.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(params, key), pem }
    }

    /// Makes a certificate of a subject, with names for a server.
    pub(crate) fn sign(&self, subject: &[(DnType, &str)], names: &[&str]) -> Pair {
        let names = names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let mut params = CertificateParams::new(names).unwrap();
        params.distinguished_name = rcgen::DistinguishedName::new();
        for (kind, value) in subject {
            params.distinguished_name.push(kind.clone(), *value);
        }
        let key = KeyPair::generate().unwrap();
        (params.signed_by(&key, &self.issuer).unwrap().pem(), key.serialize_pem())
    }
}

/// Writes a text into a file of a folder.
pub(crate) fn file(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// Connects to a server by a name, trusting an authority; `None` if the handshake fails.
pub(crate) async fn connect(
    address: SocketAddr,
    name: &'static str,
    ca: &str,
    own: Option<&Pair>,
    protocols: &[&str],
) -> Option<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(ca.as_bytes()) {
        roots.add(certificate.unwrap()).unwrap();
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().unwrap().with_root_certificates(roots);
    let mut config = match own {
        None => builder.with_no_client_auth(),
        Some((certificate, key)) => {
            let chain = vec![CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()];
            builder
                .with_client_auth_cert(chain, PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap())
                .unwrap()
        }
    };
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    let stream = TcpStream::connect(address).await.unwrap();
    TlsConnector::from(Arc::new(config)).connect(ServerName::try_from(name).unwrap(), stream).await.ok()
}

/// Sends `METHOD PATH BODY` over TLS, with a header or none, and returns the status and the body of the response.
pub(crate) async fn send(
    address: SocketAddr,
    ca: &str,
    own: Option<&Pair>,
    line: &str,
    header: &str,
) -> (u16, Value) {
    let mut stream = connect(address, "localhost", ca, own, &[]).await.unwrap();
    let mut words = line.splitn(3, ' ');
    let [method, path, body] = [(); 3].map(|()| words.next().unwrap_or_default());
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept: */*\r\n{header}\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), serde_json::from_str(body).unwrap_or_default())
}

/// Reads the authority, the URL and the certificate of a kubeconfig.
pub(crate) fn read_kubeconfig(path: &Path) -> (String, String, Option<Pair>) {
    let config: Value = serde_yaml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let text = |pointer: &str| {
        let text = config.pointer(pointer)?.as_str()?;
        Some(String::from_utf8(golang::base64::decode(text).unwrap()).unwrap())
    };
    let own = |key: &str| text(&format!("/users/0/user/{key}"));
    assert_eq!(config["current-context"], "kubeglass");
    (
        text("/clusters/0/cluster/certificate-authority-data").unwrap_or_default(),
        config["clusters"][0]["cluster"]["server"].as_str().unwrap().to_owned(),
        own("client-certificate-data").zip(own("client-key-data")),
    )
}
