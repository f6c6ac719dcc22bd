//! Requests for certificates, which are approved, signed, and deleted when they are old.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use controllers::{CertificateTerms, Options, Signer};
use json_tree::{Value, json};

use crate::cluster::Cluster;
use crate::cluster::pods::JSON;

const REQUESTS: &str = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const CONTROLLERS: [&str; 3] = ["csrapproving", "csrsigning", "csrcleaner"];

/// The certificates that an authority was asked for: the usages, and the time for which a certificate is to be good.
#[derive(Debug, Default)]
struct Asked(Mutex<Vec<(String, Duration)>>);

impl Signer for Asked {
    fn sign(&self, request: &[u8], terms: &CertificateTerms<'_>) -> Result<String, String> {
        assert!(!request.is_empty());
        let (begin, end) = terms.times;
        self.0.lock().unwrap().push((terms.usages.join(", "), end - begin));
        // It has the shape of one.
        Ok(golang::pem::encode("CERTIFICATE", &[0x30, 0x02, 0x30, 0x00]))
    }
}

fn cluster() -> (Cluster, Arc<Asked>) {
    let asked = Arc::new(Asked::default());
    let options = Options { signer: Some(Arc::clone(&asked) as _), ..Options::default() };
    let mut cluster = Cluster::with_options(&CONTROLLERS, &options);
    cluster.settle();
    (cluster, asked)
}

/// An element of DER with this tag.
fn tlv(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    [&[tag, u8::try_from(content.len()).unwrap()], content.as_slice()].concat()
}

/// Returns a request for a certificate with a subject. Nobody has signed it.
fn request(name: &str, organization: &str) -> String {
    let of = |kind: u8, text: &str| {
        tlv(0x31, &[&tlv(0x30, &[&tlv(0x06, &[&[0x55, 0x04, kind]]), &tlv(0x0c, &[text.as_bytes()])])])
    };
    let algorithm = tlv(0x30, &[&tlv(0x06, &[&[0x2b, 0x65, 0x70]])]);
    let bits = tlv(0x03, &[&[0, 1]]);
    let subject = tlv(0x30, &[&of(0x0a, organization), &of(0x03, name)]);
    let key = tlv(0x30, &[&algorithm, &bits]);
    let info = tlv(0x30, &[&tlv(0x02, &[&[0]]), &subject, &key, &tlv(0xa0, &[])]);
    let der = tlv(0x30, &[&info, &algorithm, &bits]);
    golang::base64::encode(golang::pem::encode("CERTIFICATE REQUEST", &der).as_bytes())
}

fn create(cluster: &mut Cluster, name: &str, signer: &str, request: &str, usages: &[&str]) {
    let spec = json!({
        "signerName": ["kubernetes.io/", signer].concat(), "request": request, "expirationSeconds": 3600,
        "usages": usages.iter().map(|usage| Value::from(*usage)).collect::<Vec<_>>()
    });
    cluster.send("POST", REQUESTS, &json!({"metadata": {"name": name}, "spec": spec}), JSON);
    cluster.settle();
}

fn decide(cluster: &mut Cluster, name: &str, kind: &str) {
    let path = [REQUESTS, "/", name].concat();
    let mut object = cluster.get(&path);
    let condition =
        json!({"type": kind, "status": "True", "reason": "Because", "message": "Somebody says so."});
    object["status"] = json!({"conditions": [condition]});
    cluster.send("PUT", &[&path, "/approval"].concat(), &object, JSON);
    cluster.settle();
}

/// Tells the conditions of a request with their reasons, and whether it is issued.
fn line(cluster: &Cluster, name: &str) -> String {
    let object = cluster.get(&[REQUESTS, "/", name].concat());
    let conditions = object.pointer("/status/conditions").and_then(Value::as_array);
    let conditions = conditions.into_iter().flatten();
    let mut line: Vec<String> =
        conditions.map(|one| [one.text("type"), " (", one.text("reason"), ")"].concat()).collect();
    if !object.text_at("/status/certificate").is_empty() {
        line.push("issued".to_owned());
    }
    line.join(", ")
}

