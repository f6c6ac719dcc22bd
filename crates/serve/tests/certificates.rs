//! A client that asks for its certificate: somebody approves, and the server signs.

mod common;

use common::start_with;
use common::tls::{Pair, send};
use controllers::Selection;
use json_tree::{Value, json};
use rcgen::{CertificateParams, DnType, KeyPair};
use serve::Options;

const REQUESTS: &str = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

/// Reads the certificate of the server's authority, and that of its administrator, of a kubeconfig.
fn read_kubeconfig(path: &std::path::Path) -> (String, Pair) {
    let config: Value = serde_yaml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let text = |pointer: &str| {
        let text = config.pointer(pointer).unwrap().as_str().unwrap();
        String::from_utf8(golang::base64::decode(text).unwrap()).unwrap()
    };
    let user = |key: &str| text(&format!("/users/0/user/{key}"));
    (
        text("/clusters/0/cluster/certificate-authority-data"),
        (user("client-certificate-data"), user("client-key-data")),
    )
}

/// Makes a key, and a request in PEM for the certificate of a user in a group.
fn request(name: &str, group: &str) -> (String, String) {
    let mut params = CertificateParams::default();
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    params.distinguished_name.push(DnType::OrganizationName, group);
    let key = KeyPair::generate().unwrap();
    (params.serialize_request(&key).unwrap().pem().unwrap(), key.serialize_pem())
}

#[tokio::test]
async fn a_certificate_that_was_asked_for_says_who_a_client_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kubeconfig");
    let controllers = Selection::parse_list("csrsigning,root-ca-cert-publisher").unwrap();
    let options = Options { tls: true, kubeconfig: Some(path.clone()), controllers, ..Options::default() };
    let (address, _stop, _running) = start_with(options).await;
    let (ca, admin) = read_kubeconfig(&path);
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
    let line = format!("GET {REQUESTS}/jane");
    let certificate = loop {
        let (_, object) = send(address, &ca, Some(&admin), &line, "").await;
        let text = object.text_at("/status/certificate").to_owned();
        if !text.is_empty() {
            break String::from_utf8(golang::base64::decode(&text).unwrap()).unwrap();
        }
        tokio::task::yield_now().await;
    };
    let own = (certificate, key);
    let who = "POST /apis/authentication.k8s.io/v1/selfsubjectreviews {}";
    let (code, review) = send(address, &ca, Some(&own), who, "").await;
    assert_eq!((code, review.text_at("/status/userInfo/username")), (201, "jane"));
    assert_eq!(review["status"]["userInfo"]["groups"].to_string(), r#"["dev","system:authenticated"]"#);
    // What pods are to trust is the server's authority.
    let (_, published) =
        send(address, &ca, Some(&admin), "GET /api/v1/namespaces/default/configmaps/kube-root-ca.crt", "")
            .await;
    assert_eq!(published.text_at("/data/ca.crt"), ca);
}
