//! The audit log of a server, in a file.

mod common;

use std::fs;
use std::path::Path;

use common::{raw, start_with, token_file};
use serve::{Error, Options, Server, audit};

const POLICY: &str = "\
apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- level: None
  nonResourceURLs: [/livez]
- level: RequestResponse
";

/// Options of a server that logs into `folder`, with this policy.
fn options(folder: &Path, policy: &str) -> Options {
    let (file, path) = (folder.join("policy.yaml"), Some(folder.join("logs/audit.log")));
    fs::write(&file, policy).unwrap();
    Options {
        audit: audit::Options { policy: Some(file), path, ..audit::Options::default() },
        ..Options::default()
    }
}

#[tokio::test]
async fn events_are_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let (_file, tokens) = token_file("t,alice,1,\"system:masters\"\n");
    let options = Options { token_file: Some(tokens), ..options(folder.path(), POLICY) };
    let (address, ..) = start_with(options).await;
    let maps = "/api/v1/namespaces/default/configmaps";
    let send = |line: String, headers: &str, body: &str| {
        let length = body.len();
        let head = format!(
            "{line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}"
        );
        let request = format!("{head}\r\n{body}");
        async move { raw(address, &request).await }
    };
    let token = "Authorization: Bearer t\r\nUser-Agent: test\r\nAudit-ID: 7\r\n";
    let json = format!("{token}Content-Type: application/json\r\nX-Forwarded-For: 10.0.0.1\r\n");
    assert!(send("GET /livez".to_owned(), token, "").await.contains("\r\nAudit-Id: 7\r\n"));
    assert!(
        send(format!("POST {maps}"), &json, r#"{"metadata":{"name":"a"}}"#)
            .await
            .starts_with("HTTP/1.1 201 ")
    );
    assert!(send(format!("GET {maps}/a"), "", "").await.starts_with("HTTP/1.1 403 "));
    let text = fs::read_to_string(folder.path().join("logs/audit.log")).unwrap();
    let events: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told = events.iter().map(|event| {
        let text = |pointer: &str| event.pointer(pointer).map(ToString::to_string).unwrap_or_default();
        ["/auditID", "/stage", "/user/username", "/sourceIPs", "/responseStatus/code"].map(text).join(" ")
    });
    let told: Vec<String> = told.collect();
    let ips = r#"["10.0.0.1","127.0.0.1"]"#;
    assert_eq!(told[0], format!(r#""7" "RequestReceived" "alice" {ips} "#));
    assert_eq!(told[1], format!(r#""7" "ResponseComplete" "alice" {ips} 201"#));
    assert!(told[2].ends_with(r#" "RequestReceived" "system:anonymous" ["127.0.0.1"] "#), "{}", told[2]);
    assert!(told[3].ends_with(r#" "ResponseComplete" "system:anonymous" ["127.0.0.1"] 403"#), "{}", told[3]);
    assert_eq!(told.len(), 4);
    assert_eq!(events[1]["responseObject"]["metadata"]["name"], "a");
}

#[tokio::test]
async fn a_server_with_a_wrong_policy_does_not_start() {
    let folder = tempfile::tempdir().unwrap();
    let start = async |options: Options| {
        let options = Options { listen: "127.0.0.1:0".to_owned(), ..options };
        match Server::bind(&options).await {
            Err(Error::Audit(error)) => error.to_string(),
            Err(error) => panic!("{error}"),
            Ok(server) => server.warnings().join("\n"),
        }
    };
    let place = folder.path().join("policy.yaml").display().to_string();
    let wrong = start(options(folder.path(), &POLICY.replace("RequestResponse", "All"))).await;
    let expected = format!(
        "loading audit policy file: rules[1].level: Unsupported value: \"All\": supported values: \"None\", \"Metadata\", \"Request\", \
         \"RequestResponse\": from file {place}"
    );
    assert_eq!(wrong, expected);
    let unknown = start(options(folder.path(), &[POLICY, "foo: 1\n"].concat())).await;
    assert!(unknown.ends_with("strict decoding error: unknown field \"foo\""), "{unknown}");
    let mut missing = options(folder.path(), POLICY);
    missing.audit.policy = Some("/nowhere/policy".into());
    let why = start(missing).await;
    let expected = "loading audit policy file: failed to read file path \"/nowhere/policy\": ";
    assert!(why.starts_with(expected), "{why}");
    let mut log = options(folder.path(), POLICY);
    log.audit.path = Some(folder.path().into());
    let why = start(log).await;
    assert!(
        why.starts_with(&format!("the audit log {} cannot be written: ", folder.path().display())),
        "{why}"
    );
}
