//! An aggregated API server behind another one, over real sockets.

mod common;

use std::net::SocketAddr;

use common::{raw, start_with};
use json_tree::{Value, json};
use serve::{Options, ServiceAddress};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const SERVICES: &str = "/apis/apiregistration.k8s.io/v1/apiservices";

/// Sends `METHOD PATH BODY`; returns the status and the body of the response.
async fn send(address: SocketAddr, line: &str) -> (u16, Value) {
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
    let body = if head.contains("Transfer-Encoding: chunked") { dechunked(body) } else { body.to_owned() };
    (code, serde_json::from_str(&body).unwrap_or(Value::String(body)))
}

/// Opens a watch, and reads until it has told this.
async fn until(address: SocketAddr, path: &str, text: &str) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes()).await.unwrap();
    let mut told = Vec::new();
    while !String::from_utf8_lossy(&told).contains(text) {
        assert!(
            stream.read_buf(&mut told).await.unwrap() > 0,
            "{path} ends: {}",
            String::from_utf8_lossy(&told)
        );
    }
}

/// Puts the chunks of a body together.
fn dechunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        whole.push_str(&rest[..size]);
        body = &rest[(size + 2).min(rest.len())..];
    }
    whole
}

#[tokio::test]
async fn another_server_serves_a_group() {
    // The other server has `apps` itself; it is told of as if it were another group's.
    let (other, _stop, _running) = start_with(Options { tls: true, ..Options::default() }).await;
    let service = ServiceAddress {
        namespace: "default".to_owned(),
        name: "other".to_owned(),
        port: None,
        address: other.to_string(),
    };
    let options = Options { service_addresses: vec![service], ..Options::default() };
    let (address, _stop, _running) = start_with(options).await;
    let port = json!({ "metadata": { "name": "other" }, "spec": { "type": "ExternalName", "externalName": "localhost" } });
    let (code, body) = send(address, &format!("POST /api/v1/namespaces/default/services {port}")).await;
    assert_eq!(code, 201, "{body}");
    assert_eq!(send(address, &format!("DELETE {SERVICES}/v1.apps")).await.0, 200);
    let registered = json!({ "metadata": { "name": "v1.apps" }, "spec": {
        "group": "apps", "version": "v1", "groupPriorityMinimum": 17_800, "versionPriority": 15,
        "insecureSkipTLSVerify": true, "service": { "namespace": "default", "name": "other" },
    }});
    let (code, body) = send(address, &format!("POST {SERVICES} {registered}")).await;
    assert_eq!(code, 201, "{body}");
    until(address, &format!("{SERVICES}?watch=1&fieldSelector=metadata.name%3Dv1.apps"), "all checks passed")
        .await;
    // What is created by the one is in the other.
    let sets = "/apis/apps/v1/namespaces/default/controllerrevisions";
    let revision = json!({ "metadata": { "name": "a" }, "revision": 1, "data": {} });
    let (code, body) = send(address, &format!("POST {sets} {revision}")).await;
    assert_eq!((code, &body["kind"]), (201, &json!("ControllerRevision")), "{body}");
    let (_, list) = send(address, &format!("GET {sets}")).await;
    assert_eq!(list["items"][0]["metadata"]["name"], "a");
    // A watch is a stream.
    until(address, &format!("{sets}?watch=1&resourceVersion=0"), "\"ADDED\"").await;
    // It says where it fails, and is not trusted without reason.
    let trusting = json!({ "insecureSkipTLSVerify": false });
    let (code, _) = send(address, &format!("PATCH {SERVICES}/v1.apps {{\"spec\": {trusting}}}")).await;
    assert_eq!(code, 200);
    let (code, body) = send(address, &format!("GET {sets}")).await;
    let why =
        "error trying to reach service: tls: failed to verify certificate: x509: certificate is valid for";
    let shown = body.as_str().unwrap_or_default();
    assert!(code == 503 && (shown.starts_with(why) || shown == "service unavailable\n"), "{code} {body}");
}