#[test]
fn an_approved_request_is_signed() {
    let (mut cluster, asked) = cluster();
    let usages = ["digital signature", "client auth"];
    create(&mut cluster, "jane", "kube-apiserver-client", &request("jane", "dev"), &usages);
    assert_eq!(line(&cluster, "jane"), "");
    decide(&mut cluster, "jane", "Approved");
    assert_eq!(line(&cluster, "jane"), "Approved (Because), issued");
    let all = asked.0.lock().unwrap();
    assert_eq!(*all, [("digital signature, client auth".to_owned(), Duration::from_secs(3600 + 300))]);
}

#[test]
fn a_denied_request_and_one_of_another_signer_are_not() {
    let (mut cluster, asked) = cluster();
    create(&mut cluster, "denied", "kube-apiserver-client", &request("jane", "dev"), &["client auth"]);
    decide(&mut cluster, "denied", "Denied");
    let spec = json!({"signerName": "example.com/own", "request": request("jane", "dev"), "usages": ["client auth"]});
    cluster.send("POST", REQUESTS, &json!({"metadata": {"name": "other"}, "spec": spec}), JSON);
    decide(&mut cluster, "other", "Approved");
    assert_eq!(line(&cluster, "denied"), "Denied (Because)");
    assert_eq!(line(&cluster, "other"), "Approved (Because)");
    assert!(asked.0.lock().unwrap().is_empty());
}

#[test]
fn a_request_that_its_signer_does_not_take_fails() {
    let (mut cluster, asked) = cluster();
    create(&mut cluster, "server", "kube-apiserver-client", &request("jane", "dev"), &["server auth"]);
    decide(&mut cluster, "server", "Approved");
    assert_eq!(line(&cluster, "server"), "Approved (Because), Failed (SignerValidationFailure)");
    let object = cluster.get(&[REQUESTS, "/server"].concat());
    let message = object.text_at("/status/conditions/1/message");
    assert_eq!(message, "invalid usage for client certificate: server auth");
    assert!(asked.0.lock().unwrap().is_empty());
}

#[test]
fn a_kubelet_that_may_gets_its_certificate_by_itself() {
    let (mut cluster, _) = cluster();
    let usages = ["digital signature", "client auth"];
    let signer = "kube-apiserver-client-kubelet";
    create(&mut cluster, "node-1", signer, &request("system:node:node-1", "system:nodes"), &usages);
    create(&mut cluster, "jane", signer, &request("jane", "dev"), &usages);
    // Tests act as a member of system:masters.
    let expected = "Approved (AutoApproved), issued";
    assert_eq!(line(&cluster, "node-1"), expected);
    let object = cluster.get(&[REQUESTS, "/node-1"].concat());
    let message = object.text_at("/status/conditions/0/message");
    assert_eq!(message, "Auto approving kubelet client certificate after SubjectAccessReview.");
    assert_eq!(line(&cluster, "jane"), "");
}

#[test]
fn old_requests_go() {
    let (mut cluster, _) = cluster();
    create(&mut cluster, "signed", "kube-apiserver-client", &request("jane", "dev"), &["client auth"]);
    decide(&mut cluster, "signed", "Approved");
    create(&mut cluster, "pending", "kube-apiserver-client", &request("jane", "dev"), &["client auth"]);
    let names = |cluster: &Cluster| {
        let all = cluster.get(REQUESTS)["items"].as_array().unwrap().clone();
        all.iter().map(|one| one.text_at("/metadata/name").to_owned()).collect::<Vec<_>>().join(" ")
    };
    cluster.wait(Duration::from_secs(59 * 60));
    assert_eq!(names(&cluster), "pending signed");
    cluster.wait(Duration::from_secs(2 * 3600));
    assert_eq!(names(&cluster), "pending");
    cluster.wait(Duration::from_secs(23 * 3600));
    assert_eq!(names(&cluster), "");
    cluster.wait(Duration::from_secs(3600));
    assert_eq!(cluster.manager.next_due(), None);
}

#[test]
fn where_nobody_signs_it_stays_approved() {
    let mut cluster = Cluster::with(&CONTROLLERS);
    create(&mut cluster, "jane", "kube-apiserver-client", &request("jane", "dev"), &["client auth"]);
    decide(&mut cluster, "jane", "Approved");
    assert_eq!(line(&cluster, "jane"), "Approved (Because)");
}
