//! Webhooks that listen, and requests to a server that calls them.

use std::net::SocketAddr;
use std::sync::Arc;

use json_tree::Value;
use rcgen::DnType;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::raw;
use super::tls::Authority;

/// Has webhooks listen that answer a review at a path so; returns where, and the certificate of who has signed theirs.
pub(crate) async fn listen(
    answer: impl Fn(&str, &Value) -> Value + Send + Sync + 'static,
) -> (SocketAddr, String) {
    let authority = Authority::new("webhooks");
    let names = ["127.0.0.1", "hook.tools.svc"];
    let (certificate, key) = authority.sign(&[(DnType::CommonName, "hook")], &names);
    let chain = vec![CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()];
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
    let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let acceptor = TlsAcceptor::from(Arc::new(builder.with_single_cert(chain, key).unwrap()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let answer = Arc::new(answer);
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let (acceptor, answer) = (acceptor.clone(), Arc::clone(&answer));
            tokio::spawn(async move {
                // Who does not trust them hangs up.
                let Ok(mut stream) = acceptor.accept(stream).await else { return };
                let (path, review) = read(&mut stream).await;
                let body = answer(&path, &review).to_string();
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
                stream.write_all([head, body].concat().as_bytes()).await.unwrap();
            });
        }
    });
    (address, authority.pem)
}

/// Reads a request: its path and its body in JSON.
async fn read(stream: &mut (impl AsyncReadExt + Unpin)) -> (String, Value) {
    let mut bytes = Vec::new();
    loop {
        let mut buffer = [0; 4096];
        let count = stream.read(&mut buffer).await.unwrap();
        assert!(count > 0, "the request ends early");
        bytes.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head
            .lines()
            .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
        if body.len() == length.unwrap_or(0) {
            let path = head.split(' ').nth(1).unwrap().split('?').next().unwrap();
            let body = if body.is_empty() { Value::Null } else { serde_json::from_str(body).unwrap() };
            return (path.to_owned(), body);
        }
    }
}

/// Sends `METHOD PATH BODY`; returns the status, the body and the warnings of the response.
pub(crate) async fn send(address: SocketAddr, line: &str) -> (u16, Value, Vec<String>) {
    let mut words = line.splitn(3, ' ');
    let [method, path, body] = [(); 3].map(|()| words.next().unwrap_or_default());
    let media_type = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: {media_type}\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let answer = raw(address, &request).await;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let code = head.split(' ').nth(1).unwrap().parse().unwrap();
    let warnings = head.lines().filter_map(|line| line.strip_prefix("Warning: ")).map(str::to_owned);
    (code, serde_json::from_str(body).unwrap_or_default(), warnings.collect())
}
