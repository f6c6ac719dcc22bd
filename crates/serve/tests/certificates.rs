//! A client that asks for its certificate: somebody approves, and the server signs.

mod common;

use std::net::SocketAddr;

use common::start_with;
use common::tls::{Pair, read_kubeconfig, send};
use controllers::Selection;
use json_tree::json;
use rcgen::{CertificateParams, DnType, KeyPair};
use serve::Options;

const REQUESTS: &str = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

/// Makes a key, and a request in PEM for the certificate of a user in a group.
fn request(name: &str, group: &str) -> (String, String) {
    let mut params = CertificateParams::default();
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    params.distinguished_name.push(DnType::OrganizationName, group);
    let key = KeyPair::generate().unwrap();
    (params.serialize_request(&key).unwrap().pem().unwrap(), key.serialize_pem())
}

/// Reads an object until a field of it has a text, and returns that.
async fn until(address: SocketAddr, ca: &str, own: &Pair, path: &str, field: &str) -> String {
    loop {
        let (_, object) = send(address, ca, Some(own), &["GET ", path].concat(), "").await;
        match object.text_at(field) {
            "" => tokio::task::yield_now().await,
            text => return text.to_owned(),
        }
    }
}

#[tokio::test]
async fn a_certificate_that_was_asked_for_says_who_a_client_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kubeconfig");
    let controllers = Selection::parse_list("csrsigning,root-ca-cert-publisher").unwrap();
    let options = Options { tls: true, kubeconfig: Some(path.clone()), controllers, ..Options::default() };
    let (address, _stop, _running) = start_with(options).await;
    let (ca, _, admin) = read_kubeconfig(&path);
    let admin = admin.unwrap();
    let (pem, key) = request("jane", "dev");
    let spec = json!({
        "signerName": "kubernetes.io/kube-apiserver-client", "usages": ["client auth"],
        "request": golang::base64::encode(pem.as_bytes())
    });
    let line = format!("POST {REQUESTS} {}", json!({"metadata": {"name": "jane"}, "spec": spec}));
    let (code, mut object) = send(address, &ca, Some(&admin), &line, "").await;
    assert_eq!(code, 201, "{object}");
    object["status"] = json!({"conditions": [{"type": "Approved", "status": "True", "reason": "Because"}]});
    let line = format!("PUT {REQUESTS}/jane/approval {object}");
    assert_eq!(send(address, &ca, Some(&admin), &line, "").await.0, 200);
    let certificate = until(address, &ca, &admin, &[REQUESTS, "/jane"].concat(), "/status/certificate").await;
    let certificate = String::from_utf8(golang::base64::decode(&certificate).unwrap()).unwrap();
    let own = (certificate, key);
    let who = "POST /apis/authentication.k8s.io/v1/selfsubjectreviews {}";
    let (code, review) = send(address, &ca, Some(&own), who, "").await;
    assert_eq!((code, review.text_at("/status/userInfo/username")), (201, "jane"));
    assert_eq!(review["status"]["userInfo"]["groups"].to_string(), r#"["dev","system:authenticated"]"#);
    // What pods are to trust is the server's authority.
    let published = "/api/v1/namespaces/default/configmaps/kube-root-ca.crt";
    assert_eq!(until(address, &ca, &admin, published, "/data/ca.crt").await, ca);
}
