//! TLS over real sockets: certificates of the server and of its clients, and what a kubeconfig lets its owner do.

mod common;

use std::path::Path;

use common::tls::{Authority, connect, file, read_kubeconfig, send};
use common::{raw, start_with, token_file};
use json_tree::Value;
use rcgen::DnType;
use serve::{Options, Server};

const WHO: &str = "POST /apis/authentication.k8s.io/v1/selfsubjectreviews {}";

#[tokio::test]
async fn a_kubeconfig_lets_its_owner_do_everything() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kubeconfig");
    let options = Options { tls: true, kubeconfig: Some(path.clone()), ..Options::default() };
    let (address, _stop, _running) = start_with(options).await;
    let (ca, url, own) = read_kubeconfig(&path);
    assert_eq!(url, format!("https://{address}"));
    let (code, review) = send(address, &ca, own.as_ref(), WHO, "").await;
    let user = &review["status"]["userInfo"];
    let groups = serde_json::json!(["system:masters", "system:authenticated"]);
    assert_eq!((code, &user["username"]), (201, &Value::from("kubernetes-admin")));
    assert_eq!(user["groups"].to_string(), groups.to_string());
    let id = user["extra"]["authentication.kubernetes.io/credential-id"][0].as_str().unwrap();
    assert!(id.starts_with("X509SHA256=") && id.len() == 75, "{id}");
    let (code, _) = send(address, &ca, own.as_ref(), "GET /api/v1/secrets", "").await;
    assert_eq!(code, 200);
    // Without it they are nobody.
    let (code, status) = send(address, &ca, None, "GET /api/v1/secrets", "").await;
    assert_eq!((code, &status["reason"]), (403, &Value::from("Forbidden")));
    assert!(status["message"].as_str().unwrap().contains("\"system:anonymous\""));
    let (code, _) = send(address, &ca, None, "GET /version", "").await;
    assert_eq!(code, 200);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[tokio::test]
async fn certificates_of_given_authorities_say_who_a_client_is() {
    let folder = tempfile::tempdir().unwrap();
    let (servers, clients, others) =
        (Authority::new("servers"), Authority::new("clients"), Authority::new("others"));
    let (certificate, key) = servers.sign(&[(DnType::CommonName, "lab")], &["localhost"]);
    let (_kept, tokens) = token_file("secret,ann,1,\"dev\"\n");
    let options = Options {
        tls_files: Some((file(folder.path(), "tls.crt", &certificate), file(folder.path(), "tls.key", &key))),
        client_ca_file: Some(file(folder.path(), "ca.crt", &clients.pem)),
        token_file: Some(tokens),
        ..Options::default()
    };
    let (address, _stop, _running) = start_with(options).await;
    let uid = || DnType::CustomDnType(vec![1, 3, 6, 1, 4, 1, 57683, 2]);
    let (name, group) = (|| DnType::CommonName, || DnType::OrganizationName);
    let bob = clients.sign(&[(name(), "bob"), (group(), "ops"), (uid(), "u-7")], &[]);
    let nobody = clients.sign(&[(group(), "ops")], &[]);
    let no_uid = clients.sign(&[(name(), "bob"), (uid(), "")], &[]);
    let foreign = others.sign(&[(name(), "bob"), (group(), "system:masters")], &[]);
    let (good, bad) = ("Authorization: Bearer secret\r\n", "Authorization: Bearer wrong\r\n");
    for (own, header, expected) in [
        (None, "", "system:anonymous  system:unauthenticated"),
        (None, good, "ann 1 dev,system:authenticated"),
        (None, bad, "401"),
        (Some(&bob), "", "bob u-7 ops,system:authenticated"),
        (Some(&bob), good, "bob u-7 ops,system:authenticated"),
        (Some(&bob), bad, "bob u-7 ops,system:authenticated"),
        (Some(&nobody), "", "system:anonymous  system:unauthenticated"),
        (Some(&nobody), good, "ann 1 dev,system:authenticated"),
        (Some(&no_uid), "", "401"),
        (Some(&foreign), "", "401"),
        (Some(&foreign), good, "ann 1 dev,system:authenticated"),
        (Some(&foreign), bad, "401"),
    ] {
        let (code, review) = send(address, &servers.pem, own, WHO, header).await;
        let user = &review["status"]["userInfo"];
        let text = |key: &str| user[key].as_str().unwrap_or_default().to_owned();
        let groups = user["groups"].as_array().map(Vec::as_slice).unwrap_or_default();
        let groups: Vec<&str> = groups.iter().filter_map(Value::as_str).collect();
        let who = format!("{} {} {}", text("username"), text("uid"), groups.join(","));
        let found = match code {
            201 => who,
            403 => "system:anonymous  system:unauthenticated".to_owned(),
            code => code.to_string(),
        };
        assert_eq!(found, expected, "{header:?} {review:?}");
    }
}

