//! How many ConfigMaps of 500 bytes a server creates in a second, and how many it gets, over HTTP with 16 connections.
//!
//! `cargo bench -p kubeglass-serve --bench creates` measures the program of this workspace. A path after `--` is of another one,
//! for a comparison in the same minutes.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const CONNECTIONS: usize = 16;
const DURING: Duration = Duration::from_secs(5);
const PATH: &str = "/api/v1/namespaces/default/configmaps";

/// A server that ends when this is dropped.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(program: &str) -> io::Result<Self> {
        let mut command = Command::new(program);
        let mut child = command.args(["serve", "--listen", "127.0.0.1:0"]).stderr(Stdio::piped()).spawn()?;
        let silent = || io::Error::other("the server does not say where it listens");
        let mut errors = BufReader::new(child.stderr.take().ok_or_else(silent)?);
        let mut line = String::new();
        errors.read_line(&mut line)?;
        // What else it says is read by nobody, and must not stop it.
        thread::spawn(move || io::copy(&mut errors, &mut io::sink()));
        let address = line.split("http://").nth(1).and_then(|rest| rest.split_whitespace().next());
        let address = address.ok_or_else(silent)?.trim_end_matches('/').to_owned();
        Ok(Self { child, address })
    }

    /// How many seconds of a processor it has taken, where the system tells that: in hundredths.
    fn processor_time(&self) -> Option<f64> {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        // Behind its name, which may hold spaces, the times are the twelfth and the thirteenth.
        let mut words = text.rsplit_once(')')?.1.split_whitespace().skip(11);
        let mut next = || words.next()?.parse::<f64>().ok();
        Some((next()? + next()?) / 100.0)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends requests over one connection until the time is over, and returns how many had a response with this code.
fn load(address: &str, code: &str, mut request: impl FnMut(usize) -> String) -> io::Result<usize> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let (begin, mut count, mut line, mut body) = (Instant::now(), 0, String::new(), Vec::new());
    while begin.elapsed() < DURING {
        stream.write_all(request(count).as_bytes())?;
        let mut length = 0;
        for number in 0.. {
            line.clear();
            if reader.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if number == 0 && line.split(' ').nth(1) != Some(code) {
                return Err(io::Error::other(line));
            }
            if let Some(text) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = text.trim().parse().map_err(io::Error::other)?;
            }
            if line == "\r\n" {
                break;
            }
        }
        body.resize(length, 0);
        reader.read_exact(&mut body)?;
        count += 1;
    }
    Ok(count)
}

/// Loads a server over all connections, and returns how many requests it answered, and how many in a second.
fn rate(
    server: &Server,
    code: &str,
    request: impl Fn(usize, usize) -> String + Sync,
) -> io::Result<(usize, f64)> {
    let begin = Instant::now();
    let counts: Vec<io::Result<usize>> = thread::scope(|scope| {
        let one = |thread| {
            let request = &request;
            scope.spawn(move || load(&server.address, code, |number| request(thread, number)))
        };
        let threads: Vec<_> = (0..CONNECTIONS).map(one).collect();
        let panicked = |_| Err(io::Error::other("a thread has panicked"));
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)).collect()
    });
    let count: usize = counts.into_iter().sum::<io::Result<usize>>()?;
    Ok((count, count as f64 / begin.elapsed().as_secs_f64()))
}

fn create(thread: usize, number: usize) -> String {
    let name = format!("c{thread}-{number}");
    let head =
        format!(r#"{{"kind":"ConfigMap","apiVersion":"v1","metadata":{{"name":"{name}"}},"data":{{"k":""#);
    let body = format!("{head}{}\"}}}}", "x".repeat(497 - head.len()));
    let length = body.len();
    format!(
        "POST {PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}

fn get(thread: usize, _: usize) -> String {
    format!("GET {PATH}/c{thread}-0 HTTP/1.1\r\nHost: localhost\r\n\r\n")
}

/// Prints how many requests were answered in a second, and how much of a processor the server took for each, which depends less
/// on what else the machine does.
fn measure(
    server: &Server,
    name: &str,
    code: &str,
    request: impl Fn(usize, usize) -> String + Sync,
) -> io::Result<()> {
    let before = server.processor_time();
    let (count, rate) = rate(server, code, request)?;
    let each =
        server.processor_time().zip(before).map(|(after, before)| (after - before) * 1e6 / count as f64);
    let each = each.map_or_else(String::new, |each| format!(", {each:.0} µs of a processor each"));
    println!("{name}: {rate:.0}/s{each}");
    Ok(())
}

fn main() -> io::Result<()> {
    let program = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let program = program.unwrap_or_else(|| env!("CARGO_BIN_EXE_kubeglass").to_owned());
    let server = Server::start(&program)?;
    measure(&server, "creates", "201", create)?;
    measure(&server, "gets", "200", get)
}
