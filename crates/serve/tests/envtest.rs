//! The programs that envtest starts: found by their names, given envtest's flags, and stopped by a signal.
#![cfg(unix)]

mod common;

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use common::raw;
use common::tls::{Authority, Pair, file, send};
use golang::base64::decode_url;
use json_tree::Value;
use rcgen::DnType;

/// The time after which a program that does not start has failed.
const PATIENCE: Duration = Duration::from_secs(20);

/// A program that is stopped when the test ends.
struct Program(Child);

impl Program {
    fn start(folder: &Path, name: &str, flags: &[String]) -> Self {
        let mut command = Command::new(folder.join(name));
        Self(command.args(flags).env_remove("KUBEGLASS_FLAGS").spawn().unwrap())
    }

    /// Asks it to stop, and returns its exit code.
    fn stop(mut self) -> Option<i32> {
        assert!(Command::new("kill").arg(self.0.id().to_string()).status().unwrap().success());
        self.0.wait().unwrap().code()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // One that was stopped is gone.
        let _ = self.0.kill();
    }
}

/// Returns an address that nobody listens on.
fn free() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// Waits until somebody listens at an address.
async fn listening(address: SocketAddr) {
    let begun = Instant::now();
    while tokio::net::TcpStream::connect(address).await.is_err() {
        assert!(begun.elapsed() < PATIENCE, "nobody listens on {address}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_suite_starts_both_uses_them_and_stops_them() {
    let folder = tempfile::tempdir().unwrap();
    let (assets, own) = (folder.path().join("assets"), folder.path());
    let installed = Command::new(env!("CARGO_BIN_EXE_kubeglass"));
    let output = { installed }.args(["envtest", "install"]).arg(&assets).output().unwrap();
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        format!("export KUBEBUILDER_ASSETS={}\n", assets.display())
    );

    let [etcd_at, at] = [free(), free()];
    let flag = |name: &str, value: &str| format!("--{name}={value}");
    let etcd = Program::start(
        &assets,
        "etcd",
        &[
            flag("listen-peer-urls", &format!("http://{}", free())),
            flag("listen-client-urls", &format!("http://{etcd_at}")),
            flag("advertise-client-urls", &format!("http://{etcd_at}")),
            flag("data-dir", &own.display().to_string()),
        ],
    );
    listening(etcd_at).await;
    let health = raw(etcd_at, "GET /health HTTP/1.1\r\nHost: e\r\nConnection: close\r\n\r\n").await;
    assert!(health.starts_with("HTTP/1.1 200 OK") && health.ends_with(r#"{"health":"true","reason":""}"#));
    let missing = raw(etcd_at, "GET /v3 HTTP/1.1\r\nHost: e\r\nConnection: close\r\n\r\n").await;
    assert!(missing.starts_with("HTTP/1.1 404"));

    let (servers, clients) = (Authority::new("servers"), Authority::new("clients"));
    let (certificate, key) = servers.sign(&[(DnType::CommonName, "localhost")], &["localhost"]);
    file(own, "apiserver.crt", &certificate);
    file(own, "apiserver.key", &key);
    let ca = file(own, "client-cert-auth-ca.crt", &clients.pem);
    let keys = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/keys");
    let issuer = format!("https://{at}/");
    let server = Program::start(
        &assets,
        "kube-apiserver",
        &[
            flag("allow-privileged", "true"),
            flag("authorization-mode", "RBAC"),
            flag("bind-address", "127.0.0.1"),
            flag("cert-dir", &own.display().to_string()),
            flag("client-ca-file", &ca.display().to_string()),
            flag("disable-admission-plugins", "ServiceAccount"),
            flag("etcd-servers", &format!("http://{etcd_at}")),
            flag("secure-port", &at.port().to_string()),
            flag("service-account-issuer", &issuer),
            flag("service-account-key-file", &keys.join("p256.crt").display().to_string()),
            flag("service-account-signing-key-file", &keys.join("p256.pem").display().to_string()),
            flag("service-cluster-ip-range", "10.0.0.0/24"),
        ],
    );
    listening(at).await;
    let admin =
        clients.sign(&[(DnType::CommonName, "admin"), (DnType::OrganizationName, "system:masters")], &[]);
    let call =
        async |own: Option<&Pair>, line: &str, header: &str| send(at, &servers.pem, own, line, header).await;
    assert_eq!(call(None, "GET /healthz", "").await.0, 200);
    assert_eq!(call(None, "GET /api/v1/namespaces", "").await.0, 403);
    let accounts = "/api/v1/namespaces/default/serviceaccounts";
    let robot = format!("POST {accounts} {{\"metadata\": {{\"name\": \"robot\"}}}}");
    assert_eq!(call(Some(&admin), &robot, "").await.0, 201);

    // A token of a service account, whose signature the public keys explain.
    let (code, made) =
        call(Some(&admin), &format!("POST {accounts}/robot/token {{\"spec\": {{}}}}"), "").await;
    let token = made["status"]["token"].as_str().unwrap_or_default();
    let part = |number: usize| -> Value {
        serde_json::from_slice(&decode_url(token.split('.').nth(number).unwrap()).unwrap()).unwrap()
    };
    assert_eq!((code, &part(0)["alg"], &part(1)["iss"]), (201, &"ES256".into(), &issuer.as_str().into()));
    let (_, keys) = call(Some(&admin), "GET /openid/v1/jwks", "").await;
    assert_eq!(keys["keys"][0]["kid"], part(0)["kid"]);
    let (_, about) = call(Some(&admin), "GET /.well-known/openid-configuration", "").await;
    assert_eq!(about["issuer"], issuer.as_str());
    assert_eq!(about["jwks_uri"], format!("https://{at}/openid/v1/jwks"));
    assert_eq!(about["id_token_signing_alg_values_supported"][0], "ES256");
    let bearer = format!("Authorization: Bearer {token}\r\n");
    let (code, who) = call(None, "POST /apis/authentication.k8s.io/v1/selfsubjectreviews {}", &bearer).await;
    assert_eq!(
        (code, who["status"]["userInfo"]["username"].as_str()),
        (201, Some("system:serviceaccount:default:robot"))
    );
    let (head, _) = token.rsplit_once('.').unwrap();
    let forged = format!("Authorization: Bearer {head}.AAAA\r\n");
    assert_eq!(call(None, "GET /version", &forged).await.0, 401);

    // What --allow-privileged allows.
    let pod = r#"{"metadata": {"name": "p"}, "spec": {"containers": [
        {"name": "c", "image": "i", "securityContext": {"privileged": true}}
    ]}}"#;
    let pod = pod.replace('\n', "");
    assert_eq!(call(Some(&admin), &format!("POST /api/v1/namespaces/default/pods {pod}"), "").await.0, 201);

    assert_eq!((server.stop(), etcd.stop()), (Some(0), Some(0)));
}

#[test]
fn wrong_flags_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    serve::envtest::install(Path::new(env!("CARGO_BIN_EXE_kubeglass")), folder.path()).unwrap();
    let run = |name: &str, flag: &str| {
        let output = Command::new(folder.path().join(name)).arg(flag).output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    for (name, flag, expected) in [
        ("kube-apiserver", "--oops", "there is no option \"--oops\""),
        ("kube-apiserver", "--authorization-config=a", "--authorization-config cannot be used: "),
        ("etcd", "oops", "\"oops\" is no flag of etcd"),
    ] {
        let (code, out, err) = run(name, flag);
        assert_eq!((code, out.as_str()), (Some(1), ""));
        assert!(err.starts_with(&format!("kubeglass: {expected}")), "{err}");
    }
    for (name, expected) in [("kube-apiserver", "--secure-port"), ("etcd", "--listen-client-urls")] {
        let (code, out, _) = run(name, "--help");
        assert!(code == Some(0) && out.lines().any(|line| line.trim_start().starts_with(expected)), "{out}");
    }
}
