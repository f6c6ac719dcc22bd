//! Runs commands in containers, attaches to them and connects to their ports, through the API server.

use std::time::Duration;

use crate::cluster::Cluster;
use crate::cluster::pods::{JSON, PODS, cluster, make_pod, milliseconds};
use apiserver::{Body, Framing};
use bytes::Bytes;
use futures::channel::mpsc::{UnboundedSender, unbounded};
use futures::executor::block_on;
use futures::{FutureExt, Stream, StreamExt};
use http::Request;
use json_tree::{Value, json};

pub(crate) const V5: &str = "v5.channel.k8s.io";
const V4: &str = "v4.channel.k8s.io";

/// A connection, from its client's side.
pub(crate) struct Connection {
    sender: Option<UnboundedSender<Bytes>>,
    received: std::pin::Pin<Box<dyn Stream<Item = Bytes> + Send>>,
}

impl Connection {
    /// Sends a message.
    fn send(&self, message: &[u8]) {
        let sender = self.sender.as_ref().expect("the client is there");
        sender.unbounded_send(Bytes::copy_from_slice(message)).expect("somebody listens");
    }

    /// Goes away.
    fn leave(&mut self) {
        self.sender = None;
    }

    /// Takes the messages that there are, each with the number of its channel, and whether there will be more.
    pub(crate) fn take(&mut self) -> (String, bool) {
        let mut text = String::new();
        loop {
            match self.received.next().now_or_never() {
                None => return (text, true),
                Some(None) => return (text, false),
                Some(Some(message)) => {
                    text += &format!("{}:{}|", message[0], String::from_utf8_lossy(&message[1..]));
                }
            }
        }
    }
}

/// Asks for a connection in a subprotocol.
pub(crate) fn connect(cluster: &Cluster, path: &str, protocol: &str) -> Result<Connection, (u16, String)> {
    let request = Request::get(format!("{PODS}/{path}"))
        .header("Connection", "Upgrade")
        .header("Upgrade", "websocket")
        .header("Sec-WebSocket-Protocol", protocol);
    let (head, body) = block_on(cluster.server.call(request.body(Bytes::new()).unwrap())).into_parts();
    match body {
        Body::Upgrade(upgrade) => {
            assert_eq!(head.status.as_u16(), 101);
            assert_eq!((upgrade.protocol, upgrade.framing), (protocol, Framing::Binary));
            let (sender, receiver) = unbounded();
            Ok(Connection { sender: Some(sender), received: (upgrade.peer)(Box::pin(receiver)) })
        }
        Body::Bytes(bytes) => {
            let status: Value = serde_json::from_slice(&bytes).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes);
            let message = status.get("message").map_or(&*text, |message| message.as_text());
            Err((head.status.as_u16(), message.to_owned()))
        }
        body => panic!("{body:?}"),
    }
}