#[tokio::test]
async fn clients_choose_the_protocol_and_know_the_server_by_several_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kubeconfig");
    let options = Options {
        tls: true,
        tls_names: vec!["lab.example".to_owned()],
        service_range: "10.32.0.0/24".parse().unwrap(),
        kubeconfig: Some(path.clone()),
        ..Options::default()
    };
    let (address, _stop, _running) = start_with(options).await;
    let (ca, ..) = read_kubeconfig(&path);
    for (offered, expected) in
        [(&["h2", "http/1.1"][..], Some("h2")), (&["http/1.1"], Some("http/1.1")), (&[], None)]
    {
        let stream = connect(address, "localhost", &ca, None, offered).await.unwrap();
        assert_eq!(stream.get_ref().1.alpn_protocol(), expected.map(str::as_bytes));
    }
    for name in ["127.0.0.1", "kubernetes.default.svc", "10.32.0.1", "lab.example"] {
        assert!(connect(address, name, &ca, None, &[]).await.is_some(), "{name}");
    }
    assert!(connect(address, "other.example", &ca, None, &[]).await.is_none());
    assert!(connect(address, "localhost", &Authority::new("other").pem, None, &[]).await.is_none());
}

#[tokio::test]
async fn http_without_tls_is_told_so() {
    let options = Options { tls: true, ..Options::default() };
    let (address, _stop, _running) = start_with(options).await;
    let answer = raw(address, "GET /api HTTP/1.1\r\nHost: lab\r\n\r\n").await;
    assert_eq!(answer, "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n");
    // What is neither gets an alert: "decode error".
    assert_eq!(raw(address, "\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}").await, "\u{15}\u{3}\u{3}\0\u{2}\u{2}2");
}

#[tokio::test]
async fn wrong_files_are_told_before_it_listens() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| file(folder.path(), name, text);
    let authority = Authority::new("a");
    let (certificate, key) = authority.sign(&[(DnType::CommonName, "lab")], &["localhost"]);
    let (_, other) = authority.sign(&[(DnType::CommonName, "lab")], &["localhost"]);
    let (certificate, key, other) = (write("c", &certificate), write("k", &key), write("o", &other));
    let (empty, missing) = (write("e", "nothing\n"), folder.path().join("missing"));
    let pair = |certificate: &Path, key: &Path| {
        let tls_files = Some((certificate.to_owned(), key.to_owned()));
        Options { tls_files, ..Options::default() }
    };
    let with_ca =
        |path: &Path| Options { tls: true, client_ca_file: Some(path.to_owned()), ..Options::default() };
    let kubeconfig =
        |path: &Path| Options { tls: true, kubeconfig: Some(path.to_owned()), ..Options::default() };
    for (options, expected) in [
        (pair(&missing, &key), "cannot use DIR/missing: "),
        (pair(&empty, &key), "cannot use DIR/e: it has no certificate in PEM"),
        (pair(&certificate, &empty), "cannot use DIR/e: "),
        (pair(&certificate, &other), "the key in DIR/o is not that of the certificate in DIR/c: "),
        (with_ca(&empty), "cannot use DIR/e: it has no certificate in PEM"),
        (with_ca(&missing), "cannot use DIR/missing: "),
        (kubeconfig(&key), "DIR/k is there already and not written by kubeglass"),
        (kubeconfig(&folder.path().join("no/where")), "cannot write DIR/no/where: "),
    ] {
        let options = Options { listen: "127.0.0.1:0".to_owned(), ..options };
        let Err(error) = Server::bind(&options).await else { panic!("{expected}: it starts") };
        let found = error.to_string().replace(&folder.path().display().to_string(), "DIR");
        assert!(found.starts_with(expected), "{found}");
    }
    // What it has written it overwrites, without TLS as well.
    let path = folder.path().join("kubeconfig");
    for tls in [true, false] {
        let options = Options { tls, kubeconfig: Some(path.clone()), ..Options::default() };
        let (address, _stop, _running) = start_with(options).await;
        let (ca, url, own) = read_kubeconfig(&path);
        assert_eq!(url, format!("{}://{address}", if tls { "https" } else { "http" }));
        assert_eq!((ca.is_empty(), own.is_none()), (!tls, !tls));
    }
}
