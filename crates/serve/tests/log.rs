//! The log of the program: a line for each request, as text and as objects.
#![cfg(unix)]

mod common;

use std::fs::File;
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use common::raw;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The time after which a program that does not start has failed.
const PATIENCE: Duration = Duration::from_secs(20);

/// A program that is stopped when the test ends, and the file with what it logs.
struct Program {
    child: Child,
    address: SocketAddr,
    log: tempfile::NamedTempFile,
}

impl Program {
    async fn start(flags: &[&str]) -> Self {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let log = tempfile::NamedTempFile::new().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_kubeglass"));
        command.args(["serve", "--listen", &address.to_string()]).args(flags);
        let child = command.stderr(File::create(log.path()).unwrap()).spawn().unwrap();
        let begun = Instant::now();
        while TcpStream::connect(address).await.is_err() {
            assert!(begun.elapsed() < PATIENCE, "nobody listens");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Self { child, address, log }
    }

    async fn send(&self, line: &str, headers: &str) {
        let head = format!("{line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n");
        raw(self.address, &head).await;
    }

    /// Returns what it has logged until now.
    fn logged(&self) -> String {
        std::fs::read_to_string(self.log.path()).unwrap()
    }

    /// Waits until it has logged something.
    async fn until(&self, is_there: impl Fn(&str) -> bool) {
        let begun = Instant::now();
        while !is_there(&self.logged()) {
            assert!(begun.elapsed() < PATIENCE, "it logs nothing");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Stops it, and returns the lines that it has logged.
    fn lines(mut self) -> Vec<String> {
        assert!(Command::new("kill").arg(self.child.id().to_string()).status().unwrap().success());
        self.child.wait().unwrap();
        self.logged().lines().map(str::to_owned).collect()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // One that was stopped is gone.
        let _ = self.child.kill();
    }
}

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

#[tokio::test]
async fn requests_have_a_line_each() {
    let program = Program::start(&["-v", "3", "--logging-format", "json"]).await;
    let agent = "User-Agent: te\"st\r\nAudit-Id: 7\r\n";
    // Those that look at the cluster are not its requests.
    program.send("GET /kubeglass/v1/nothing", agent).await;
    program.send(&format!("GET {MAPS}?limit=1"), agent).await;
    program.send(&format!("GET {MAPS}/missing"), agent).await;
    let applied = "Content-Type: application/apply-patch+yaml\r\nContent-Length: 2\r\n\r\n{}";
    program.send(&format!("PATCH {MAPS}/a"), &[agent, applied].concat()).await;
    program.send("GET /nowhere", agent).await;
    let lines: Vec<Value> = program.lines().iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines[0]["msg"].as_str().unwrap().starts_with("listening on http://"), "{}", lines[0]);
    let requests: Vec<&Value> = lines.iter().filter(|line| line["msg"] == "HTTP").collect();
    let found: Vec<_> = requests.iter().map(|line| [&line["verb"], &line["URI"], &line["resp"]]).collect();
    let expected = [
        ["LIST", &format!("{MAPS}?limit=1"), "200"],
        ["GET", &format!("{MAPS}/missing"), "404"],
        ["APPLY", &format!("{MAPS}/a"), "422"],
        ["GET", "/nowhere", "404"],
    ];
    let found: Vec<[String; 3]> =
        found.iter().map(|line| line.map(|value| value.to_string().trim_matches('"').to_owned())).collect();
    assert_eq!(found, expected);
    for line in requests {
        assert_eq!([&line["userAgent"], &line["audit-ID"]], ["te\"st", "7"]);
        assert!(line["srcIP"].as_str().unwrap().starts_with("127.0.0.1:"), "{line}");
    }
}

#[tokio::test]
async fn text_is_as_klog_writes_it() {
    let program = Program::start(&["--v=4"]).await;
    // The line of a watch is written when it ends: here, when its client goes.
    let mut watch = TcpStream::connect(program.address).await.unwrap();
    let head = format!("GET {MAPS}?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    watch.write_all(head.as_bytes()).await.unwrap();
    let mut answer = [0; 12];
    watch.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200");
    assert!(!program.logged().contains("HTTP"));
    drop(watch);
    program.until(|log| log.contains("HTTP")).await;
    let quiet = Program::start(&["--v=2"]).await;
    quiet.send("GET /livez", "").await;
    let lines = program.lines();
    let line = lines.iter().find(|line| line.contains("HTTP")).unwrap();
    assert!(line.starts_with('I') && line.contains("] \"HTTP\" verb=\"WATCH\" URI="), "{line}");
    assert!(line.ends_with(" resp=200"), "{line}");
    assert!(lines[0].starts_with("kubeglass: listening on "), "{}", lines[0]);
    assert!(!quiet.lines().iter().any(|line| line.contains("HTTP")));
}