/// Makes a cluster with a pod that runs, and mounts what there is.
fn running() -> Cluster {
    let mut cluster = cluster(1);
    let map = json!({"metadata": {"name": "conf"}, "data": {"color": "blue"}});
    cluster.send("POST", "/api/v1/namespaces/default/configmaps", &map, JSON);
    let secret = json!({"metadata": {"name": "key"}, "stringData": {"password": "secret"}});
    cluster.send("POST", "/api/v1/namespaces/default/secrets", &secret, JSON);
    let more = json!({
        "containers": [{
            "name": "c",
            "image": "nginx:1.29",
            "ports": [{"containerPort": 80}],
            "env": [{"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "key", "key": "password"}}}],
            "volumeMounts": [{"name": "v", "mountPath": "/etc/conf"}]
        }],
        "volumes": [{"name": "v", "configMap": {"name": "conf"}}]
    });
    make_pod(&cluster, "p", "log tick every 1s", &more);
    cluster.wait(Duration::from_secs(5));
    cluster
}

/// Checks all that a command without input sends.
#[track_caller]
fn check(cluster: &Cluster, query: &str, expected: &str) {
    let mut connection = connect(cluster, &format!("p/exec?{query}"), V5).expect("a connection");
    assert_eq!(connection.take(), (expected.to_owned(), false), "{query}");
}

pub(crate) const SUCCESS: &str = "3:{\"metadata\":{},\"status\":\"Success\"}|";

#[test]
fn commands() {
    let cluster = running();
    check(&cluster, "command=hostname&stdout=true", &["1:|1:p\n|", SUCCESS].concat());
    check(&cluster, "command=printenv&command=PASSWORD&stdout=true", &["1:|1:secret\n|", SUCCESS].concat());
    check(&cluster, "command=cat&command=/etc/conf/color&stdout=true", &["1:|1:blue|", SUCCESS].concat());
    check(
        &cluster,
        "command=sh&command=-c&command=echo+a%3B+echo+b+%3E%262%3B+exit+7&stdout=true&stderr=true",
        "1:|1:a\n|2:b\n|3:{\"metadata\":{},\"status\":\"Failure\",\"message\":\"command terminated with non-zero exit code: \
         command terminated with exit code 7\",\"reason\":\"NonZeroExitCode\",\"details\":{\"causes\":[{\"reason\":\
         \"ExitCode\",\"message\":\"7\"}]}}|",
    );
    let mut missing = connect(&cluster, "p/exec?command=java&stdout=true", V4).expect("a connection");
    let (text, _) = missing.take();
    assert!(
        text.contains(
            "exec: \\\"java\\\": executable file not found in $PATH\",\"reason\":\"InternalError\""
        ),
        "{text}"
    );
}

#[test]
fn commands_that_read() {
    let mut cluster = running();
    let mut cat = connect(&cluster, "p/exec?command=cat&stdin=true&stdout=true", V5).expect("a connection");
    assert_eq!(cat.take(), ("1:|".to_owned(), true));
    cat.send(b"\0one\n");
    cat.send(b"\0two\n");
    assert_eq!(cat.take(), (String::new(), true));
    cat.send(b"\xff\0");
    assert_eq!(cat.take(), (["1:one\ntwo\n|", SUCCESS].concat(), false));
    // A shell runs each line when it comes.
    let mut shell =
        connect(&cluster, "p/exec?command=sh&stdin=true&stdout=true&stderr=true", V5).expect("a connection");
    shell.send(b"\0cd /etc/conf; ls\nnothing\n");
    assert_eq!(shell.take(), ("1:|1:color\n|2:sh: nothing: not found\n|".to_owned(), true));
    shell.send(b"\0sleep 2; echo later\n");
    assert_eq!(shell.take(), (String::new(), true));
    cluster.wait(Duration::from_secs(3));
    shell.send(b"\0exit 4\n");
    assert!(shell.take().0.starts_with("1:later\n|3:"));
    let mut left = connect(&cluster, "p/exec?command=cat&stdin=true&stdout=true", V5).expect("a connection");
    left.leave();
    assert_eq!(left.take(), ("1:|".to_owned(), false));
}

#[test]
fn terminals() {
    let mut cluster = running();
    let mut shell = connect(&cluster, "p/exec?command=sh&stdin=true&stdout=true&stderr=true&tty=true", V5)
        .expect("a connection");
    assert_eq!(shell.take(), ("1:|1:/ # |".to_owned(), true));
    shell.send(b"\x04{\"Width\":80,\"Height\":24}");
    shell.send(b"\0echo a\x7fb; no\r");
    assert_eq!(
        shell.take(),
        ("1:echo a\x08 \x08b; no\r\n|1:b\r\n|1:sh: no: not found\r\n|1:/ # |".to_owned(), true)
    );
    shell.send(b"\0sleep 60\r");
    shell.take();
    shell.send(b"\0\x03");
    assert_eq!(shell.take(), ("1:^C\r\n|1:/ # |".to_owned(), true));
    shell.send(b"\0echo $?\r");
    assert_eq!(shell.take().0, "1:echo $?\r\n|1:130\r\n|1:/ # |");
    shell.send(b"\0\x04");
    let (text, goes_on) = shell.take();
    assert!(text.starts_with("1:\r\n|3:") && !goes_on, "{text}");
    cluster.wait(milliseconds(10));
}

#[test]
fn attached_clients_see_what_a_container_writes() {
    let mut cluster = running();
    let mut attached = connect(&cluster, "p/attach?stdout=true&stderr=true", V5).expect("a connection");
    assert_eq!(attached.take(), ("1:|".to_owned(), true));
    cluster.wait(Duration::from_secs(2));
    assert_eq!(attached.take(), ("1:tick\ntick\n|".to_owned(), true));
    cluster.send("DELETE", &format!("{PODS}/p?gracePeriodSeconds=0"), &Value::Null, JSON);
    cluster.wait(Duration::from_secs(1));
    assert_eq!(attached.take(), (SUCCESS.to_owned(), false));
}

#[test]
fn ports() {
    let cluster = running();
    let mut forwarded = connect(&cluster, "p/portforward?ports=80&ports=81", V4).expect("a connection");
    let (text, goes_on) = forwarded.take();
    assert!(goes_on && text.contains("3:error forwarding port 81 to pod p, uid "), "{text}");
    forwarded.send(b"\0GET /a HTTP/1.1\r\n\r\n");
    let (text, _) = forwarded.take();
    assert!(
        text.starts_with("0:HTTP/1.1 200 OK\r\n")
            && text.contains("\r\n\r\npod: p\ncontainer: c\nport: 80\n\nGET /a"),
        "{text}"
    );
    forwarded.leave();
    assert_eq!(forwarded.take(), (String::new(), false));
}

#[test]
fn connections_that_are_refused() {
    let mut cluster = running();
    let refused = |cluster: &Cluster, path: &str, protocol| connect(cluster, path, protocol).err();
    let expected = |code, text: &str| Some((code, text.to_owned()));
    assert_eq!(
        refused(&cluster, "p/exec?command=ls", V4),
        expected(400, "you must specify at least 1 of stdin, stdout, stderr")
    );
    assert_eq!(refused(&cluster, "p/exec?command=ls&stdout=1", "v9.channel.k8s.io"), expected(403, ""));
    assert_eq!(refused(&cluster, "q/exec?command=ls&stdout=1", V5), expected(404, "pods \"q\" not found"));
    assert_eq!(refused(&cluster, "p/portforward", V4), expected(400, "query parameter \"port\" is required"));
    make_pod(&cluster, "done", "exit 0", &json!({"restartPolicy": "Never"}));
    cluster.wait(Duration::from_secs(5));
    assert_eq!(
        refused(&cluster, "done/exec?command=ls&stdout=1", V4),
        expected(500, "container not found (\"c\")")
    );
    assert_eq!(
        refused(&cluster, "done/attach?stdout=1", V4),
        expected(500, "container c not found in pod done_default")
    );
    let told = "Internal error occurred: unable to upgrade connection: container not found (\\\"c\\\")";
    let (text, goes_on) =
        connect(&cluster, "done/exec?command=ls&stdout=1", V5).expect("a connection").take();
    assert!(text.contains(told) && !goes_on, "{text}");
    // Nobody asks for an upgrade here.
    let request = Request::post(format!("{PODS}/p/exec?command=ls&stdout=1")).body(Bytes::new()).unwrap();
    let response = block_on(cluster.server.call(request));
    let Body::Bytes(bytes) = response.body() else { panic!("no bytes") };
    assert!(String::from_utf8_lossy(bytes).contains("Upgrade request required"));
}
