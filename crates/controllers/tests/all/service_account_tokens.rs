//! Secrets that hold the token of a service account.

use std::sync::Arc;

use apiserver::{Issuer, Unverified};
use controllers::{Options, TokenIssuer};
use json_tree::{Value, json};

use crate::cluster::Cluster;
use crate::cluster::pods::{JSON, MERGE};

const SECRETS: &str = "/api/v1/namespaces/default/secrets";
const ACCOUNTS: &str = "/api/v1/namespaces/default/serviceaccounts";

/// Signs nothing but says so.
struct Unsigned;

impl Issuer for Unsigned {
    fn name(&self) -> &str {
        "issuer"
    }

    fn header(&self) -> Value {
        json!({"alg": "none"})
    }

    fn sign(&self, _: &[u8]) -> Option<Vec<u8>> {
        Some(b"signature".to_vec())
    }

    fn verify(&self, _: &Value, _: &[u8], _: &[u8]) -> Result<(), Unverified> {
        Err(Unverified::Signature)
    }
}

/// A cluster with a service account `robot`.
fn cluster() -> Cluster {
    let issuer = Some(TokenIssuer(Arc::new(Unsigned)));
    let options = Options { issuer, root_ca: "CA".to_owned(), ..Options::default() };
    let mut cluster = Cluster::with_options(&["serviceaccount-token"], &options);
    cluster.send("POST", ACCOUNTS, &json!({"metadata": {"name": "robot"}}), JSON);
    cluster.settle();
    cluster
}

/// Creates the Secret of a service account.
fn create(cluster: &mut Cluster, name: &str, account: &str, data: &Value) {
    let metadata = json!({"name": name, "annotations": {"kubernetes.io/service-account.name": account}});
    let secret = json!({"metadata": metadata, "type": "kubernetes.io/service-account-token", "data": data});
    cluster.send("POST", SECRETS, &secret, JSON);
    cluster.settle();
}

fn secret(cluster: &Cluster, name: &str) -> Value {
    cluster.get(&[SECRETS, "/", name].concat())
}

fn decoded(value: &Value) -> String {
    let text = value.as_str().unwrap_or_default();
    String::from_utf8(golang::base64::decode(text).expect("Base64")).expect("a text")
}

#[test]
fn a_secret_gets_what_it_lacks() {
    let mut cluster = cluster();
    let uid = cluster.get(&[ACCOUNTS, "/robot"].concat())["metadata"]["uid"].clone();
    create(&mut cluster, "t", "robot", &json!({"mine": "AA==", "namespace": "ZWxzZQ=="}));
    let t = secret(&cluster, "t");
    let texts = ["ca.crt", "namespace"].map(|field| decoded(&t["data"][field]));
    // What is there stays.
    assert_eq!(texts, ["CA", "else"]);
    assert_eq!(t["data"]["mine"], "AA==");
    let token = decoded(&t["data"]["token"]);
    let parts: Vec<String> = token
        .split('.')
        .map(|part| String::from_utf8(golang::base64::decode_url(part).expect("Base64")).expect("a text"))
        .collect();
    let uid = uid.as_str().expect("it has a uid");
    let claims = format!(
        r#"{{"iss":"kubernetes/serviceaccount","kubernetes.io/serviceaccount/namespace":"default","kubernetes.io/serviceaccount/secret.name":"t","kubernetes.io/serviceaccount/service-account.name":"robot","kubernetes.io/serviceaccount/service-account.uid":"{uid}","sub":"system:serviceaccount:default:robot"}}"#
    );
    assert_eq!(parts, [r#"{"alg":"none"}"#, &claims, "signature"]);
    let annotations =
        json!({"kubernetes.io/service-account.name": "robot", "kubernetes.io/service-account.uid": uid});
    assert_eq!(t["metadata"]["annotations"], annotations);
    let managers = t["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    assert!(managers.iter().any(|entry| entry["manager"] == "kube-controller-manager"));
    // Another certificate is put right; the token stays.
    let path = [SECRETS, "/t"].concat();
    cluster.send("PATCH", &path, &json!({"data": {"ca.crt": "AA=="}}), MERGE);
    cluster.settle();
    let again = secret(&cluster, "t");
    assert_eq!(
        (decoded(&again["data"]["ca.crt"]), &again["data"]["token"]),
        ("CA".to_owned(), &t["data"]["token"])
    );
}

#[test]
fn a_secret_goes_with_its_account() {
    let mut cluster = cluster();
    create(&mut cluster, "t", "robot", &json!({}));
    create(&mut cluster, "none", "nobody", &json!({}));
    assert_eq!(secret(&cluster, "none")["code"], 404);
    assert_eq!(secret(&cluster, "t")["kind"], "Secret");
    cluster.send("DELETE", &[ACCOUNTS, "/robot"].concat(), &Value::Null, JSON);
    cluster.settle();
    assert_eq!(secret(&cluster, "t")["code"], 404);
}

#[test]
fn an_account_refers_to_no_secret_that_is_gone() {
    let mut cluster = cluster();
    create(&mut cluster, "t", "robot", &json!({}));
    let account = [ACCOUNTS, "/robot"].concat();
    let references = json!({"secrets": [{"name": "t"}, {"name": "other"}]});
    cluster.send("PATCH", &account, &references, MERGE);
    cluster.send("DELETE", &[SECRETS, "/t"].concat(), &Value::Null, JSON);
    cluster.settle();
    assert_eq!(cluster.get(&account)["secrets"], json!([{"name": "other"}]));
}

#[test]
fn other_secrets_are_left_alone() {
    let mut cluster = cluster();
    let annotations = json!({"kubernetes.io/service-account.name": "robot"});
    let opaque = json!({"metadata": {"name": "o", "annotations": annotations}, "type": "Opaque"});
    cluster.send("POST", SECRETS, &opaque, JSON);
    cluster.settle();
    assert_eq!(secret(&cluster, "o")["data"], Value::Null);
}
