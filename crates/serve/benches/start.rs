//! How long the program takes until it responds, and how much memory it has then: `cargo bench -p kubeglass-serve --bench start`.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The number of starts.
const STARTS: usize = 21;

/// The time after which a program that does not respond has failed.
const PATIENCE: Duration = Duration::from_secs(10);

fn main() {
    for (name, more, expected) in
        [("without TLS", None, "HTTP/1.1 200"), ("with --tls", Some("--tls"), "HTTP/1.0 400")]
    {
        let mut starts: Vec<(Duration, u64)> = (0..STARTS).map(|_| start(more, expected)).collect();
        starts.sort();
        let (median, memory) = starts[STARTS / 2];
        let (longest, _) = starts[STARTS - 1];
        println!(
            "{name}: {median:.1?} until it responds (median of {STARTS}; {longest:.1?} at most), {memory} kB"
        );
    }
}

/// Starts a program, and returns how long it takes until a response begins as expected, and its memory in kB; 0 where the system does not
/// tell.
fn start(more: Option<&str>, expected: &str) -> (Duration, u64) {
    let address = TcpListener::bind("127.0.0.1:0").and_then(|one| one.local_addr()).expect("a free port");
    let begun = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubeglass"));
    command.args(["serve", "--listen", &address.to_string()]).args(more).stderr(Stdio::null());
    let mut program = command.spawn().expect("the program starts");
    while !response(address).is_some_and(|text| text.starts_with(expected)) {
        assert!(begun.elapsed() < PATIENCE, "it does not respond");
        std::thread::sleep(Duration::from_micros(200));
    }
    let outcome = (begun.elapsed(), memory(&program));
    program.kill().and_then(|()| program.wait()).expect("the program ends");
    outcome
}

/// Returns the response to `GET /readyz` without TLS, which a server with TLS refuses.
fn response(address: SocketAddr) -> Option<String> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.write_all(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").ok()?;
    let mut text = String::new();
    stream.read_to_string(&mut text).ok()?;
    Some(text)
}

fn memory(program: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", program.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
